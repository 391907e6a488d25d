#include "formats/xplane/eager_reach.h"

#include <algorithm>
#include <string_view>

namespace tfprof::xplane {
namespace {

constexpr std::string_view kEagerExecute = "EagerExecute";

// More than one where a file was put together.
std::vector<int64_t> EagerExecuteIds(const Plane& plane) {
  std::vector<int64_t> ids;
  for (const Metadata& entry : plane.event_metadata.entries()) {
    if (entry.name == kEagerExecute) ids.push_back(entry.key);
  }
  return ids;
}

}  // namespace

bool EagerReach::Concerns(const Plane& plane) { return !EagerExecuteIds(plane).empty(); }

EagerReach::EagerReach(const Plane& plane, trace::NumberSlots numbers)
    : plane_(plane),
      stats_(plane, {XprofStat::kIsFunc, XprofStat::kCorrelationId},
             {XprofStat::kProducerType, XprofStat::kProducerId}, numbers),
      eager_execute_ids_(EagerExecuteIds(plane)) {}

void EagerReach::Look(const Event& event) {
  if (kinds_.empty()) kinds_ = KindsOfMetadata(plane_);
  const uint32_t metadata = plane_.event_metadata.IndexOf(event.metadata_id);
  const EventKind kind = metadata == MetadataMap::kNone ? EventKind::kOther : kinds_[metadata];
  stats_.Read(event.stats, kEventStats);
  if (kind == EventKind::kEagerExecute) {
    const Stat* is_func = stats_.Get(XprofStat::kIsFunc);
    const bool eager = is_func != nullptr && is_func->int64_only() == 0;
    const bool within = open_ && WrappingBegin(*line_, event) <= eager_end_ps_;  // else the one before is over
    if (!eager && !within) return;
    if (eager)
      eager_end_ps_ = within ? std::max(eager_end_ps_, WrappingEnd(*line_, event)) : WrappingEnd(*line_, event);
    open_ = true;
  }
  hints_.reaches_op = hints_.reaches_op || kind == EventKind::kTfOp || kind == EventKind::kLaunch ||
                      kind == EventKind::kExecute || kind == EventKind::kExecutorProcess ||
                      stats_.Get(XprofStat::kCorrelationId) != nullptr;
  const Stat* type = stats_.Last(XprofStat::kProducerType);
  const Stat* id = stats_.Last(XprofStat::kProducerId);
  if (type != nullptr && id != nullptr) hints_.flows.insert({type->int_or_uint(), id->int_or_uint()});
}

bool AnyEventTakes(const Layout& layout, const EagerHints& hints, trace::NumberSlots numbers) {
  if (hints.flows.empty()) return false;
  const EventScan::OnDone on_done;
  for (const Plane& plane : layout.planes) {
    XprofStats stats(plane, {}, {XprofStat::kConsumerType, XprofStat::kConsumerId}, numbers);
    if (!stats.Knows(XprofStat::kConsumerId)) continue;
    EventScan scan(layout, on_done, nullptr);
    bool found = false;
    for (const Line& line : plane.lines) {
      scan.ForEach(line, &stats.filter(), false, [&](const Event& event, uint64_t) {
        if (event.stats.empty() || found) return;
        stats.Read(event.stats, kEventStats);
        const Stat* type = stats.Last(XprofStat::kConsumerType);
        const Stat* id = stats.Last(XprofStat::kConsumerId);
        found = type != nullptr && id != nullptr && hints.flows.contains({type->int_or_uint(), id->int_or_uint()});
      });
      if (found) return true;
    }
  }
  return false;
}

}  // namespace tfprof::xplane
