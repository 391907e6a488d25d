// Busy intervals against a plain vector of them.
#include "analyze/intervals.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <utility>
#include <vector>

namespace tfprof::analyze {
namespace {

using Interval = std::pair<int64_t, int64_t>;

std::vector<Interval> UnionOf(std::vector<Interval> all) {
  std::sort(all.begin(), all.end());
  std::vector<Interval> out;
  for (const Interval& next : all) {
    if (!out.empty() && next.first <= out.back().second) {
      out.back().second = std::max(out.back().second, next.second);
    } else {
      out.push_back(next);
    }
  }
  return out;
}

IntervalList ListOf(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  IntervalList list;
  for (const auto& [start, end] : intervals) list.Add(start, end);
  return list;
}

void CheckIs(const IntervalList& list, const std::vector<Interval>& want) {
  std::vector<Interval> got;
  list.ForEach([&](int64_t start, int64_t end) { got.emplace_back(start, end); });
  CHECK(got == want);
  CHECK(list.empty() == want.empty());
  uint64_t busy = 0;
  for (const auto& [start, end] : want) busy += static_cast<uint64_t>(end - start);
  CHECK(list.busy_ps() == busy);
  if (want.empty()) return;
  CHECK(list.first_ps() == want.front().first);
  CHECK(list.last_ps() == want.back().second);
  CHECK(list.span_ps() == static_cast<uint64_t>(want.back().second) - static_cast<uint64_t>(want.front().first));
}

BusyTime TimeOf(const std::vector<Interval>& intervals) {
  BusyTime time;
  for (const auto& [start, end] : intervals) time.busy_ps += static_cast<uint64_t>(end - start);
  if (!intervals.empty()) time.span_ps = static_cast<uint64_t>(intervals.back().second - intervals.front().first);
  return time;
}

// Intervals of any length, in ns or ps, near and far.
class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}
  std::vector<Interval> Some(size_t most, int64_t unit_ps, int longest_bits) {
    std::vector<Interval> out;
    int64_t at = static_cast<int64_t>(random_() % 1000) * unit_ps;
    for (size_t n = random_() % (most + 1); n > 0; --n) {
      const auto length = [&] { return static_cast<int64_t>(random_() % (uint64_t{1} << (random_() % longest_bits))); };
      at += length() * unit_ps;
      const int64_t end = at + length() * unit_ps;
      out.emplace_back(at, end);
      if (random_() % 2 == 0) at = end;
    }
    return out;
  }

 private:
  std::mt19937_64 random_;
};

TEST_CASE("an empty list") {
  CheckIs(IntervalList(), {});
  CHECK(IntervalList().span_ps() == 0);
  CheckIs(IntervalList::Merge(IntervalList(), IntervalList()), {});
}

TEST_CASE("touching and overlapping intervals are one, instants are kept") {
  CheckIs(ListOf({{1000, 2000}, {2000, 3000}, {2500, 2600}, {5000, 5000}, {7000, 7001}}),
          {{1000, 3000}, {5000, 5000}, {7000, 7001}});
}

TEST_CASE("the widest times there are") {
  const int64_t low = INT64_MIN / 2, high = INT64_MAX / 2;
  CheckIs(ListOf({{low, low + 1}, {0, 0}, {high, high + 5}}), {{low, low + 1}, {0, 0}, {high, high + 5}});
}

TEST_CASE("every way of writing a gap and a length") {
  std::vector<int64_t> lengths;
  for (const int64_t ns : {int64_t{1}, int64_t{0xfffc}, int64_t{0xfffd}, int64_t{0xffff}, int64_t{0x10000},
                           int64_t{4'294'967}, int64_t{4'294'968}, int64_t{UINT32_MAX}, int64_t{UINT32_MAX} + 1}) {
    for (const int64_t ps : {int64_t{0}, int64_t{1}, int64_t{999}}) lengths.push_back(ns * 1000 + ps);
  }
  for (const int64_t gap : lengths) {
    for (const int64_t length : lengths) {
      const int64_t second = 10 + gap, third = second + length + gap;
      const std::vector<Interval> want = {{0, 10}, {second, second + length}, {third, third + 1}};
      CAPTURE(gap, length);
      CheckIs(ListOf(want), want);
      CheckIs(ListOf(want).Copy(), want);
    }
  }
}

TEST_CASE("lists and unions of random intervals") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Maker maker(seed);
    const int64_t unit_ps = seed % 3 == 0 ? 1 : 1000;
    const int longest = seed % 2 == 0 ? 10 : 40;
    std::vector<Interval> all;
    BusyUnion busy, other;
    for (size_t lane = 0; lane < 1 + seed % 7; ++lane) {
      const std::vector<Interval> some = maker.Some(60, unit_ps, longest);
      all.insert(all.end(), some.begin(), some.end());
      CAPTURE(seed, lane);
      CheckIs(ListOf(some), UnionOf(some));
      (lane % 2 == 0 ? busy : other).Add(ListOf(some));
    }
    busy.Merge(std::move(other));
    if (seed % 2 == 0) busy.Settle();
    const BusyTime time = std::move(busy).Measure();
    const BusyTime want = TimeOf(UnionOf(all));
    CHECK(time.span_ps == want.span_ps);
    CHECK(time.busy_ps == want.busy_ps);
  }
}

TEST_CASE("lists of many chunks") {
  Maker maker(1);
  const std::vector<Interval> a = maker.Some(200'000, 1000, 12), b = maker.Some(200'000, 1000, 18);
  std::vector<Interval> all = a;
  all.insert(all.end(), b.begin(), b.end());
  CHECK(ListOf(a).words() > 64'000);
  CheckIs(ListOf(a), UnionOf(a));
  CheckIs(IntervalList::Merge(ListOf(a), ListOf(b)), UnionOf(all));
  CheckIs(IntervalList::Merge(ListOf(b), ListOf(a)), UnionOf(all));
  CHECK(IntervalList::MeasureUnion(ListOf(a), ListOf(b)).busy_ps == TimeOf(UnionOf(all)).busy_ps);
}

}  // namespace
}  // namespace tfprof::analyze
