// What the exit status says; docs/exit-codes.md explains it to users, and a test compares the two.
//
// Few and fixed: the fine reason is a code in `diagnostics` (docs/diagnostics.md). A regression never shares a status
// with a failure of any kind, so that CI can tell "slower" from "could not tell".
#pragma once

#include "base/diagnostics.h"

namespace tfprof::cli {

enum class ExitCode : int {
  kDone = 0,           // the answer is whole
  kRegression = 1,     // kept for `check`: a regression, or a rule broken; nothing else returns it
  kUsage = 2,          // the command line makes no sense, or an output cannot be written
  kDamaged = 3,        // an input is missing, unreadable or damaged; what could be read is in the answer
  kNothing = 4,        // nothing to decide on: an empty profile, or a log directory without one
  kHangup = 129,       // SIGHUP
  kInterrupted = 130,  // SIGINT
  kTerminated = 143,   // SIGTERM
};

// What an analysis came to, as far as the exit status depends on it.
struct Verdict {
  bool anything_opened = false;  // at least one input is a profile (or an empty file)
  bool empty = false;            // and there was nothing in any of them
  bool strict = false;           // --strict
  bool allow_partial = false;    // --allow-partial
};

// The only place that makes an exit status of diagnostics. Errors and, with --strict, warnings that mean damage give
// kDamaged, unless --allow-partial; an empty profile gives kNothing whatever the flags. An answer to which one of
// several inputs had nothing to add is damaged: half an answer must not look like a whole one.
ExitCode ExitCodeFor(const Diagnostics& diagnostics, const Verdict& verdict);

}  // namespace tfprof::cli
