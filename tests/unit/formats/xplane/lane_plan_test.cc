// Which lines are lanes, and where their times start (design §3 rules 5, 16, 17; reference: xspace.md §2, §4, §5).
#include "formats/xplane/lane_plan.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;
using trace::Role;
using trace::Side;

constexpr int64_t kEpochNs = 1'700'000'000'000'000'000;
constexpr int64_t kDayNs = 86'400'000'000'000;

// A line with so many events.
std::string Line(int64_t id, std::string_view name, int64_t timestamp_ns = 0, int events = 3) {
  std::string content;
  for (int i = 0; i < events; ++i) content += EncodeEvent(1, 1'000'000 + i, 1000);
  return EncodeLine(id, name, content, timestamp_ns);
}

FilePlan Plan(const std::string& bytes) { return PlanLanes(ReadLayout(bytes)); }

Role RoleOf(const std::string& plane, const std::string& line, int64_t id = 7) {
  return Plan(EncodePlane(plane, Line(id, line))).planes.at(0).lanes.at(0).role;
}

TEST_CASE("what a plane is, by its name") {
  struct Row {
    const char* name;
    PlaneKind kind;
  };
  const Row row =
      GENERATE(Row{"/host:CPU", PlaneKind::kHost}, Row{"/host:CPU [123]", PlaneKind::kHost},
               Row{"/host:CPU2", PlaneKind::kOther}, Row{"/host:CPU [123", PlaneKind::kOther},
               Row{"/host:CPUTI", PlaneKind::kOther}, Row{"Host CPUs", PlaneKind::kOther},
               Row{"/host:metadata", PlaneKind::kOther}, Row{"Task Environment", PlaneKind::kOther},
               Row{"", PlaneKind::kOther}, Row{"/device:GPU:0", PlaneKind::kGpu}, Row{"/device:TPU:3", PlaneKind::kTpu},
               Row{"/device:TPU:0 SparseCore 1", PlaneKind::kTpu}, Row{"/device:CUSTOM:x", PlaneKind::kGpu},
               Row{"/custom:x", PlaneKind::kGpu}, Row{"#Chip TPU", PlaneKind::kOther});
  INFO(row.name);
  CHECK(KindOfPlane(row.name) == row.kind);
}

TEST_CASE("planes of one name and lines of one id are one, over several XSpaces in one file") {
  const std::string bytes =
      EncodePlane("/host:CPU", Line(INT64_MIN, "") + Line(2, "u")) + EncodePlane("/device:GPU:0", Line(2, "s")) +
      EncodePlane("/host:CPU", Line(3, "v") + Line(INT64_MIN, "t") + Line(INT64_MIN, "late name"));
  const FilePlan plan = Plan(bytes);
  REQUIRE(plan.planes.size() == 2);
  const PlanePlan& host = plan.planes[0];
  CHECK(host.planes == std::vector<uint32_t>{0, 2});
  CHECK(host.side == Side::kHost);
  REQUIRE(host.lanes.size() == 3);
  CHECK(host.lanes[0].id == INT64_MIN);
  CHECK(host.lanes[0].name == "t");  // the first name that is one
  REQUIRE(host.lanes[0].pieces.size() == 3);
  CHECK(host.lanes[0].pieces[1].plane == 2);
  CHECK(host.lanes[0].pieces[1].line == 1);
  CHECK(host.lanes[1].pieces.size() == 1);
  CHECK(host.bytes == host.lanes[0].bytes + host.lanes[1].bytes + host.lanes[2].bytes);
  CHECK(plan.planes[1].side == Side::kDevice);
  CHECK(Plan("").planes.empty());
}

TEST_CASE("roles of lines") {
  CHECK(RoleOf("/host:CPU", "python") == Role::kHostOps);
  CHECK(RoleOf("/host:CPU [5]", "Steps") == Role::kHostOps);
  CHECK(RoleOf("/host:CPU", "t", -559'038'737) == Role::kView);
  CHECK(RoleOf("/device:GPU:0", "Stream #13(Compute,MemcpyD2H)") == Role::kStream);
  CHECK(RoleOf("/device:GPU:0", "") == Role::kStream);
  CHECK(RoleOf("/device:GPU:0", "Stream #13", 3'735'928'559 + 405) == Role::kView);
  CHECK(RoleOf("/device:GPU:0", "Stream #13", 3'735'928'559 + 406) == Role::kStream);
  for (const char* view : {"Steps", "XLA Ops", "XLA Modules - from #Stream #3", "TensorFlow Ops",
                           "Framework Name Scope", "Source code", "Launch Stats", "_counters_"}) {
    INFO(view);
    CHECK(RoleOf("/device:GPU:0", view) == Role::kView);
  }
  CHECK(RoleOf("/device:TPU:0", "XLA Ops") == Role::kNested);
  CHECK(RoleOf("/device:TPU:0 SparseCore 0", "Sparse Core Ops") == Role::kNested);
  for (const char* view : {"Steps", "XLA Modules", "Async XLA Ops", "anything"})
    CHECK(RoleOf("/device:TPU:0", view) == Role::kView);
  CHECK(RoleOf("Syscalls", "t") == Role::kOther);
}

TEST_CASE("a custom device with native XLA lines is read like a TPU, in all planes of its name") {
  const FilePlan plan = Plan(EncodePlane("/device:CUSTOM:x", Line(1, "Steps") + Line(2, "s")) +
                             EncodePlane("/device:CUSTOM:x", Line(3, "XLA Ops")) +
                             EncodePlane("/device:CUSTOM:y", Line(1, "s") + Line(-559'038'737, "XLA Ops")));
  REQUIRE(plan.planes.size() == 2);
  CHECK(plan.planes[0].lanes[1].role == Role::kView);
  CHECK(plan.planes[0].lanes[2].role == Role::kNested);
  CHECK(plan.planes[1].lanes[0].role == Role::kStream);
}

// Starts of the lanes by name, from the file's base; what is out of time is "out".
std::map<std::string, std::string> Starts(const std::string& bytes) {
  std::map<std::string, std::string> starts;
  for (const PlanePlan& plane : Plan(bytes).planes) {
    for (const LanePlan& lane : plane.lanes) {
      const LanePiece& piece = lane.pieces.at(0);
      if (piece.out_of_time) CHECK(piece.start_ps == 0);
      starts[lane.name] = piece.out_of_time ? "out" : std::to_string(piece.start_ps);
    }
  }
  return starts;
}
using Expected = std::map<std::string, std::string>;

TEST_CASE("the base is the start of the first line that has events") {
  const std::string lines =
      Line(1, "empty", 5, 0) + Line(2, "first", 1000) + Line(3, "earlier", 400) + Line(4, "later", 1001);
  CHECK(Starts(EncodePlane("/host:CPU", lines)) ==
        Expected{{"empty", "-995000"}, {"first", "0"}, {"earlier", "-600000"}, {"later", "1000"}});
}

TEST_CASE("epoch starts lose no picosecond") {
  const std::string lines = Line(1, "a", kEpochNs) + Line(2, "b", kEpochNs + 1);
  CHECK(Starts(EncodePlane("/host:CPU", lines)) == Expected{{"a", "0"}, {"b", "1000"}});
}

TEST_CASE("where some lines start at an epoch and others near 0, the profile's start is subtracted from the former") {
  const std::string lines = EncodePlane("/host:CPU", Line(1, "near", 0) + Line(2, "epoch", kEpochNs + 5));
  const std::string start =
      EncodePlane("Task Environment", StatName(1, "profile_start_time") + PlaneStat(UintValue(1, uint64_t{kEpochNs})));
  CHECK(Starts(lines + start) == Expected{{"near", "0"}, {"epoch", "5000"}});
  CHECK(Starts(EncodePlane("/host:CPU", Line(2, "epoch", kEpochNs + 5)) + start) == Expected{{"epoch", "0"}});
}

TEST_CASE("lines of another age than most of the file are out of time") {
  const std::string lines =
      Line(1, "small", 0, 1) + Line(2, "big", kEpochNs, 9) + Line(3, "also", kEpochNs + kDayNs, 1);
  CHECK(Starts(EncodePlane("/host:CPU", lines)) ==
        Expected{{"small", "out"}, {"big", "0"}, {"also", "86400000000000000"}});
  const std::string months = Line(1, "a", 0, 5) + Line(2, "b", 49 * kDayNs, 1) + Line(3, "c", 120 * kDayNs, 1);
  CHECK(Starts(EncodePlane("/host:CPU", months)) ==
        Expected{{"a", "0"}, {"b", std::to_string(49 * kDayNs * 1000)}, {"c", "out"}});
}

TEST_CASE("starts at the limits of int64 are out of time, or the base") {
  const std::string lines = Line(1, "least", INT64_MIN, 1) + Line(2, "most", INT64_MAX, 1) + Line(3, "usual", 10, 5);
  CHECK(Starts(EncodePlane("/host:CPU", lines)) == Expected{{"least", "out"}, {"most", "out"}, {"usual", "0"}});
  CHECK(Starts(EncodePlane("/host:CPU", Line(1, "least", INT64_MIN))) == Expected{{"least", "0"}});
}

TEST_CASE("the age of most events counts, not that of most bytes; lines are never too small to count") {
  const std::string wide = EncodeLine(1, "wide", EncodeEvent(1, 0, 1, TextStat(1, std::string(500, 'x'))), 0);
  const std::string tiny = EncodeLine(2, "tiny", testing::Bytes(4, Int(1, 1)) + testing::Bytes(4, Int(1, 1)), kEpochNs);
  CHECK(Starts(EncodePlane("/host:CPU", wide + tiny)) == Expected{{"wide", "out"}, {"tiny", "0"}});
}

TEST_CASE("events that don't tell when they were don't choose the age, however many") {
  std::string untimed;
  for (int i = 0; i < 300; ++i) untimed += testing::Bytes(4, Int(1, 1) + Int(3, 5));
  const std::string lines = EncodeLine(1, "untimed", untimed, 0) + Line(2, "timed", kEpochNs, 2);
  CHECK(Starts(EncodePlane("/host:CPU", lines)) == Expected{{"untimed", "out"}, {"timed", "0"}});
  CHECK(Starts(EncodePlane("/host:CPU", EncodeLine(1, "untimed", untimed, 0))) == Expected{{"untimed", "0"}});
}

TEST_CASE("a lane is what its first name says, its display name where it has none") {
  const auto role = [](const std::string& lines) {
    const std::string bytes = EncodePlane("/device:TPU:0", lines);
    const FilePlan plan = PlanLanes(ReadLayout(bytes));
    return plan.planes.at(0).lanes.at(0).role;
  };
  const auto line = [](std::string_view name, std::string_view shown) {
    return testing::Bytes(3, Int(1, 1) + testing::Bytes(2, name) + testing::Bytes(11, shown));
  };
  CHECK(role(line("XLA Ops", "x")) == trace::Role::kNested);
  CHECK(role(line("", "XLA Ops")) == trace::Role::kNested);
  CHECK(role(line("x", "XLA Ops")) == trace::Role::kView);
  CHECK(role(line("", "") + line("XLA Ops", "")) == trace::Role::kNested);
  CHECK(role(line("x", "") + line("XLA Ops", "")) == trace::Role::kView);
  // A piece with events tells more than one without.
  const std::string event = testing::Bytes(4, Int(1, 1) + Int(2, 3) + Int(3, 4));
  const std::string full = testing::Bytes(3, Int(1, 1) + testing::Bytes(2, "XLA Ops") + event);
  CHECK(role(line("x", "") + full) == trace::Role::kNested);
  CHECK(role(full + line("x", "")) == trace::Role::kNested);
}

}  // namespace
}  // namespace tfprof::xplane
