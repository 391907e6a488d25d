// Unions of busy intervals against a plain vector of them.
#include "analyze/busy_union.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "support/interval_maker.h"

namespace tfprof::analyze {
namespace {

using namespace tfprof::testing;

void CheckIs(const BusyTime& time, const std::vector<Interval>& want) {
  uint64_t busy = 0;
  for (const auto& [start, end] : want) busy += static_cast<uint64_t>(end - start);
  CHECK(time.busy_ps == busy);
  CHECK(time.span_ps == (want.empty() ? 0 : static_cast<uint64_t>(want.back().second - want.front().first)));
}

TEST_CASE("a union of nothing") {
  BusyUnion busy;
  busy.Settle();
  busy.Add(IntervalList());
  CHECK(busy.words() == 0);
  CheckIs(std::move(busy).Measure(), {});
}

TEST_CASE("unions of random intervals, on however many lanes and threads") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    IntervalMaker maker(seed);
    const int64_t unit_ps = seed % 3 == 0 ? 1 : 1000;
    const int longest = seed % 2 == 0 ? 10 : 40;
    std::vector<Interval> all;
    BusyUnion busy, other;
    const size_t lanes = seed % 10 == 0 ? 300 : 1 + seed % 7;  // one level, and several
    for (size_t lane = 0; lane < lanes; ++lane) {
      const std::vector<Interval> some = maker.Some(60, unit_ps, longest);
      all.insert(all.end(), some.begin(), some.end());
      (lane % 2 == 0 ? busy : other).Add(ListOf(some));
      if (lane == seed % 40) busy.Settle();
    }
    if (seed % 3 == 0) other.Settle();
    busy.Merge(std::move(other));
    if (seed % 2 == 0) busy.Settle();
    CAPTURE(seed);
    CheckIs(std::move(busy).Measure(), UnionOf(all));
  }
}

TEST_CASE("what is merged takes no more room than the union") {
  BusyUnion busy;
  for (int lane = 0; lane < 100; ++lane) busy.Add(ListOf(IntervalMaker(7).Some(5'000, 1000, 12)));
  busy.Settle();
  CHECK(busy.words() == ListOf(IntervalMaker(7).Some(5'000, 1000, 12)).words());
}

TEST_CASE("long lists with short ones, and instants") {
  std::vector<Interval> all = IntervalMaker(1).Some(200'000, 1000, 18);
  BusyUnion busy;
  busy.Add(ListOf(all));
  for (int64_t i = 0; i < 40; ++i) {
    const std::vector<Interval> some = {{i * 1'000'007, i * 1'000'007}, {i * 9'000'000'019, i * 9'000'000'019 + 5}};
    busy.Add(ListOf(some));
    all.insert(all.end(), some.begin(), some.end());
  }
  CheckIs(std::move(busy).Measure(), UnionOf(all));
}

TEST_CASE("every number of threads measures the same") {
  std::vector<Interval> all;
  std::vector<std::vector<Interval>> lanes;
  for (uint64_t lane = 0; lane < 5; ++lane) {
    lanes.push_back(IntervalMaker(lane).Some(lane == 3 ? 1'000'000 : 200'000, lane % 2 == 0 ? 1000 : 1, 14));
    all.insert(all.end(), lanes.back().begin(), lanes.back().end());
  }
  const std::vector<Interval> want = UnionOf(all);
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    BusyUnion busy;
    for (const std::vector<Interval>& lane : lanes) busy.Add(ListOf(lane));
    if (threads == 2) busy.Settle();
    CAPTURE(threads);
    CheckIs(std::move(busy).Measure(threads), want);
  }
}

}  // namespace
}  // namespace tfprof::analyze
