#include "report/run_shape.h"

#include <catch2/catch.hpp>

#include "report/inventory_fixture.h"

namespace tfprof::report {
namespace {

using trace::Role;
using trace::Side;

TEST_CASE("A run has the hosts, devices and threads that its files tell of") {
  const RunShape shape = RunShapeOf({TestFile("h2"), TestFile("h1")});
  CHECK(shape.runs == std::vector<std::string>{"run1"});
  CHECK(shape.hosts == std::vector<std::string>{"h1", "h2"});
  REQUIRE(shape.devices.size() == 4);
  CHECK(shape.devices[0].host == "h1");
  CHECK(shape.devices[0].name == "/device:GPU:0");
  CHECK(shape.devices[0].lanes == 2);  // the view of the same work is none
  CHECK(shape.devices[0].events == 45);
  CHECK(shape.host_threads == 4);  // with ops
  CHECK(shape.bytes == 3'900'000);
  CHECK((shape.span_ps == static_cast<__int128>(1400) * 1'000'000));  // of the longest file: 100 to 1500
  CHECK(DevicesText(shape) == "4 GPUs");
}

TEST_CASE("Devices of several kinds are devices; TPUs are TPUs; a device without events is none") {
  analyze::FileInventory file;
  file.planes = {TestPlane("/device:TPU:0", {TestLane("XLA Ops", 1, Side::kDevice, Role::kNested, 1, 1, 0, 1)})};
  CHECK(DevicesText(RunShapeOf({file})) == "1 TPU");
  file.planes.push_back(TestPlane("/device:CUSTOM:0", {TestLane("x", 1, Side::kDevice, Role::kStream, 1, 1, 0, 1)}));
  CHECK(DevicesText(RunShapeOf({file})) == "2 devices");
  file.planes = {TestPlane("/device:GPU:0", {TestLane("Stream #1", 1, Side::kDevice, Role::kStream, 0, 0)})};
  CHECK(RunShapeOf({file}).devices.empty());
  CHECK((RunShapeOf({file}).span_ps == 0));
}

}  // namespace
}  // namespace tfprof::report
