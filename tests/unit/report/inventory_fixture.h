// Inventories made by hand for the tests of info and the summary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyze/inventory.h"

namespace tfprof {

// `first_us` and `last_us` may be equal; a lane without events has no time.
inline analyze::LaneInventory TestLane(std::string name, int64_t id, trace::Side side, trace::Role role,
                                       uint64_t events, uint64_t ops, int64_t first_us = 0, int64_t last_us = 0) {
  analyze::LaneInventory lane;
  lane.name = std::move(name);
  lane.id = std::to_string(id);
  lane.side = side;
  lane.role = role;
  lane.events = events;
  lane.ops = ops;
  lane.timed = events > 0;
  lane.first_ps = first_us * 1'000'000;
  lane.last_ps = last_us * 1'000'000;
  return lane;
}

inline analyze::PlaneInventory TestPlane(std::string name, std::vector<analyze::LaneInventory> lanes) {
  analyze::PlaneInventory plane;
  plane.name = std::move(name);
  plane.lanes = std::move(lanes);
  return plane;
}

// Two GPUs with two streams and a view, two threads with ops and one without, and a plane without events.
inline analyze::FileInventory TestFile(std::string host) {
  using trace::Role;
  using trace::Side;
  analyze::FileInventory file;
  file.path = "logs/run1/" + host + ".xplane.pb";
  file.bytes = 1'950'000;
  file.kind = "xplane";
  file.kind_reason = "it begins as an XSpace";
  file.host = std::move(host);
  file.run = "run1";
  file.planes = {
      TestPlane("/host:CPU", {TestLane("python", -7, Side::kHost, Role::kHostOps, 100, 0, 0, 5000),
                              TestLane("worker", 8, Side::kHost, Role::kHostOps, 20, 10, 100, 900),
                              TestLane("", 9, Side::kHost, Role::kHostOps, 30, 15, 200, 1000)}),
      TestPlane("/device:GPU:0", {TestLane("Stream #1", 1, Side::kDevice, Role::kStream, 40, 40, 300, 1500),
                                  TestLane("Stream #2", 2, Side::kDevice, Role::kStream, 5, 5, 300, 700),
                                  TestLane("Steps", 3, Side::kDevice, Role::kView, 2, 0, 0, 9000)}),
      TestPlane("/device:GPU:1", {TestLane("Stream #1", 1, Side::kDevice, Role::kStream, 40, 40, 300, 1400)}),
      TestPlane("/host:metadata", {}),
  };
  return file;
}

}  // namespace tfprof
