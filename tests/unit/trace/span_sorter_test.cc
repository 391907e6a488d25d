// Spans come out by lane, start, longer first and arrival, whether they fit into memory or not.
#include "trace/span_sorter.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <tuple>
#include <vector>

#include "support/temp_tree.h"

namespace tfprof::trace {
namespace {

using tfprof::testing::TempTree;

WaitingSpan Span(uint32_t lane, int64_t start_ps, int64_t duration_ps, uint32_t op) {
  return {lane, op, start_ps, duration_ps, 0};
}

// The ops in the order in which they are visited.
std::vector<uint32_t> Visit(SpanSorter* sorter) {
  std::vector<uint32_t> ops;
  REQUIRE_FALSE(sorter->Finish([&](const WaitingSpan& span) { ops.push_back(span.op); }));
  return ops;
}

TEST_CASE("by lane, start, longer first, then arrival") {
  SpanSorter sorter("not needed");
  for (const WaitingSpan& span : {Span(1, 0, 5, 6), Span(0, 7, 1, 4), Span(0, 7, 9, 2), Span(0, INT64_MIN, 1, 1),
                                  Span(0, INT64_MAX, 0, 5), Span(0, 7, 9, 3), Span(UINT32_MAX, 0, 0, 7)}) {
    REQUIRE_FALSE(sorter.Add(span));
  }
  CHECK(sorter.size() == 7);
  CHECK(Visit(&sorter) == std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("a span that is to be last comes after all that are equal but for their arrival") {
  SpanSorter sorter("not needed");
  REQUIRE_FALSE(sorter.Add(Span(0, 5, 5, 3), true));
  REQUIRE_FALSE(sorter.Add(Span(0, 5, 5, 4), true));
  REQUIRE_FALSE(sorter.Add(Span(0, 5, 5, 1)));
  REQUIRE_FALSE(sorter.Add(Span(0, 5, 5, 2)));
  REQUIRE_FALSE(sorter.Add(Span(0, 5, 4, 5)));
  CHECK(Visit(&sorter) == std::vector<uint32_t>{1, 2, 3, 4, 5});
}

TEST_CASE("without spans nothing is visited") {
  SpanSorter sorter("not needed");
  CHECK(sorter.size() == 0);
  CHECK(Visit(&sorter).empty());
}

TEST_CASE("more than fits into memory waits in a file without a name") {
  const TempTree dir;
  std::mt19937 random(3);
  SpanSorter sorter(dir.Path(""));
  const size_t count = SpanSorter::kSpansInMemory * 2 + 12'345;
  for (size_t i = 0; i < count; ++i) {
    const bool last = i % 97 == 0;
    REQUIRE_FALSE(sorter.Add(Span(static_cast<uint32_t>(random() % 5), static_cast<int64_t>(random() % 1000),
                                  static_cast<int64_t>(random() % 3), static_cast<uint32_t>(i)),
                             last));
  }
  CHECK(std::filesystem::is_empty(dir.Path("")));
  CHECK(sorter.size() == count);
  size_t visited = 0;
  bool ordered = true;
  WaitingSpan before;
  REQUIRE_FALSE(sorter.Finish([&](const WaitingSpan& span) {
    const auto key = [](const WaitingSpan& s) { return std::tuple(s.lane, s.start_ps, -s.duration_ps, s.arrival); };
    ordered = ordered && (visited == 0 || key(before) < key(span)) && (span.arrival & ~SpanSorter::kLast) == span.op;
    ++visited;
    before = span;
  }));
  CHECK(visited == count);
  CHECK(ordered);
}

TEST_CASE("a full memory and nowhere to write is an error") {
  const TempTree dir;
  SpanSorter sorter(dir.Path("nowhere"));
  Status failed;
  for (size_t i = 0; i < SpanSorter::kSpansInMemory; ++i) {
    REQUIRE_FALSE(failed);
    failed = sorter.Add(Span(0, 0, 0, 0));
  }
  REQUIRE(failed);
  CHECK(failed->code == DiagCode::kUnreadableInput);
  CHECK_THAT(failed->message, Catch::Contains("nowhere") && Catch::Contains("set TMPDIR"));
}

}  // namespace
}  // namespace tfprof::trace
