// Where a trace begins, found without a look at what its events are.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/xplane/layout.h"
#include "formats/xplane/reader.h"

namespace tfprof::xplane {

struct TraceStart {
  bool late_header = false;         // a line's head goes on behind its events: the layout must be read anew, thoroughly
  std::optional<int64_t> start_ps;  // of the earliest event on a lane with ops, from the file's base; 0: there is none
};

// Without a start, events may tell their own times in their stats, or the reading was cancelled: only `Read` can say.
TraceStart FindTraceStart(const Layout& layout, const ReadOptions& options, unsigned threads);

}  // namespace tfprof::xplane
