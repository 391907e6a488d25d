#include "analyze/self_time.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

namespace tfprof::analyze {
namespace {

struct Span {
  int64_t start, end;
};

// Each moment belongs to the event that began last: second by second.
std::vector<uint64_t> ByHand(const std::vector<Span>& spans, int64_t until) {
  std::vector<uint64_t> self(spans.size());
  for (int64_t t = 0; t < until; ++t) {
    int owner = -1;
    for (size_t i = 0; i < spans.size(); ++i) {
      if (spans[i].start <= t && t < spans[i].end) owner = static_cast<int>(i);
    }
    if (owner >= 0) ++self[static_cast<size_t>(owner)];
  }
  return self;
}

TEST_CASE("self times are what a clock would say, for any overlap") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<Span> spans(1 + random() % 12);
    for (Span& s : spans) {
      s.start = static_cast<int64_t>(random() % 40);
      s.end = s.start + static_cast<int64_t>(random() % 20);
    }
    std::stable_sort(spans.begin(), spans.end(),
                     [](const Span& a, const Span& b) { return a.start != b.start ? a.start < b.start : a.end > b.end; });
    std::vector<uint64_t> self(spans.size());
    SelfTimeStack stack;
    const auto credit = [&](uint32_t op, uint64_t ps) { self[op] += ps; };
    for (size_t i = 0; i < spans.size(); ++i) stack.Push(spans[i].start, spans[i].end, static_cast<uint32_t>(i), credit);
    stack.Finish(credit);
    CHECK(self == ByHand(spans, 70));
  }
}

TEST_CASE("overlaps beyond the clock's tolerance are counted") {
  SelfTimeStack stack;
  const auto credit = [](uint32_t, uint64_t) {};
  stack.Push(0, 100'000, 0, credit);
  stack.Push(50'000, 105'000, 1, credit);  // ends 5 ns late: a child
  CHECK(stack.overlaps() == 0);
  stack.Push(60'000, 200'000, 2, credit);
  CHECK(stack.overlaps() == 1);
}

}  // namespace
}  // namespace tfprof::analyze
