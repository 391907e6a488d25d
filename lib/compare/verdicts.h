// From the figures of both sides to a verdict: the rule of decision (docs/statistics.md).
//
// A change is beyond the thresholds when it exceeds `max_increase` relatively and `min_delta` of step time absolutely.
// Beyond them and no chance (p in the direction of the change <= alpha, adjusted by Holm over the gated set): regressed
// or improved. Beyond them without proof: suspect, if it is for the worse. Not beyond, and the whole interval within:
// unchanged. Anything else is inconclusive.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compare/comparison.h"

namespace tfprof::compare {

// Medians, delta, relative change and interval of a noisy figure; no p yet.
Change NoisyChange(std::vector<double> base, std::vector<double> next, const std::optional<IntervalCut>& cut);

// Of a count or a size, with its verdict: one run a side decides. `kInconclusive` where the runs of one side differ
// among themselves and the sides overlap.
Change ExactChange(std::vector<double> base, std::vector<double> next);

// p of each, adjusted over all of them, and their verdicts. `reference` is what min_delta is a share of: step time.
void DecideFamily(std::span<Change* const> changes, double reference, const CompareOptions& options);

}  // namespace tfprof::compare
