// From what one reading of a run found to its profile (run_profile.h).
//
// Warm-up: the first steps trace and compile functions and fill caches. By default one is dropped where the run has
// three or more. Steps that an edge of the trace may have cut are dropped where others remain. An op's figure per step
// is its median over the steps that remain; where that is 0, because it runs in less than half of them, the mean. Where
// more than half of all self time lies outside of steps (the program hands its work over and doesn't wait), steps don't
// tell what belongs to them, and neither do calls that stand in for steps: then ops have no figures per step.
#pragma once

#include <cstdint>
#include <optional>

#include "analyze/kernels.h"
#include "analyze/memory.h"
#include "analyze/op_steps.h"
#include "analyze/ops_result.h"
#include "analyze/steps_result.h"
#include "compare/run_profile.h"

namespace tfprof::compare {

struct RunFindings {
  const analyze::OpsResult& ops;           // all rows by op, not compat
  const analyze::OpStepsResult& op_steps;  // of the same reading
  const analyze::StepsResult& steps;       // likewise
  const analyze::MemoryResult* memory;     // null: not looked at
  const analyze::KernelsResult* kernels;   // null: not looked at; all rows, by launch or kernel
  bool ops_are_kernels = false;            // the profile's ops are GPU kernels by their names
  std::optional<uint64_t> skip_steps;      // instead of the default
};

// Without label, environment and diagnostics, which the findings don't tell.
RunProfile ProfileOfRun(const RunFindings& findings);

// Sorts ops, makes names valid UTF-8 (as documents print them) and adds up those of one key.
void SortOps(std::vector<OpFigures>* ops);

}  // namespace tfprof::compare
