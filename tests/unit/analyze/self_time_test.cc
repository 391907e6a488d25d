#include "analyze/self_time.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
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

std::set<int64_t> Covered(const std::vector<Span>& spans) {
  std::set<int64_t> moments;
  for (const Span& span : spans) {
    for (int64_t t = span.start; t < span.end; ++t) moments.insert(t);
  }
  return moments;
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
    std::vector<Span> outermost;
    {
      SelfTimeStack::Pusher pusher(&stack);
      for (size_t i = 0; i < spans.size(); ++i) {
        if (!pusher.Push(spans[i].start, spans[i].end, static_cast<uint32_t>(i), credit)) outermost.push_back(spans[i]);
      }
    }
    CHECK(self == ByHand(spans, 70));
    // With a place for the time that no event has the same.
    std::vector<uint64_t> also(spans.size() + 1);
    const auto credit_unowned = [&](uint32_t op, uint64_t ps) { also[op + 1] += ps; };
    std::vector<Span> outermost_also;
    SelfTimeStack other;
    SelfTimeStack::Pusher on_unowned(&other);
    on_unowned.Reserve(spans.size());
    for (size_t i = 0; i < spans.size(); ++i) {
      const auto op = static_cast<uint32_t>(i);
      bool within = false;
      if (!on_unowned.PushInside(spans[i].start, spans[i].end, op, credit_unowned, &within)) {
        within = on_unowned.Push(spans[i].start, spans[i].end, op, credit_unowned);
      }
      if (!within) outermost_also.push_back(spans[i]);
    }
    CHECK(std::vector<uint64_t>(also.begin() + 1, also.end()) == self);
    CHECK(Covered(outermost_also) == Covered(spans));
    CHECK(Covered(outermost) == Covered(spans));
  }
}

TEST_CASE("overlaps beyond the clock's tolerance are counted") {
  SelfTimeStack stack;
  SelfTimeStack::Pusher pusher(&stack);
  const auto credit = [](uint32_t, uint64_t) {};
  pusher.Push(0, 100'000, 0, credit);
  pusher.Push(50'000, 105'000, 1, credit);  // ends 5 ns late: a child
  CHECK(stack.overlaps() == 0);
  pusher.Push(60'000, 200'000, 2, credit);
  CHECK(stack.overlaps() == 1);
  CHECK(stack.first_overlap_ps() == 60'000);
  stack.Clear();
  CHECK(stack.overlaps() == 0);
}

TEST_CASE("the axis' last moments and depths beyond any first guess are no trouble") {
  SelfTimeStack stack;
  std::map<uint32_t, uint64_t> self;
  const auto credit = [&](uint32_t op, uint64_t ps) { self[op] += ps; };
  {
    SelfTimeStack::Pusher pusher(&stack);
    for (int64_t i = 0; i < 1000; ++i) pusher.Push(i, INT64_MAX - i, static_cast<uint32_t>(i), credit);
    CHECK_FALSE(pusher.Around(INT64_MAX));
    pusher.Push(INT64_MAX, INT64_MAX, 5000, credit);
    pusher.Push(INT64_MAX, INT64_MAX, 5001, credit);
  }
  CHECK(self[0] == 2);
  CHECK(self[998] == 2);
  CHECK(self[999] == static_cast<uint64_t>(INT64_MAX) - 2 * 999);
  CHECK(self[5001] == 0);
  stack.Clear();
  SelfTimeStack::Pusher pusher(&stack);
  CHECK_FALSE(pusher.Push(0, 10, 1, credit));
}

}  // namespace
}  // namespace tfprof::analyze
