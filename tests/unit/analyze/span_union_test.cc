#include "analyze/span_union.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <utility>
#include <vector>

namespace tfprof::analyze {
namespace {

std::vector<std::pair<uint64_t, uint64_t>> Pairs(const std::vector<TimeSpan>& spans) {
  std::vector<std::pair<uint64_t, uint64_t>> pairs;
  for (const TimeSpan& span : spans) pairs.emplace_back(span.begin_ps, span.end_ps);
  return pairs;
}

TEST_CASE("spans that overlap or touch are one, in any order") {
  SpanUnion all;
  for (const TimeSpan& span : std::vector<TimeSpan>{{50, 60}, {10, 20}, {20, 25}, {58, 70}, {0, 5}, {12, 14}}) all.Add(span);
  CHECK(Pairs(all.Joined()) == std::vector<std::pair<uint64_t, uint64_t>>{{0, 5}, {10, 25}, {50, 70}});
  CHECK(LengthWithin(all.Joined(), {3, 60}) == 2 + 15 + 10);
}

TEST_CASE("a union of many lines is that of every moment, whatever the order") {
  std::mt19937 random(7);
  for (const bool sorted : {true, false}) {
    std::vector<bool> covered(20'000);
    SpanUnion all, part;
    for (int line = 0; line < 33; ++line) {
      uint64_t at = 0;
      for (int i = 0; i < 100; ++i) {
        at = sorted ? at + random() % 190 : random() % 19'000;
        const TimeSpan span{at, at + random() % 60};
        for (uint64_t t = span.begin_ps; t < span.end_ps; ++t) covered[t] = true;
        if (span.length_ps() > 0) (line < 20 ? all : part).Add(span);
      }
    }
    all.Merge(part);
    uint64_t length = 0, before = 0;
    for (const TimeSpan& span : all.Joined()) {
      CHECK((length == 0 || span.begin_ps > before));
      for (uint64_t t = span.begin_ps; t < span.end_ps; ++t) CHECK(covered[t]);
      length += span.length_ps();
      before = span.end_ps;
    }
    CHECK(length == static_cast<uint64_t>(std::count(covered.begin(), covered.end(), true)));
  }
}

}  // namespace
}  // namespace tfprof::analyze
