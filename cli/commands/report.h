// The commands that read profiles and print a report: the summary, `ops` and `info`.
//
// One course for all: find the inputs, open the outputs (so that a bad name is told before hours of reading), read,
// choose rows, make the document, write it wherever it was asked for, say what must be said, decide the exit status.
#pragma once

#include "cli/exit_code.h"
#include "cli/flags/options.h"
#include "cli/io.h"

namespace tfprof::cli {

ExitCode RunReport(const Options& options, Io& io);

}  // namespace tfprof::cli
