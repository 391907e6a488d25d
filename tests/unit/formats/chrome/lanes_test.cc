// Lanes: which events share one, what is told about it, and the order of its events.
#include "formats/chrome/lanes.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/chrome/recording.h"

namespace tfprof::chrome {
namespace {

using Texts = std::vector<std::string>;

std::string X(const std::string& name, const std::string& ts, const std::string& dur = "1",
              const std::string& more = "") {
  return R"({"ph":"X","name":")" + name + "\",\"ts\":" + ts + ",\"dur\":" + dur + more + "},";
}
Recorded ReadEvents(const std::string& elements) { return ReadText("[" + elements + "{}]"); }

TEST_CASE("a lane is a pid and a tid, numbers or texts") {
  const Recorded read =
      ReadEvents(X("a", "1", "1", R"(,"pid":1,"tid":7)") + X("b", "2", "1", R"(,"pid":"1","tid":"7")") +
                 X("c", "3", "1", R"(,"pid":1,"tid":"\u0037")") + X("d", "4", "1", R"(,"pid":2,"tid":7)") +
                 X("e", "5", "1", R"(,"pid":1,"tid":17)") + X("f", "6", "1", R"(,"pid":11,"tid":7)"));
  REQUIRE(read.lanes.size() == 4);
  CHECK(read.lanes[0].events.size() == 3);
  for (size_t i = 1; i < 4; ++i) CHECK(read.lanes[i].events.size() == 1);
}

TEST_CASE("a pid or tid that is missing is 0") {
  const Recorded read = ReadEvents(X("a", "1") + X("b", "2", "1", R"(,"pid":0)") + X("c", "3", "1", R"(,"tid":"0")"));
  REQUIRE(read.lanes.size() == 1);
  CHECK(read.lanes[0].events.size() == 3);
}

TEST_CASE("what is told about a lane") {
  const Recorded read = ReadText(R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"app"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"main"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":"x","args":{"name":"text"}},
    {"ph":"X","ts":1,"dur":1,"pid":1,"tid":7},{"ph":"X","ts":1,"dur":1,"pid":1,"tid":"x"},{"ph":"X","ts":1,"dur":1,"pid":1,"tid":-3},
    {"ph":"X","ts":1,"dur":1,"pid":2,"tid":9223372036854775807}])");
  REQUIRE(read.lanes.size() == 4);
  CHECK(read.lanes[0].plane == "app");
  CHECK(read.lanes[0].name == "main");
  CHECK(read.lanes[0].id == 7);
  CHECK(read.lanes[1].name == "text");
  CHECK(read.lanes[2].name == "-3");  // its tid, where it has no name
  CHECK(read.lanes[2].id == -3);
  CHECK(read.lanes[3].plane == "process 2");  // two without a name are two all the same
  CHECK(read.lanes[3].name == "9223372036854775807");
  for (const RecordedLane& lane : read.lanes) CHECK(lane.closed);
}

TEST_CASE("only process_name and thread_name give names; the last one counts") {
  const Recorded read = ReadText(R"([{"ph":"M","name":"process_labels","pid":1,"args":{"name":"no"}},
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"first"}},{"ph":"M","name":"process_name","pid":1,"args":{"name":5}},
    {"ph":"M","name":"process_name","pid":1},{"ph":"M","name":"process_name","pid":"1","args":{"name":"second"}},
    {"ph":"X","ts":1,"dur":1,"pid":1}])");
  CHECK(read.lanes.at(0).plane == "second");
}

TEST_CASE("order: start ascending, longer first, then the file's") {
  const Recorded read = ReadEvents(X("short", "5", "1") + X("long", "5", "9") + X("first", "4", "0") +
                                   X("twin1", "5", "9") + X("twin2", "5", "9"));
  CHECK(read.readings == 1);
  CHECK(read.Events() == Texts{"first:Unknown@-1000000+0", "long:Unknown@0+9000000", "twin1:Unknown@0+9000000",
                               "twin2:Unknown@0+9000000", "short:Unknown@0+1000000"});
}

TEST_CASE("a timeline far out of order is sorted by a second reading") {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += X("e", std::to_string(1000 + i));
  const Recorded read = ReadEvents(text + X("parent", "1000", "5000") + X("early", "0", "1"));
  CHECK(read.readings == 2);
  REQUIRE(read.Events().size() == 3002);
  CHECK(read.Events()[0] == "early:Unknown@-1000000000+1000000");
  CHECK(read.Events()[1] == "parent:Unknown@0+5000000000");
  CHECK(read.Events()[3001] == "e:Unknown@2999000000+1000000");
}

TEST_CASE("sorting keeps flags, lanes and events without a place in time") {
  std::string text = R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"/host:CPU"}},)";
  for (int i = 0; i < 3000; ++i)
    text += X("a:A", std::to_string(1000 + i), "1", R"(,"pid":1,"tid":1,"args":{"is_eager":"1"})");
  text += X("b:B", "5", "1", R"(,"pid":1,"tid":2)") + X("c:C", "7", "-1", R"(,"pid":1,"tid":2)") +
          X("a:A", "0", "1", R"(,"pid":1,"tid":1,"args":{"is_eager":"1"})");
  const Recorded read = ReadEvents(text);
  CHECK(read.readings == 2);
  REQUIRE(read.lanes.size() == 2);
  REQUIRE(read.lanes[0].events.size() == 3001);
  CHECK(read.lanes[0].events[0] == "a:A@-1000000000+1000000e");
  CHECK(read.lanes[1].events == Texts{"b:B@-995000000+1000000", "c:C@?+0"});
}

TEST_CASE("a lane with an open begin keeps the flags of its other events") {
  const Recorded read = ReadText(R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"/host:CPU"}},
    {"ph":"X","ts":1,"dur":9,"pid":1,"name":"a:A","args":{"is_eager":"1"}},{"ph":"B","ts":3,"pid":1,"name":"b:B"}])");
  CHECK(read.Events() == Texts{"a:A@0+9000000e", "b:B@2000000+7000000"});
}

TEST_CASE("thousands of lanes") {
  constexpr size_t kLanes = Lanes::kMostOpen + 10;
  std::string text;
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < kLanes; ++i)
      text += X("e", std::to_string(round * 10), "2", ",\"tid\":" + std::to_string(i));
  }
  const Recorded read = ReadEvents(text);
  CHECK(read.readings == 2);
  REQUIRE(read.lanes.size() == kLanes);
  for (const RecordedLane& lane : read.lanes)
    CHECK(lane.events == Texts{"e:Unknown@0+2000000", "e:Unknown@10000000+2000000"});
}

TEST_CASE("one thread has a lane for each side and device") {
  const Recorded read = ReadText(R"([{"ph":"X","ts":1,"dur":1,"cat":"cpu_op","name":"o"},
    {"ph":"X","ts":2,"dur":1,"cat":"kernel","name":"k0","args":{"device":0}},{"ph":"X","ts":3,"dur":1,"cat":"kernel","name":"k1","args":{"device":1}},
    {"ph":"X","ts":4,"dur":1,"cat":"gpu_memcpy","name":"c0","args":{"device":0}},{"ph":"X","ts":5,"dur":1,"cat":"user_annotation","name":"u"}])");
  REQUIRE(read.lanes.size() == 3);
  CHECK(read.lanes[0].events == Texts{"o:cpu_op@0+1000000", "u:user_annotation@4000000+1000000"});
  CHECK(read.lanes[1].events == Texts{"k0:kernel@1000000+1000000!", "c0:gpu_memcpy@3000000+1000000!"});
  CHECK(read.lanes[2].events == Texts{"k1:kernel@2000000+1000000!"});
  CHECK(read.lanes[2].device == "1");
}

}  // namespace
}  // namespace tfprof::chrome
