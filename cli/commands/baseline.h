// `baseline save`, `add` and `show`: figures of good runs in a file, for `diff` and `check` (compare/baseline.h).
//
// A baseline is written when all runs could be read whole (--allow-partial takes what could be read), and replaces the
// one before in one step, so that who reads it meanwhile has the old one or the new one.
#pragma once

#include "cli/exit_code.h"
#include "cli/flags/options.h"
#include "cli/io.h"

namespace tfprof::cli {

ExitCode RunBaseline(const Options& options, Io& io);

}  // namespace tfprof::cli
