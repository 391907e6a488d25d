// Which marker of a step a moment belongs to.
#include "formats/chrome/timeline_steps.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace tfprof::chrome {
namespace {

struct Marks {
  std::string text;
  EventIndex index;

  Marks() { index.lanes.emplace_back().placement.placed = true; }
  void Add(int64_t start_ps, int64_t end_ps, const std::string& name) {
    IndexedEvent mark;
    mark.lane = 0;
    mark.start_ps = start_ps;
    mark.duration_ps = end_ps - start_ps;
    mark.offset = text.size();
    text += R"({"name":")" + name + "\"}\n";
    index.step_marks.push_back(mark);
  }
  TimelineSteps Steps() const { return TimelineSteps(text, index, Dialect::kKineto); }
};

TEST_CASE("a moment belongs to the last marker around it") {
  Marks marks;
  marks.Add(10, 100, "outer");
  marks.Add(20, 30, "inner");
  marks.Add(25, 60, "overlaps");
  marks.Add(200, 200, "empty");
  marks.Add(150, 160, "late");
  const TimelineSteps steps = marks.Steps();
  // In order of their starts: outer, inner, overlaps, late, empty.
  for (const auto& [at, step] : std::vector<std::pair<int64_t, int64_t>>{{9, -1},
                                                                         {10, 0},
                                                                         {19, 0},
                                                                         {20, 1},
                                                                         {24, 1},
                                                                         {25, 2},
                                                                         {59, 2},
                                                                         {60, 0},
                                                                         {99, 0},
                                                                         {100, -1},
                                                                         {150, 3},
                                                                         {159, 3},
                                                                         {160, -1},
                                                                         {200, -1},
                                                                         {300, -1}}) {
    INFO(at);
    CHECK(steps.At(at) == step);
  }
  CHECK(steps.MarkedBy(0) == "outer");
}

TEST_CASE("of markers with one start the one written last counts") {
  Marks marks;
  marks.Add(10, 100, "a");
  marks.Add(10, 50, "b");
  CHECK(marks.Steps().At(10) == 1);
  CHECK(marks.Steps().At(60) == 0);
}

TEST_CASE("many short markers within a long one cost little") {
  Marks marks;
  constexpr int64_t kMany = 100'000;
  marks.Add(0, 10 * kMany, "long");
  for (int64_t i = 0; i < kMany; ++i) marks.Add(i, i + 1, "short");
  const TimelineSteps steps = marks.Steps();
  for (int64_t at = kMany; at < 3 * kMany; ++at) {
    if (steps.At(at) != 0) FAIL(at);
  }
  CHECK(steps.At(5) == 6);
}

TEST_CASE("no marker, no step") { CHECK(Marks().Steps().At(0) == -1); }

}  // namespace
}  // namespace tfprof::chrome
