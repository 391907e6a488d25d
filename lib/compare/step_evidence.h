// Whether the steps of runs tell how long a step takes: what figures per step and rules on steps rest on.
//
// They do where every run has steps of one kind, marked by the program or calls that stand in, and these hold most of
// the op time. A program that hands its work over and doesn't wait for it (JAX on a CPU) marks steps that hold little
// of it.
#pragma once

#include <span>
#include <string>

#include "compare/run_profile.h"

namespace tfprof::compare {

// Why they don't, to follow "can't tell: "; "" where they do. `base` may be empty.
std::string WhyStepsDontTell(std::span<const RunProfile> base, std::span<const RunProfile> next);

}  // namespace tfprof::compare
