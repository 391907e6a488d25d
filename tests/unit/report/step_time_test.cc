#include "report/step_time.h"

#include <catch2/catch.hpp>

#include <vector>

namespace tfprof::report {
namespace {

using analyze::StepKind;

constexpr uint64_t kMs = 1'000'000'000;

analyze::StepsResult Lasting(StepKind kind, const std::vector<uint64_t>& ms) {
  analyze::StepsResult steps;
  steps.kind = kind;
  for (const uint64_t each : ms) {
    analyze::StepRow row;
    row.name = "train";
    row.total_ps = each * kMs;
    steps.rows.push_back(row);
    steps.slowest_ps.push_back(row.total_ps);
  }
  return steps;
}

TEST_CASE("of calls that are unlike no mean is told") {
  CHECK(StepTimeText(Lasting(StepKind::kCall, {1, 990}), Unit::kAuto) ==
        "496 ms is the median of 2 calls, 1.00 ms to 990 ms; they differ too much to be calls of one function, so "
        "there is no mean to go by");
  CHECK(StepTimeText(Lasting(StepKind::kCall, {4, 6}), Unit::kAuto) ==
        "5.00 ms is the median of 2 calls, 4.00 ms to 6.00 ms; mean 5.00 ms, deviation 1.41 ms");
  CHECK(StepTimeText(Lasting(StepKind::kStep, {1, 99}), Unit::kAuto) ==
        "50.0 ms is the median of 2 steps, 1.00 ms to 99.0 ms; mean 50.0 ms, deviation 69.3 ms");
}

TEST_CASE("what lies outside of steps is told in one time") {
  analyze::StepsResult steps = Lasting(StepKind::kStep, {60});
  steps.coverage.trace_ps = 100 * kMs;
  steps.coverage.in_steps_ps = 60 * kMs;
  CHECK(OutsideOfSteps(steps, Unit::kAuto)->text ==
        "40.0 ms between the first op and the last (40.0%) lie in no step.");
  steps.coverage.work_outside_ps = 30 * kMs;
  CHECK(OutsideOfSteps(steps, Unit::kAuto)->text ==
        "40.0 ms between the first op and the last (40.0%) lie in no step, most of it with ops or devices at work.");
}

}  // namespace
}  // namespace tfprof::report
