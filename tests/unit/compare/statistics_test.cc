#include "compare/statistics.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

namespace tfprof::compare {
namespace {

using Values = std::vector<double>;

constexpr Direction kMore = Direction::kMore, kLess = Direction::kLess;

// The definition itself: of all ways to choose which values are base's, how many have a rank sum as low (or as high).
double BruteForceP(const Values& base, const Values& next, Direction direction) {
  Values all = base;
  all.insert(all.end(), next.begin(), next.end());
  const auto midrank = [&](double v) {
    const auto below = std::count_if(all.begin(), all.end(), [&](double w) { return w < v; });
    const auto equal = std::count(all.begin(), all.end(), v);
    return static_cast<double>(below) + static_cast<double>(equal + 1) / 2;
  };
  const auto rank_sum = [&](const std::vector<bool>& is_base) {
    double sum = 0;
    for (size_t i = 0; i < all.size(); ++i) sum += is_base[i] ? midrank(all[i]) : 0;
    return sum;
  };
  std::vector<bool> chosen(all.size(), false);
  std::fill(chosen.begin(), chosen.begin() + static_cast<ptrdiff_t>(base.size()), true);
  const double observed = rank_sum(chosen);
  double as_far = 0, total = 0;
  do {
    const double sum = rank_sum(chosen);
    as_far += direction == kMore ? sum <= observed : sum >= observed;
    ++total;
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return as_far / total;
}

std::optional<Interval> IntervalOf(const Values& base, const Values& next, double confidence) {
  return RelativeChangeInterval(base, next, IntervalCutFor(base.size(), next.size(), confidence));
}

TEST_CASE("medians and deviations") {
  CHECK(Median(Values{}) == 0);
  CHECK(Median(Values{3}) == 3);
  CHECK(Median(Values{4, 1, 3, 2}) == 2.5);
  CHECK(Median(Values{5, 1, 3}) == 3);
  CHECK(ScaledMad(Values{1, 1, 2, 2, 4, 6, 9}) == Approx(1.4826));
  CHECK(ScaledMad(Values{7, 7, 7}) == 0);
}

TEST_CASE("the smallest p of n and n runs is half of benchstat's, which is two-sided") {
  const double table[] = {0.10, 0.029, 0.0079, 0.0022, 0.00058, 0.00016, 0.000041};
  for (size_t n = 3; n < 10; ++n) CHECK(2 * SmallestP(n, n) == Approx(table[n - 3]).epsilon(0.05));  // two digits
  CHECK(SmallestP(0, 5) == 1);
  CHECK(SmallestP(1, 1) == 0.5);
  CHECK(SmallestP(5, 5) == Approx(1.0 / 252));
  CHECK(SmallestP(19, 1) == Approx(0.05));
}

TEST_CASE("p of separated sides is the smallest in their direction, and 1 in the other") {
  const Values low = {1, 2, 3, 4, 5}, high = {6, 7, 8, 9, 10};
  CHECK(MannWhitneyP(low, high, kMore) == Approx(1.0 / 252));
  CHECK(MannWhitneyP(high, low, kLess) == Approx(1.0 / 252));
  CHECK(MannWhitneyP(low, high, kLess) == 1);
  CHECK(MannWhitneyP(high, low, kMore) == 1);
}

TEST_CASE("p as R's wilcox.test gives it") {
  // The depression data of ?wilcox.test, taken as unpaired: with ties, where R goes over to the normal distribution.
  const Values x = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const Values y = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  CHECK(MannWhitneyP(x, y, kLess) == Approx(BruteForceP(x, y, kLess)));
  // ?wilcox.test, permeability constants of the human chorioamnion: W = 35, alternative "greater", p = 0.1272.
  const Values term = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  const Values early = {1.15, 0.88, 0.90, 0.74, 1.21};
  CHECK(MannWhitneyP(early, term, kMore) == Approx(0.1272).epsilon(0.001));
  CHECK(MannWhitneyP(term, early, kLess) == Approx(0.1272).epsilon(0.001));
}

TEST_CASE("p with and without ties is that of all permutations") {
  uint32_t state = 12345;
  const auto draw = [&](uint32_t below) { return (state = state * 1664525U + 1013904223U) / 65536U % below; };
  for (int round = 0; round < 200; ++round) {
    Values base(1 + draw(6)), next(1 + draw(6));
    const uint32_t values = round % 2 == 0 ? 5 : 1000;
    for (double& v : base) v = draw(values);
    for (double& v : next) v = draw(values);
    CAPTURE(base, next);
    const double more = MannWhitneyP(base, next, kMore), less = MannWhitneyP(base, next, kLess);
    CHECK(more == Approx(BruteForceP(base, next, kMore)).epsilon(1e-12));
    CHECK(less == Approx(BruteForceP(base, next, kLess)).epsilon(1e-12));
    CHECK(less == Approx(MannWhitneyP(next, base, kMore)).epsilon(1e-12));
  }
}

TEST_CASE("a long history against few runs") {
  Values history(50), next = {50, 51, 52};
  std::iota(history.begin(), history.end(), 0.0);
  CHECK(MannWhitneyP(history, next, kMore) == Approx(SmallestP(50, 3)));
  CHECK(MannWhitneyP(history, next, kMore) == Approx(6.0 / (53 * 52 * 51)));
  CHECK(MannWhitneyP(next, history, kLess) == Approx(6.0 / (53 * 52 * 51)));
  next[0] = 48.5;  // below one run of the history: two ways to be as far
  CHECK(MannWhitneyP(history, next, kMore) == Approx(12.0 / (53 * 52 * 51)));
  CHECK(IntervalCutFor(50, 3, 0.95)->left_out == IntervalCutFor(3, 50, 0.95)->left_out);
}

TEST_CASE("equal values have p 1, also where the normal distribution stands in") {
  for (const Direction direction : {kMore, kLess}) {
    CHECK(MannWhitneyP(Values(5, 3.0), Values(5, 3.0), direction) == 1);
    CHECK(MannWhitneyP(Values(50, 3.0), Values(50, 3.0), direction) == 1);
    CHECK(MannWhitneyP(Values{}, Values{1}, direction) == 1);
  }
}

TEST_CASE("beyond 60 runs the normal distribution is close to the exact one") {
  // 31 and 30 runs, U = 325 of 930; its exact p by Mann and Whitney's recursion in whole numbers, outside of this code.
  Values base(31), next(30);
  std::iota(base.begin(), base.end(), 0.0);
  for (size_t i = 0; i < next.size(); ++i) next[i] = static_cast<double>(i) + 5.5;
  CHECK(MannWhitneyP(base, next, kMore) == Approx(0.0218006).epsilon(0.02));
  CHECK(MannWhitneyP(next, base, kLess) == Approx(0.0218006).epsilon(0.02));
  CHECK(MannWhitneyP(base, next, kLess) == Approx(1 - 0.0218006).epsilon(0.002));
}

TEST_CASE("runs needed for a number of tests") {
  CHECK(RunsNeeded(1, 0.05) == 3);
  CHECK(RunsNeeded(6, 0.05) == 5);
  CHECK(RunsNeeded(12, 0.05) == 5);
  CHECK(RunsNeeded(13, 0.05) == 6);
  CHECK(RunsNeeded(40, 0.05) == 6);
  CHECK(RunsNeeded(80, 0.05) == 7);
  CHECK(RunsNeeded(300, 0.05) == 8);
  CHECK(RunsNeeded(0, 0.05) == 3);
  CHECK(RunsNeeded(1, 0) == 500);
  CHECK(CanReach(3, 3, 1, 0.05));
  CHECK(!CanReach(3, 3, 2, 0.05));
  CHECK(CanReach(19, 1, 1, 0.05));
}

TEST_CASE("Holm: the smallest times all, never below one before, absent ones are no tests") {
  const std::vector<std::optional<double>> p = {0.01, std::nullopt, 0.04, 0.03, 0.005};
  const auto adjusted = HolmAdjusted(p);
  CHECK(*adjusted[4] == Approx(0.02));
  CHECK(*adjusted[0] == Approx(0.03));
  CHECK(*adjusted[3] == Approx(0.06));
  CHECK(*adjusted[2] == Approx(0.06));
  CHECK(!adjusted[1]);
  CHECK(*HolmAdjusted(std::vector<std::optional<double>>{0.9, 0.8})[0] == 1);
}

TEST_CASE("the interval of ratios is cut by the exact distribution") {
  const Values base = {100, 101, 102, 103}, next = {110, 111, 112, 113};
  const auto interval = IntervalOf(base, next, 0.95);
  REQUIRE(interval);
  CHECK(interval->confidence == Approx(1 - 2.0 / 70));  // 4 and 4 runs: only the outermost ratios
  CHECK(interval->low == Approx(110.0 / 103 - 1));
  CHECK(interval->high == Approx(113.0 / 100 - 1));
  CHECK(!IntervalOf(Values{1, 2, 3}, Values{1, 2, 3}, 0.95));  // 90 % is all that 3 and 3 give
  CHECK(IntervalOf(Values{1, 2, 3}, Values{1, 2, 3}, 0.90));
  CHECK(!IntervalOf(Values{0, 1, 2, 3}, next, 0.95));
  CHECK(IntervalOf(base, Values{0, 0, 0, 0}, 0.95)->high == Approx(-1));
}

TEST_CASE("the interval of 5 and 5 leaves two ratios out at each end") {  // R: qwilcox(0.025, 5, 5) = 3, so W < 3
  const Values base(5, 1.0), next = {1, 2, 3, 4, 5};
  const auto interval = IntervalOf(base, next, 0.95);
  REQUIRE(interval);
  CHECK(interval->confidence == Approx(1 - 2 * 4.0 / 252));
  CHECK(interval->low == 0);
  CHECK(interval->high == 4);
}

TEST_CASE("intervals of many runs: the normal distribution is close to the exact one") {
  Values base(30), next(31);
  for (size_t i = 0; i < 30; ++i) base[i] = 100 + static_cast<double>(i * 7 % 30) / 10;
  for (size_t i = 0; i < 31; ++i) next[i] = 105 + static_cast<double>(i * 11 % 31) / 10;
  const auto approximate = IntervalOf(base, next, 0.95);
  next.pop_back();
  const auto exact = IntervalOf(base, next, 0.95);
  REQUIRE(approximate);
  REQUIRE(exact);
  CHECK(approximate->low == Approx(exact->low).margin(0.001));
  CHECK(approximate->high == Approx(exact->high).margin(0.001));
  CHECK(approximate->confidence >= 0.95);
}

}  // namespace
}  // namespace tfprof::compare
