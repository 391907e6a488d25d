// `diff`: two sides of runs compared. Each run is read by itself (read_run.h), one after another, so that no more than
// one trace is open at a time.
//
// What could be read is compared; a run that is missing or damaged makes the exit status 3, a side without any run, or
// sides without an op in common, 4.
#pragma once

#include "cli/exit_code.h"
#include "cli/flags/options.h"
#include "cli/io.h"

namespace tfprof::cli {

ExitCode RunDiff(const Options& options, Io& io);

}  // namespace tfprof::cli
