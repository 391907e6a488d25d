// How output for people looks: whether it is coloured and how wide it is.
//
// The flag decides if it says always or never. Else NO_COLOR (not empty) means no colour, CLICOLOR_FORCE (neither empty
// nor 0) means colour even without a terminal, and what remains is coloured on a terminal unless TERM is `dumb` or
// CLICOLOR is 0 (conventions: no-color.org, bixense.com/clicolors).
#pragma once

#include "cli/flags/options.h"
#include "cli/io.h"
#include "report/write.h"

namespace tfprof::cli {

bool UseColor(When flag, bool is_terminal, const Io& io);

// Of standard output: the terminal's width unless a flag says otherwise; without a terminal nothing is shortened.
report::TextStyle StandardOutputStyle(const Options& options, const Io& io);
// Of a file: no colour, nothing shortened unless --width asks for it.
report::TextStyle FileStyle(const Options& options);

}  // namespace tfprof::cli
