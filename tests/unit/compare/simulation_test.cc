// The rule of decision against simulated runs. The full table, by thousands of checks, is in docs/statistics.md; here
// are few enough to be run with every build, and so the counts must be the very same each time.
#include "bench/verdicts/simulation.h"

#include <catch2/catch.hpp>
#include <string>

namespace tfprof::verdicts {
namespace {

constexpr uint64_t kSeed = 20240607;

const std::string kTenChecks =
    R"(| noise | runs | gated ops | needs | false alarms | suspect, nothing changed | found | suspect | wrongly named | other verdict |
|---|---|---|---|---|---|---|---|---|---|
| run noise of each op | 5+5 | 6 | 5 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
| run noise of each op | 7+7 | 40 | 6 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
| run noise of each op | 10+10 | 40 | 6 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
| run noise of all ops alike | 5+5 | 6 | 5 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
| run noise of all ops alike | 7+7 | 40 | 6 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
| run noise of all ops alike | 10+10 | 40 | 6 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
| heavy tails | 5+5 | 6 | 5 | 0.00 % | 0.00 % | 70.00 % | 20.00 % | 0.00 % | 0 |
| heavy tails | 7+7 | 40 | 6 | 0.00 % | 20.00 % | 90.00 % | 10.00 % | 0.00 % | 0 |
| heavy tails | 10+10 | 40 | 6 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 10.00 % | 0 |
| drift, sides interleaved | 5+5 | 6 | 5 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
| drift, sides interleaved | 7+7 | 40 | 6 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
| drift, sides interleaved | 10+10 | 40 | 6 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
| drift, base before new | 5+5 | 6 | 5 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
| drift, base before new | 7+7 | 40 | 6 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 10.00 % | 0 |
| drift, base before new | 10+10 | 40 | 6 | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
| one bad run | 5+5 | 6 | 5 | 0.00 % | 0.00 % | 80.00 % | 20.00 % | 0.00 % | 0 |
| one bad run | 7+7 | 40 | 6 | 0.00 % | 0.00 % | 60.00 % | 40.00 % | 0.00 % | 0 |
| one bad run | 10+10 | 40 | 6 | 0.00 % | 0.00 % | 90.00 % | 10.00 % | 0.00 % | 0 |
| run noise of each op | 1+1 | 40 | 6 | 0.00 % | 80.00 % | 0.00 % | 100.00 % | 0.00 % | 0 |
| run noise of each op | 10+1 | 40 | 6 | 0.00 % | 20.00 % | 0.00 % | 80.00 % | 0.00 % | 0 |
| run noise of each op | 3+3 | 6 | 5 | 0.00 % | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0 |
| run noise of each op | 4+4 | 6 | 5 | 0.00 % | 0.00 % | 0.00 % | 100.00 % | 0.00 % | 0 |
| run noise of each op | 5+5 | 40 | 6 | 0.00 % | 10.00 % | 0.00 % | 100.00 % | 0.00 % | 0 |
| run noise of each op | 6+6 | 40 | 6 | 0.00 % | 10.00 % | 100.00 % | 0.00 % | 0.00 % | 0 |
)";

TEST_CASE("simulated checks come out the same on every machine, in any order of the runs") {
  CHECK(MarkdownTable(RuleCells(), 10, kSeed) == kTenChecks);
}

TEST_CASE("5+5 runs at 6 gated ops: at most 1 % false alarms, at least 99 % of 10 % regressions found") {
  constexpr size_t kChecks = 500;
  const Counts counts = Simulate({.world = 0, .base_runs = 5, .next_runs = 5, .gated = 6}, kChecks, kSeed);
  CHECK(counts.false_alarms <= kChecks / 100);
  CHECK(counts.found >= kChecks - kChecks / 100);
  CHECK(counts.other_verdicts == 0);
}

TEST_CASE("7+7 runs at 40 gated ops: at most 1 % false alarms, at least 99 % of 10 % regressions found") {
  constexpr size_t kChecks = 100;
  const Counts counts = Simulate({.world = 0, .base_runs = 7, .next_runs = 7, .gated = 40}, kChecks, kSeed);
  CHECK(counts.false_alarms <= kChecks / 100);
  CHECK(counts.found >= kChecks - kChecks / 100);
  CHECK(counts.other_verdicts == 0);
}

TEST_CASE("too few runs raise no alarm, whatever the noise") {
  for (size_t world = 0; world < Worlds().size(); ++world) {
    const Counts counts = Simulate({.world = world, .base_runs = 4, .next_runs = 4, .gated = 6}, 50, kSeed);
    CAPTURE(Worlds()[world].name);
    CHECK(counts.found == 0);
    CHECK(counts.runs_needed == 5);
  }
}

}  // namespace
}  // namespace tfprof::verdicts
