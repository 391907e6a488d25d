// Streams the events of an XSpace, with their groups and stats, to sinks that look beyond ops (trace/event_stream.h).
#pragma once

#include <cstdint>
#include <span>

#include "base/diagnostics.h"
#include "formats/xplane/layout.h"
#include "formats/xplane/reader.h"
#include "trace/event_stream.h"

namespace tfprof::xplane {

struct EventStreamOptions {
  bool host_groups = false;  // groups of events off GPUs, and names of steps: links events, which costs memory
  bool device_groups = false;
  bool tell_misplaced = false;  // of events without a place in time; `Read` tells of them too
  int64_t trace_start_ps = 0;   // handed on to the sinks
  unsigned threads = 1;
  // kAny: strictly, where planes of one name are one too; kTyped: as XProf reads.
  trace::NumberSlots numbers = trace::NumberSlots::kAny;
};

// Like Read (reader.h): with kAgain the caller starts over with a thorough layout and fresh sinks. Sinks are
// called from the calling thread, their forks from others.
ReadOutcome StreamEvents(const Layout& layout, const ReadOptions& options, uint32_t file_index,
                         const EventStreamOptions& wanted, std::span<trace::EventSink* const> sinks, ReadPlan* plan,
                         Diagnostics* diagnostics);

// Whether any line of it has an event, whatever its kind.
bool HasEvents(const Layout& layout);

}  // namespace tfprof::xplane
