// Busy intervals against a plain vector of them.
#include "analyze/intervals.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "support/interval_maker.h"

namespace tfprof::analyze {
namespace {

using namespace tfprof::testing;

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

TEST_CASE("an empty list") {
  CheckIs(IntervalList(), {});
  CHECK(IntervalList().span_ps() == 0);
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

TEST_CASE("lists of random intervals") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    const std::vector<Interval> some =
        IntervalMaker(seed).Some(200, seed % 3 == 0 ? 1 : 1000, seed % 2 == 0 ? 10 : 40);
    CheckIs(ListOf(some), UnionOf(some));
    // Many at a time, in pieces of any size, give the same.
    std::vector<IntervalList::Interval> sorted;
    for (const auto& [start, end] : some) sorted.push_back({start, end});
    IntervalList list;
    for (size_t at = 0; at < sorted.size(); at += 1 + seed % 50) {
      list.Add(&sorted[at], std::min(sorted.size() - at, size_t{1} + seed % 50));
    }
    CheckIs(list, UnionOf(some));
    CheckIs(list.Copy(), UnionOf(some));
  }
}

TEST_CASE("lists of many chunks") {
  const std::vector<Interval> a = IntervalMaker(1).Some(200'000, 1000, 12);
  CHECK(ListOf(a).words() > 64'000);
  CheckIs(ListOf(a), UnionOf(a));
  CheckIs(ListOf(a).Copy(), UnionOf(a));
  IntervalList consumed = ListOf(a);
  IntervalList::Reader reader(&consumed);
  std::vector<IntervalList::Interval> block(1000);
  std::vector<Interval> got;
  while (const size_t n = reader.Read(block.data(), 1 + got.size() % 999)) {
    for (size_t i = 0; i < n; ++i) got.emplace_back(block[i].start_ps, block[i].end_ps);
  }
  CHECK(got == UnionOf(a));
}

}  // namespace
}  // namespace tfprof::analyze
