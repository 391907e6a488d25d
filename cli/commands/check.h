// `check`: new runs against a baseline, rules, or both; a verdict, its exit code, and reports of it for CI.
//
// Rules are read and judged possible before any run is: a typing mistake costs no reading of gigabytes.
#pragma once

#include "cli/exit_code.h"
#include "cli/flags/options.h"
#include "cli/io.h"

namespace tfprof::cli {

ExitCode RunCheck(const Options& options, Io& io);

}  // namespace tfprof::cli
