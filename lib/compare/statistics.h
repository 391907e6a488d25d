// Statistics over a handful of runs: exact, deterministic, without a random number.
//
// The unit of evidence is the run, never the event or the step: what differs between two builds is confounded with what
// differs between two runs (docs/statistics.md has the simulation). Inputs are one number per run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tfprof::compare {

double Median(std::span<const double> values);  // of none: 0
// Median absolute deviation, scaled by 1.4826 to estimate a standard deviation.
double ScaledMad(std::span<const double> values);

// Which way `next` is suspected to differ from `base`.
enum class Direction : uint8_t { kMore, kLess };

// One-sided p of Mann and Whitney's U, from the exact distribution given the ties (midranks): how often chance puts
// `next` as far in this direction. 1 if a side is empty.
double MannWhitneyP(std::span<const double> base, std::span<const double> next, Direction direction);
// The smallest that p can be with so many runs: 1 / C(n + m, n).
double SmallestP(size_t base_runs, size_t next_runs);
// Whether the first of `tests` Holm-adjusted tests can reach `alpha` with so many runs.
bool CanReach(size_t base_runs, size_t next_runs, size_t tests, double alpha);
// Runs per side from which it can.
size_t RunsNeeded(size_t tests, double alpha);

// Holm's step-down adjustment, in the order given; absent ones are no tests.
std::vector<std::optional<double>> HolmAdjusted(std::span<const std::optional<double>> p);

struct Interval {
  double low = 0, high = 0;
  double confidence = 0;  // that which the exact distribution gives, at least the one asked for
};
// Where the sorted pairwise ratios of so many runs are cut to have the confidence: the same for every figure of a
// comparison, so it is worked out once. Absent: too few runs.
struct IntervalCut {
  size_t left_out = 0;  // ratios at each end, but for the outermost that is an end of the interval
  double confidence = 0;
};
std::optional<IntervalCut> IntervalCutFor(size_t base_runs, size_t next_runs, double confidence);

// Of next / base - 1, by the pairwise ratios (Hodges and Lehmann). Absent: a base is not positive, or there is no cut.
std::optional<Interval> RelativeChangeInterval(std::span<const double> base, std::span<const double> next,
                                               const std::optional<IntervalCut>& cut);

}  // namespace tfprof::compare
