// What is in a profile, counted lane by lane.
#include "analyze/inventory.h"

#include <catch2/catch.hpp>

#include "support/recording_sink.h"

namespace tfprof::analyze {
namespace {

using namespace tfprof::testing;
using trace::EventBatch;
using trace::LaneInfo;
using trace::Op;
using trace::Role;
using trace::Side;

LaneInfo At(uint32_t plane, uint32_t lane, std::string_view name, Role role = Role::kHostOps) {
  LaneInfo info;
  info.plane_index = plane;
  info.lane_index = lane;
  info.plane = plane == 0 ? "/host:CPU" : "/device:GPU:0";
  info.side = plane == 0 ? Side::kHost : Side::kDevice;
  info.name = name;
  info.id = int64_t{-1} << 40 | lane;
  info.role = role;
  return info;
}

// A lane of its own in an inventory of its own.
LaneInventory Count(const std::vector<std::vector<SeenEvent>>& batches) {
  Inventory inventory;
  trace::LaneConsumer* lane = inventory.Open(At(0, 0, "t"));
  for (const std::vector<SeenEvent>& batch : batches) Push(batch, lane);
  lane->Close();
  return std::move(inventory).Finish().at(0).lanes.at(0);
}

TEST_CASE("events, those that are ops, and their span") {
  const LaneInventory lane = Count({{{10, 5, 0}, {11, 100, Op::kNone}, {12, 1, 3}}, {{50, 2, 0}}});
  CHECK(lane.events == 4);
  CHECK(lane.ops == 3);
  CHECK(lane.timed);
  CHECK(lane.first_ps == 10);
  CHECK(lane.last_ps == 111);  // events that are no ops have a place in time too
}

TEST_CASE("a lane without events has no span") {
  for (const LaneInventory& lane : {Count({}), Count({{}, {}})}) {
    CHECK(lane.events == 0);
    CHECK_FALSE(lane.timed);
  }
}

TEST_CASE("aggregates count as often as they say, and have no place in time") {
  const LaneInventory lane = Count({{{0, 1'000'000, 1, EventBatch::kOutOfTime, 40}, {0, 5, Op::kNone, EventBatch::kOutOfTime, 2}}});
  CHECK(lane.events == 42);
  CHECK(lane.ops == 40);
  CHECK_FALSE(lane.timed);
  const LaneInventory mixed = Count({{{-500, 900, 1, EventBatch::kOutOfTime}, {100, 1, 1}, {105, 1, 1}}});
  CHECK(mixed.events == 3);
  CHECK(mixed.first_ps == 100);
  CHECK(mixed.last_ps == 106);
}

TEST_CASE("spans at the limits of int64") {
  const LaneInventory lane = Count({{{INT64_MIN, 1, 0}, {INT64_MAX - 1, 1, 0}}});
  CHECK(lane.first_ps == INT64_MIN);
  CHECK(lane.last_ps == INT64_MAX);
}

TEST_CASE("lanes stand in file order, whatever order they were read in; views and others are counted too") {
  Inventory inventory;
  trace::LaneConsumer* last = inventory.Open(At(1, 1, "Steps", Role::kView));
  trace::LaneConsumer* first = inventory.Open(At(0, 7, "t", Role::kHostOps));
  trace::LaneConsumer* second = inventory.Open(At(1, 0, "Stream #1", Role::kStream));
  Push({{1, 1, 0}}, last);
  Push({{2, 2, 0}, {3, 3, 0}}, second);
  last->Close();
  first->Close();
  trace::LaneConsumer* other = inventory.Open(At(0, 9, "", Role::kOther));
  Push({{4, 4, Op::kNone}}, other);
  Push({{5, 5, 0}}, second);
  second->Close();
  other->Close();
  const std::vector<PlaneInventory> planes = std::move(inventory).Finish();
  REQUIRE(planes.size() == 2);
  CHECK(planes[0].name == "/host:CPU");
  CHECK(planes[1].name == "/device:GPU:0");
  REQUIRE(planes[0].lanes.size() == 2);
  REQUIRE(planes[1].lanes.size() == 2);
  CHECK(planes[0].lanes[0].name == "t");
  CHECK(planes[0].lanes[0].id == std::to_string(int64_t{-1} << 40 | 7));
  CHECK(planes[0].lanes[1].role == Role::kOther);
  CHECK(planes[0].events() == 1);
  CHECK(planes[1].lanes[0].events == 3);
  CHECK(planes[1].lanes[0].side == Side::kDevice);
  CHECK(planes[1].lanes[1].role == Role::kView);
  CHECK(planes[1].events() == 4);
}

TEST_CASE("inventories of several threads are one") {
  Inventory a, b, none;
  trace::LaneConsumer* of_a = a.Open(At(0, 1, "a"));
  trace::LaneConsumer* of_b = b.Open(At(0, 0, "b"));
  Push({{1, 1, 0}}, of_a);
  Push({{2, 1, 0}, {3, 1, 0}}, of_b);
  of_a->Close();
  of_b->Close();
  a.Merge(std::move(b));
  a.Merge(std::move(none));
  const std::vector<PlaneInventory> planes = std::move(a).Finish();
  REQUIRE(planes.size() == 1);
  REQUIRE(planes[0].lanes.size() == 2);
  CHECK(planes[0].lanes[0].name == "b");
  CHECK(planes[0].events() == 3);
  CHECK(Inventory().Finish().empty());
}

}  // namespace
}  // namespace tfprof::analyze
