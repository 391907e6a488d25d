// Reads an XSpace as XProf does, for `--compat` (reference: op_stats.md §2–§6).
//
// The first plane that is exactly `/host:CPU`; then, if any plane begins with `/device:TPU:`, those (SparseCores aside),
// else those that begin with `/device:GPU:`. Lines are streamed one after the other on the calling thread; a line is held
// only where XProf would sort it and it isn't sorted yet.
#pragma once

#include "base/diagnostics.h"
#include "formats/xplane/layout.h"
#include "formats/xplane/reader.h"
#include "trace/xprof_events.h"

namespace tfprof::xplane {

// Like Read (reader.h): with kAgain the caller starts over with a thorough layout and a fresh sink.
ReadOutcome ReadForXprof(const Layout& layout, const ReadOptions& options, trace::XprofSink* sink, ReadPlan* plan,
                         Diagnostics* diagnostics);

}  // namespace tfprof::xplane
