// Documents for a person at a terminal.
//
// Tables are aligned, numbers to the right, with a bar for the share of each row (eighth blocks; the longest op fills
// it; idle time and the others are shaded, with an arrow where they run off that scale) and rules that keep quiet. A
// table that is wider than the terminal first leaves out the columns marked for it, then elides texts in the middle.
// Colour only repeats what words, places and signs say.
#pragma once

#include "report/byte_sink.h"
#include "report/document.h"
#include "report/write.h"

namespace tfprof::report {

void WriteText(const Document& document, const TextStyle& style, ByteSink* sink);

}  // namespace tfprof::report
