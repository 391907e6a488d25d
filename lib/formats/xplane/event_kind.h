// What an event is to XProf's grouping, by its name (reference: op_stats.md §6).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/xplane/layout.h"

namespace tfprof::xplane {

enum class EventKind : uint8_t {
  kOther,
  kTfOp,
  kTfData,
  kLaunch,   // of a kernel, by the host
  kExecute,  // of a kernel, by the device
  kEagerExecute,
  kExecutorProcess,
  kGetNext,
  kGetNextAsOptional,
  kTraceContext,
  kProcessBatch,
  kBatchingSessionRun,
  kCapturedFunctionRun,
  kTpuExecuteOp,
  kEnqueueRequest,
  kQueuedRequest,
  kDoEnqueueProgram,
  kCompleteCallbacks,
  kKnown,  // any other name that XProf knows: it is that, whatever stats the event has
};

EventKind KindOfName(std::string_view event_name);

// An event of no known name and no op that has a `correlation_id` is a launch on `/host:CPU` and a kernel elsewhere.
inline EventKind KindOfEvent(EventKind by_name, bool has_correlation_id, bool on_host_cpu) {
  if (by_name != EventKind::kOther || !has_correlation_id) return by_name;
  return on_host_cpu ? EventKind::kLaunch : EventKind::kExecute;
}

// Whether grouping decides if the event is eager, in place of a stored flag.
inline bool IsFlaggedByGrouping(EventKind kind) { return kind == EventKind::kTfOp || kind == EventKind::kExecute; }

// The kinds of a plane's event metadata, by index in MetadataMap::entries().
std::vector<EventKind> KindsOfMetadata(const Plane& plane);

}  // namespace tfprof::xplane
