#include "compare/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tfprof::compare {
namespace {

constexpr size_t kMinHistory = 3;  // runs of the base from which their spread says something

void FillMedians(Change* change) {
  change->base_median = Median(change->base);
  change->next_median = Median(change->next);
  change->delta = change->next_median - change->base_median;
  if (change->base_median != 0) change->relative = change->delta / change->base_median;
}

bool IsSingle(const Change& change) { return change.base.size() == 1 || change.next.size() == 1; }

// The relative change from which one counts. One new run against a history: what the history itself strays by.
double RelativeThreshold(const Change& change, double reference, const CompareOptions& options) {
  if (change.base_median <= 0) return 0;
  double threshold = std::max(options.max_increase, options.min_delta * reference / change.base_median);
  if (change.next.size() == 1 && change.base.size() >= kMinHistory) {
    threshold = std::max(threshold, 3 * ScaledMad(change.base) / change.base_median);
  }
  return threshold;
}

bool IsBeyond(const Change& change, double threshold, double reference, const CompareOptions& options) {
  if (!change.relative) return std::abs(change.delta) > options.min_delta * reference;
  return std::abs(*change.relative) > threshold;
}

std::string RunsText(const Change& change) { return fmt::format("{}+{}", change.base.size(), change.next.size()); }

// Why chance can't be ruled out: too few runs for any difference, or runs that overlap.
std::string NoProof(const Change& change, size_t tests, const CompareOptions& options) {
  if (!CanReach(change.base.size(), change.next.size(), tests, options.alpha)) {
    return fmt::format("needs {} runs a side, has {}", RunsNeeded(tests, options.alpha), RunsText(change));
  }
  return "chance can't be ruled out: the runs of both sides overlap";
}

std::string WhyNotUnchanged(const Change& change, double threshold, const CompareOptions& options) {
  if (!change.interval) {
    if (change.base_median <= 0) return "it did not run in most runs of the base";
    const double level = (1 - options.confidence) / 2;  // at either end
    return fmt::format("needs {} runs a side, has {}", RunsNeeded(1, level), RunsText(change));
  }
  return fmt::format("the interval reaches beyond {:+.3g} %",
                     (change.interval->high > threshold ? 100 : -100) * threshold);
}

void Decide(Change* change, size_t tests, double reference, const CompareOptions& options) {
  const double threshold = RelativeThreshold(*change, reference, options);
  const bool proven = change->p_holm && *change->p_holm <= options.alpha * (1 + 1e-12);
  const bool decides_alone = options.single_run_decides && IsSingle(*change);
  const bool worse = change->delta > 0;
  if (IsBeyond(*change, threshold, reference, options)) {
    if (proven || decides_alone) {
      change->verdict = worse ? Verdict::kRegressed : Verdict::kImproved;
    } else {
      change->verdict = worse ? Verdict::kSuspect : Verdict::kInconclusive;
      change->reason = NoProof(*change, tests, options);
    }
    return;
  }
  const bool never_ran = change->base_median == 0 && change->next_median == 0;
  const bool within = change->interval && change->interval->low >= -threshold && change->interval->high <= threshold;
  if (within || never_ran || decides_alone) {
    change->verdict = Verdict::kUnchanged;
    return;
  }
  change->verdict = Verdict::kInconclusive;
  change->reason = WhyNotUnchanged(*change, threshold, options);
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kUnchanged:
      return "unchanged";
    case Verdict::kRegressed:
      return "regressed";
    case Verdict::kImproved:
      return "improved";
    case Verdict::kSuspect:
      return "suspect";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kNotGated:
      break;
  }
  return "not gated";
}

Change NoisyChange(std::vector<double> base, std::vector<double> next, const std::optional<IntervalCut>& cut) {
  Change change;
  change.base = std::move(base);
  change.next = std::move(next);
  FillMedians(&change);
  change.interval = RelativeChangeInterval(change.base, change.next, cut);
  return change;
}

Change ExactChange(std::vector<double> base, std::vector<double> next) {
  Change change;
  change.base = std::move(base);
  change.next = std::move(next);
  change.exact = true;
  FillMedians(&change);
  const auto [base_min, base_max] = std::minmax_element(change.base.begin(), change.base.end());
  const auto [next_min, next_max] = std::minmax_element(change.next.begin(), change.next.end());
  if (*next_min > *base_max) {
    change.verdict = Verdict::kRegressed;
  } else if (*next_max < *base_min) {
    change.verdict = Verdict::kImproved;
  } else if (*base_min == *base_max && *next_min == *next_max) {
    change.verdict = Verdict::kUnchanged;
  } else {
    change.verdict = Verdict::kInconclusive;
    change.reason = "differs between runs of one side";
  }
  return change;
}

void DecideFamily(std::span<Change* const> changes, double reference, const CompareOptions& options) {
  std::vector<std::optional<double>> p;
  for (Change* change : changes) {
    const Direction direction = change->delta < 0 ? Direction::kLess : Direction::kMore;
    p.push_back(change->p = MannWhitneyP(change->base, change->next, direction));
  }
  const std::vector<std::optional<double>> adjusted = HolmAdjusted(p);
  for (size_t i = 0; i < changes.size(); ++i) {
    changes[i]->p_holm = adjusted[i];
    Decide(changes[i], changes.size(), reference, options);
  }
}

}  // namespace tfprof::compare
