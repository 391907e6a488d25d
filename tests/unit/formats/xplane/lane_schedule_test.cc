// Which lanes are read on two threads, and in which order the others are.
#include "formats/xplane/lane_schedule.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

namespace tfprof::xplane {
namespace {

using Places = std::vector<std::pair<size_t, size_t>>;  // plane, lane

constexpr uint64_t kMib = 1 << 20;

// Planes of lanes of so many MiB.
FilePlan PlanOf(const std::vector<std::vector<uint64_t>>& planes) {
  FilePlan plan;
  for (const std::vector<uint64_t>& lanes : planes) {
    PlanePlan& plane = plan.planes.emplace_back();
    for (const uint64_t mib : lanes) {
      plane.lanes.emplace_back().bytes = mib * kMib;
      plane.bytes += mib * kMib;
    }
  }
  return plan;
}

Places PlacesOf(const std::vector<LaneTask>& tasks) {
  Places places;
  for (const LaneTask& task : tasks) places.emplace_back(task.plane, task.lane);
  return places;
}

TEST_CASE("lanes are shared plane by plane, the largest first; equal ones in file order") {
  const LaneSchedule schedule = ScheduleLanes(PlanOf({{1, 3}, {2, 5, 5}}), 4);
  CHECK(schedule.giants.empty());
  CHECK(PlacesOf(schedule.shared) == Places{{1, 1}, {1, 2}, {1, 0}, {0, 1}, {0, 0}});
  CHECK(schedule.bytes == 16 * kMib);
}

TEST_CASE("a lane that leaves the other threads idle is read on two") {
  const LaneSchedule schedule = ScheduleLanes(PlanOf({{10}, {5, 400}}), 2);
  CHECK(PlacesOf(schedule.giants) == Places{{1, 1}});
  CHECK(PlacesOf(schedule.shared) == Places{{1, 0}, {0, 0}});
  CHECK(schedule.bytes == 415 * kMib);
}

TEST_CASE("two lanes of half the file each are read side by side, a thread each") {
  CHECK(ScheduleLanes(PlanOf({{101, 99}}), 2).giants.empty());
  CHECK(ScheduleLanes(PlanOf({{120, 80}}), 2).giants.empty());
  CHECK(ScheduleLanes(PlanOf({{100, 100, 100}}), 4).giants.empty());
}

TEST_CASE("several giants, one after the other") {
  CHECK(PlacesOf(ScheduleLanes(PlanOf({{100}, {1000}}), 2).giants) == Places{{1, 0}, {0, 0}});
}

TEST_CASE("no giants on one thread or in a small file") {
  CHECK(ScheduleLanes(PlanOf({{400}}), 1).giants.empty());
  CHECK(ScheduleLanes(PlanOf({{7}}), 2).giants.empty());
  CHECK(ScheduleLanes(FilePlan(), 2).shared.empty());
}

}  // namespace
}  // namespace tfprof::xplane
