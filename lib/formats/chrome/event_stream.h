// Streams the events of a timeline to sinks that look beyond ops (trace/event_stream.h), lane by lane, in nesting
// order.
//
// Hosts come before devices. Beside its own planes a file may have one that no events of it make up (`made_up`): with
// its memory, and for TF1 with the step that the file is. Times begin at the earliest event on a lane with ops. The
// text must lie in memory as a whole; of each event 32 bytes are held (event_index.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/diagnostics.h"
#include "formats/chrome/event_index.h"
#include "formats/chrome/reader.h"
#include "trace/event_stream.h"

namespace tfprof::chrome {

struct StreamOptions {
  std::string path, host;
  uint32_t file_index = 0;
  std::optional<Dialect> forced;
};

struct StreamFacts {
  FileFacts file;
  __int128 base_ps = 0;    // where 0 of the events' times lies, for a reading of the lanes (ReadPlan::base_ps)
  bool any_event = false;  // there is an event on a lane
};

StreamFacts StreamEvents(const WholeText& text, const StreamOptions& options, std::span<trace::EventSink* const> sinks,
                         Diagnostics* diagnostics);

}  // namespace tfprof::chrome
