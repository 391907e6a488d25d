#include "analyze/step_windows.h"

#include <catch2/catch.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace tfprof::analyze {
namespace {

using Span = std::pair<int64_t, int64_t>;

// Steps of one file without devices, each from its markers.
StepWindows WindowsOf(const std::vector<Span>& steps) {
  std::vector<StepRow> rows;
  for (const Span& step : steps) {
    StepRow& row = rows.emplace_back();
    row.group = static_cast<int64_t>(rows.size());
    row.host_from_ps = step.first;
    row.host_to_ps = step.second;
  }
  return StepRuns().WindowsOf(0, rows);
}

std::optional<Span> Clip(const LaneSteps& lane, int64_t start_ps, int64_t end_ps) {
  return lane.Clip(&start_ps, &end_ps) ? std::optional(Span(start_ps, end_ps)) : std::nullopt;
}

TEST_CASE("where steps overlap, a moment belongs to the one that began last") {
  const StepWindows windows = WindowsOf({{0, 100}, {20, 40}, {90, 150}});
  const LaneSteps& host = windows.host();
  const auto at = [&host](int64_t ps) { return host.StepOf(ps, ps + 1); };
  CHECK(at(-1) == kNoStep);
  CHECK(at(0) == 0);
  CHECK(at(20) == 1);
  CHECK(at(40) == 0);
  CHECK(at(90) == 2);
  CHECK(at(149) == 2);
  CHECK(at(150) == kNoStep);
}

TEST_CASE("an instant at a step's end lies in it, unless the next step begins there") {
  const StepWindows windows = WindowsOf({{0, 100}, {100, 200}, {300, 400}});
  const LaneSteps& host = windows.host();
  CHECK(host.StepOf(100, 100) == 1);
  CHECK(host.StepOf(200, 200) == 1);
  CHECK(host.StepOf(200, 201) == kNoStep);
  CHECK(host.StepOf(201, 201) == kNoStep);
}

TEST_CASE("the pieces of chosen steps adjoin each other, so that what lies between them is no time") {
  StepWindows windows = WindowsOf({{0, 100}, {150, 200}, {300, 400}, {500, 600}});
  windows.Keep({false, true, true, false});
  const LaneSteps& host = windows.host();
  CHECK_FALSE(Clip(host, 0, 100));
  CHECK_FALSE(Clip(host, 100, 150));
  CHECK_FALSE(Clip(host, 200, 300));
  CHECK_FALSE(Clip(host, 400, 700));
  CHECK(Clip(host, 160, 170) == Span(160, 170));
  CHECK(Clip(host, 0, 170) == Span(150, 170));
  CHECK(Clip(host, 190, 310) == Span(190, 210));
  CHECK(Clip(host, 190, 250) == Span(190, 200));
  CHECK(Clip(host, 250, 310) == Span(200, 210));
  CHECK(Clip(host, 0, 700) == Span(150, 300));
  CHECK(Clip(host, 310, 310) == Span(210, 210));
  CHECK(Clip(host, 400, 400) == Span(300, 300));
  CHECK_FALSE(Clip(host, 250, 250));
}

TEST_CASE("no step chosen: nothing lies in one") {
  StepWindows windows = WindowsOf({{0, 100}});
  windows.Keep({false});
  CHECK_FALSE(Clip(windows.host(), 0, 100));
  CHECK_FALSE(Clip(windows.host(), 50, 50));
}

TEST_CASE("windows at the ends of time") {
  StepWindows windows = WindowsOf({{INT64_MIN, INT64_MIN + 10}, {INT64_MAX - 10, INT64_MAX}});
  windows.Keep({true, true});
  CHECK(Clip(windows.host(), INT64_MIN, INT64_MIN + 5) == Span(INT64_MIN, INT64_MIN + 5));
  CHECK(Clip(windows.host(), INT64_MAX - 5, INT64_MAX) == Span(INT64_MIN + 15, INT64_MIN + 20));
}

TEST_CASE("an event of a stream belongs whole to a step or not at all") {
  LaneSteps stream;
  stream.whole_events = true;
  stream.pieces = {{0, 100, 0, 0}, {200, INT64_MAX, 1, 0}};
  CHECK(Clip(stream, 90, 150) == Span(90, 150));
  CHECK_FALSE(Clip(stream, 100, 100));  // another group's run begins there
  CHECK_FALSE(Clip(stream, 150, 250));
  CHECK(Clip(stream, 1000, 1100) == Span(1000, 1100));
}

TEST_CASE("steps of several hosts are one, by name; their numbers give the order") {
  std::vector<StepRow> rows(4);
  const char* names[] = {"train 10", "train 9", "train 9", "train 11"};
  for (size_t i = 0; i < 4; ++i) {
    rows[i].name = names[i];
    rows[i].host = i < 2 ? "a" : "b";
    rows[i].file = i < 2 ? 0 : 1;
    rows[i].total_ps = 10 * (i + 1);
  }
  std::vector<uint32_t> numbers;
  const std::vector<StepTime> steps = JoinSteps(rows, &numbers);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].name == "train 9");
  CHECK(steps[0].total_ps == 30);
  CHECK(steps[0].host.empty());
  CHECK(steps[1].host == "a");
  CHECK(numbers == std::vector<uint32_t>{1, 0, 0, 2});
}

}  // namespace
}  // namespace tfprof::analyze
