// Which device events of a Kineto trace a cpu_op claims: those that none claims are marked `!`.
#include "formats/chrome/kineto_owners.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/chrome/recording.h"

namespace tfprof::chrome {
namespace {

std::string Event(const std::string& category, int ts, int dur, const std::string& args, int tid = 1) {
  return R"({"ph":"X","pid":1,"tid":)" + std::to_string(tid) + R"(,"cat":")" + category + R"(","name":"n","ts":)" +
         std::to_string(ts) + ",\"dur\":" + std::to_string(dur) + ",\"args\":{" + args + "}},";
}
std::string CpuOp(int ts, int dur, const std::string& external = "", int tid = 1) {
  return Event("cpu_op", ts, dur, external.empty() ? "" : "\"External id\":" + external, tid);
}
std::string Launch(int ts, const std::string& correlation, const std::string& more = "", int tid = 1,
                   const std::string& category = "cuda_runtime") {
  return Event(category, ts, 1, "\"correlation\":" + correlation + more, tid);
}
std::string Kernel(const std::string& args) { return Event("kernel", 100, 1, args, 77); }

// Whether the device events are claimed, in order: '+' and '-'.
std::string Claims(const std::string& events) {
  const Recorded read = ReadText("[" + events + "{}]");
  CHECK(read.facts.dialect.dialect == Dialect::kKineto);
  std::string claims;
  for (const RecordedLane& lane : read.lanes) {
    for (const std::string& event : lane.events) {
      if (lane.side == trace::Side::kDevice) claims += event.ends_with('!') ? '-' : '+';
    }
  }
  CHECK(read.readings == (claims.find('-') == std::string::npos ? 1 : 2));
  return claims;
}

TEST_CASE("a kernel belongs to the cpu_op around its launch") {
  CHECK(Claims(CpuOp(0, 10) + Launch(5, "7") + Kernel("\"correlation\":7")) == "+");
  CHECK(Claims(CpuOp(0, 10) + Launch(5, "7", "", 1, "cuda_driver") + Kernel("\"correlation\":7")) == "+");
  CHECK(Claims(CpuOp(0, 10) + Launch(5, "7", "", 1, "Runtime") + Kernel("\"correlation\":7")) == "+");
  CHECK(Claims(CpuOp(0, 10) + Launch(0, "7") + Kernel("\"correlation\":7")) == "+");
  CHECK(Claims(CpuOp(0, 10) + Launch(10, "7") + Kernel("\"correlation\":7")) == "+");
  CHECK(Claims(CpuOp(0, 10) + Launch(11, "7") + Kernel("\"correlation\":7")) == "-");
  CHECK(Claims(CpuOp(1, 10) + Launch(0, "7") + Kernel("\"correlation\":7")) == "-");
  CHECK(Claims(CpuOp(0, 10) + Launch(5, "7") + Kernel("\"correlation\":8")) == "-");
  CHECK(Claims(CpuOp(0, 10) + Launch(5, "7") + Kernel("\"x\":7")) == "-");
}

TEST_CASE("only a cpu_op of the launch's own thread") {
  CHECK(Claims(CpuOp(0, 10, "", 2) + Launch(5, "7", "", 1) + Kernel("\"correlation\":7")) == "-");
  CHECK(Claims(CpuOp(0, 10, "", 2) + Launch(5, "7", "", 2) + Kernel("\"correlation\":7")) == "+");
}

TEST_CASE("no other event is a cpu_op, none but runtime and driver calls is a launch") {
  CHECK(Claims(Event("user_annotation", 0, 10, "") + Launch(5, "7") + Kernel("\"correlation\":7")) == "-");
  CHECK(Claims(CpuOp(0, 10) + Launch(5, "7", "", 1, "python_function") + Kernel("\"correlation\":7")) == "-");
}

TEST_CASE("cpu_ops nested, after each other and out of order") {
  const std::string launch = Launch(15, "7"), kernel = Kernel("\"correlation\":7");
  CHECK(Claims(CpuOp(0, 20) + CpuOp(2, 3) + CpuOp(6, 3) + launch + kernel) == "+");
  CHECK(Claims(CpuOp(0, 5) + CpuOp(10, 8) + launch + kernel) == "+");
  CHECK(Claims(CpuOp(10, 8) + CpuOp(0, 5) + launch + kernel) == "+");
  CHECK(Claims(CpuOp(2, 3) + CpuOp(6, 3) + CpuOp(0, 20) + launch + kernel) == "+");
  CHECK(Claims(CpuOp(0, 5) + CpuOp(3, 9) + CpuOp(20, 3) + launch + kernel) == "-");
  CHECK(Claims(kernel + launch + CpuOp(0, 20)) == "+");
}

TEST_CASE("External id counts where there is no launch, and only if it is not the correlation") {
  CHECK(Claims(CpuOp(0, 10, "42") + Kernel("\"correlation\":7,\"External id\":42")) == "+");
  CHECK(Claims(CpuOp(0, 10, "42") + Kernel("\"External id\":42")) == "+");
  CHECK(Claims(CpuOp(0, 10, "42") + Kernel("\"external id\":42")) == "+");
  CHECK(Claims(CpuOp(0, 10, "7") + Kernel("\"correlation\":7,\"External id\":7")) == "-");  // chance
  CHECK(Claims(CpuOp(0, 10, "42") + Kernel("\"correlation\":7,\"External id\":43")) == "-");
}

TEST_CASE("a launch outside any cpu_op may name one") {
  CHECK(Claims(CpuOp(0, 10, "42") + Launch(50, "7", ",\"External id\":42") + Kernel("\"correlation\":7")) == "+");
  CHECK(Claims(CpuOp(0, 10, "7") + Launch(50, "7", ",\"External id\":7") + Kernel("\"correlation\":7")) == "-");
}

TEST_CASE("ids as texts, and a number as text") {
  CHECK(Claims(CpuOp(0, 10) + Launch(5, "\"0x7\"") + Kernel("\"correlation\":\"0x7\"")) == "+");
  CHECK(Claims(CpuOp(0, 10) + Launch(5, "\"0x7\"") + Kernel("\"correlation\":\"0x8\"")) == "-");
  CHECK(Claims(CpuOp(0, 10) + Launch(5, "\"7\"") + Kernel("\"correlation\":7")) == "+");
  CHECK(Claims(CpuOp(0, 10) + Launch(5, "null") + Kernel("\"correlation\":null")) == "-");
}

TEST_CASE("several kernels, each for itself") {
  CHECK(Claims(CpuOp(0, 10) + Launch(5, "1") + Launch(6, "2") + Launch(20, "3") + Kernel("\"correlation\":1") +
               Kernel("\"correlation\":3") + Kernel("\"correlation\":2") + Kernel("\"correlation\":1")) == "+-++");
}

}  // namespace
}  // namespace tfprof::chrome
