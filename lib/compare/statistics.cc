#include "compare/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tfprof::compare {
namespace {

// Values of both sides beyond which the exact distribution gives way to the normal one.
constexpr size_t kMaxExact = 60;
constexpr size_t kMaxRunsNeeded = 500;   // 1 / C(1000, 500) is 0 to any alpha
constexpr double kRounding = 1 + 1e-12;  // a level that is met exactly is met, however 1 - 0.9 is rounded

double UpperTail(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

// Twice the midrank of every value in the sorted union: whole numbers, ties included.
struct DoubledRanks {
  std::vector<size_t> all;  // ascending
  size_t base_sum = 0;      // of the values of base
  double tie_term = 0;      // sum of t^3 - t over groups of equal values
};

DoubledRanks RankBoth(std::span<const double> base, std::span<const double> next) {
  std::vector<std::pair<double, bool>> values;  // the value, and whether it is of base
  for (const double v : base) values.emplace_back(v, true);
  for (const double v : next) values.emplace_back(v, false);
  std::sort(values.begin(), values.end());
  DoubledRanks ranks;
  for (size_t from = 0; from < values.size();) {
    size_t to = from;
    while (to < values.size() && values[to].first == values[from].first) ++to;
    const size_t doubled = from + 1 + to;  // first and last rank of the group, added
    for (size_t i = from; i < to; ++i) {
      ranks.all.push_back(doubled);
      if (values[i].second) ranks.base_sum += doubled;
    }
    const double t = static_cast<double>(to - from);
    ranks.tie_term += t * t * t - t;
    from = to;
  }
  return ranks;
}

// How many choices of `chosen` of the ranks have each sum. Doubles: exact up to 2^53, to 15 digits beyond.
std::vector<double> WaysToSum(const std::vector<size_t>& ranks, size_t chosen) {
  const size_t sums = std::accumulate(ranks.begin(), ranks.end(), size_t{0}) + 1;
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(sums, 0));
  ways[0][0] = 1;
  size_t reached = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    reached += ranks[i];
    for (size_t k = std::min(chosen, i + 1); k > 0; --k) {
      for (size_t s = reached; s >= ranks[i]; --s) ways[k][s] += ways[k - 1][s - ranks[i]];
    }
  }
  return std::move(ways[chosen]);
}

// Low ranks of `base` are what speaks for more in `next`. Counted for the side with fewer runs: its distribution is
// the other's from the other end, and sooner known.
double ExactP(const DoubledRanks& ranks, size_t base_runs, Direction direction) {
  const size_t next_runs = ranks.all.size() - base_runs;
  const bool of_base = base_runs <= next_runs;
  const std::vector<double> ways = WaysToSum(ranks.all, std::min(base_runs, next_runs));
  const size_t sum = of_base ? ranks.base_sum : ways.size() - 1 - ranks.base_sum;
  const bool as_low = (direction == Direction::kMore) == of_base;
  double as_far = 0, total = 0;
  for (size_t s = 0; s < ways.size(); ++s) {
    total += ways[s];
    if (as_low ? s <= sum : s >= sum) as_far += ways[s];
  }
  return as_far / total;
}

// With correction for ties and continuity.
double NormalP(const DoubledRanks& ranks, double n, double m, Direction direction) {
  const double u = static_cast<double>(ranks.base_sum) / 2 - n * (n + 1) / 2;
  const double all = n + m;
  const double variance = n * m / 12 * (all + 1 - ranks.tie_term / (all * (all - 1)));
  if (variance <= 0) return 1;
  const double distance = direction == Direction::kMore ? n * m / 2 - u : u - n * m / 2;
  return UpperTail((distance - 0.5) / std::sqrt(variance));
}

// P(U <= u) for u = 0, 1, … below the middle, without ties.
std::vector<double> LowerTailOfU(size_t n, size_t m) {
  std::vector<double> tail(n * m / 2 + 1);
  if (n + m > kMaxExact) {
    const double nm = static_cast<double>(n) * static_cast<double>(m);
    const double deviation = std::sqrt(nm * static_cast<double>(n + m + 1) / 12);
    for (size_t u = 0; u < tail.size(); ++u) tail[u] = UpperTail((nm / 2 - static_cast<double>(u) - 0.5) / deviation);
    return tail;
  }
  std::vector<size_t> ranks(n + m);
  std::iota(ranks.begin(), ranks.end(), size_t{1});
  const size_t fewer = std::min(n, m);
  const std::vector<double> ways = WaysToSum(ranks, fewer);
  const double total = std::accumulate(ways.begin(), ways.end(), 0.0);
  double sum = 0;
  for (size_t u = 0; u < tail.size(); ++u) tail[u] = (sum += ways[u + fewer * (fewer + 1) / 2]) / total;
  return tail;
}

}  // namespace

double Median(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 == 1) return *middle;
  const double below = *std::max_element(sorted.begin(), middle);
  return below + (*middle - below) / 2;
}

double ScaledMad(std::span<const double> values) {
  const double median = Median(values);
  std::vector<double> distances;
  for (const double v : values) distances.push_back(std::abs(v - median));
  return 1.4826 * Median(distances);
}

double MannWhitneyP(std::span<const double> base, std::span<const double> next, Direction direction) {
  if (base.empty() || next.empty()) return 1;
  const DoubledRanks ranks = RankBoth(base, next);
  if (base.size() + next.size() <= kMaxExact) return ExactP(ranks, base.size(), direction);
  return NormalP(ranks, static_cast<double>(base.size()), static_cast<double>(next.size()), direction);
}

double SmallestP(size_t base_runs, size_t next_runs) {
  if (base_runs == 0 || next_runs == 0) return 1;
  double p = 1;
  for (size_t i = 1; i <= base_runs; ++i) p *= static_cast<double>(i) / static_cast<double>(next_runs + i);
  return p;
}

bool CanReach(size_t base_runs, size_t next_runs, size_t tests, double alpha) {
  return SmallestP(base_runs, next_runs) * static_cast<double>(std::max<size_t>(tests, 1)) <= alpha * kRounding;
}

size_t RunsNeeded(size_t tests, double alpha) {
  size_t runs = 1;
  while (runs < kMaxRunsNeeded && !CanReach(runs, runs, tests, alpha)) ++runs;
  return runs;
}

std::vector<std::optional<double>> HolmAdjusted(std::span<const std::optional<double>> p) {
  std::vector<size_t> order;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return *p[a] < *p[b]; });
  std::vector<std::optional<double>> adjusted(p.size());
  double reached = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    reached = std::max(reached, std::min(1.0, *p[order[k]] * static_cast<double>(order.size() - k)));
    adjusted[order[k]] = reached;
  }
  return adjusted;
}

std::optional<IntervalCut> IntervalCutFor(size_t base_runs, size_t next_runs, double confidence) {
  if (base_runs == 0 || next_runs == 0) return std::nullopt;
  const std::vector<double> tail = LowerTailOfU(base_runs, next_runs);
  const double outside = (1 - confidence) / 2 * kRounding;
  size_t cut = 0;
  while (cut < tail.size() && tail[cut] <= outside) ++cut;
  if (cut == 0) return std::nullopt;
  return IntervalCut{cut - 1, 1 - 2 * tail[cut - 1]};
}

std::optional<Interval> RelativeChangeInterval(std::span<const double> base, std::span<const double> next,
                                               const std::optional<IntervalCut>& cut) {
  if (!cut || std::any_of(base.begin(), base.end(), [](double v) { return v <= 0; })) return std::nullopt;
  std::vector<double> ratios;
  for (const double b : base) {
    for (const double v : next) ratios.push_back(v / b);
  }
  std::sort(ratios.begin(), ratios.end());
  return Interval{ratios[cut->left_out] - 1, ratios[ratios.size() - 1 - cut->left_out] - 1, cut->confidence};
}

}  // namespace tfprof::compare
