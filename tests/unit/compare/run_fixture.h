// Run profiles for the tests of comparisons: ops by name with their self time per step, a hundred steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare/run_profile.h"

namespace tfprof::compare {

constexpr double kPsPerUs = 1e6;

struct TestOp {
  std::string type, name;
  double us = 0;  // per step
  trace::Side side = trace::Side::kHost;
};

// A step lasts `step_us`, or as long as the ops in turn.
inline RunProfile RunOf(const std::vector<TestOp>& ops, double step_us = 0) {
  constexpr uint64_t kSteps = 100;
  RunProfile run;
  run.label = "run";
  run.environment.hosts = 1;
  double sum_us = 0;
  for (const TestOp& op : ops) {
    OpFigures figures;
    figures.key = {op.side, op.type, op.name};
    figures.occurrences = kSteps;
    figures.self_ps = figures.total_ps = static_cast<int64_t>(op.us * kPsPerUs * kSteps);
    figures.self_per_step_ps = op.us * kPsPerUs;
    figures.occurrences_per_step = 1;
    (op.side == trace::Side::kHost ? run.host : run.device).sum_self_ps += figures.self_ps;
    run.ops.push_back(std::move(figures));
    sum_us += op.us;
  }
  std::sort(run.ops.begin(), run.ops.end(), [](const OpFigures& a, const OpFigures& b) { return a.key < b.key; });
  StepFigures steps;
  steps.count = kSteps;
  steps.mean_ps = steps.median_ps = steps.p95_ps = steps.min_ps = steps.max_ps =
      (step_us > 0 ? step_us : sum_us) * kPsPerUs;
  run.steps = steps;
  return run;
}

// `runs` runs that differ by up to 1 %, no two alike and no op like the step.
inline std::vector<RunProfile> RunsOf(size_t runs, const std::vector<TestOp>& ops) {
  std::vector<RunProfile> made;
  for (size_t r = 0; r < runs; ++r) {
    std::vector<TestOp> noisy = ops;
    for (size_t i = 0; i < noisy.size(); ++i) {
      noisy[i].us *= 1 + 0.01 * static_cast<double>((r * 5 + i * 3) % 11) / 11;
    }
    made.push_back(RunOf(noisy));
  }
  return made;
}

}  // namespace tfprof::compare
