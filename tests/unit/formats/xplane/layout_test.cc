// Where things lie in an XSpace, whole, odd or damaged.
#include "formats/xplane/layout.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/xplane/event.h"
#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

size_t CountEvents(const Line& line) {
  EventCursor cursor(line.body);
  size_t n = 0;
  for (Event event; cursor.Next(&event);) ++n;
  return n;
}

Metadata Entry(int64_t key, std::string_view name) {
  Metadata entry;
  entry.key = key;
  entry.name = name;
  return entry;
}

TEST_CASE("a metadata map finds keys near and far, negative ones and up to 2^63") {
  MetadataMap map;
  const std::vector<int64_t> keys = {0, 1, 4096, 4097, 1'000'000, -1, INT64_MIN, INT64_MAX, 5};
  for (const int64_t key : keys) map.Insert(Entry(key, "n"));
  REQUIRE(map.entries().size() == keys.size());
  for (uint32_t i = 0; i < keys.size(); ++i) {
    CAPTURE(keys[i]);
    CHECK(map.IndexOf(keys[i]) == i);
    CHECK(map.Find(keys[i])->key == keys[i]);
  }
  for (const int64_t key : {int64_t{2}, int64_t{-2}, int64_t{5000}, int64_t{1'000'001}}) {
    CHECK(map.IndexOf(key) == MetadataMap::kNone);
    CHECK(map.Find(key) == nullptr);
  }
  CHECK(MetadataMap().Find(0) == nullptr);
}

TEST_CASE("of equal keys the last entry counts, in the place of the first") {
  MetadataMap map;
  for (const int64_t key : {int64_t{7}, int64_t{1} << 40, int64_t{3}}) map.Insert(Entry(key, "first"));
  map.Insert(Entry(int64_t{1} << 40, "last"));
  map.Insert(Entry(7, "last"));
  REQUIRE(map.entries().size() == 3);
  CHECK(map.entries()[0].name == "last");
  CHECK(map.entries()[1].name == "last");
  CHECK(map.entries()[2].name == "first");
}

TEST_CASE("a key that was far when it came is found when it would be near by now, and replaced, not doubled") {
  MetadataMap map;
  map.Insert(Entry(6000, "far"));
  for (int64_t key = 0; key < 3000; ++key) map.Insert(Entry(key, "n"));
  map.Insert(Entry(9000, "n"));  // the near table reaches beyond 6000 now
  CHECK(map.IndexOf(6000) == 0);
  map.Insert(Entry(6000, "again"));
  CHECK(map.entries().size() == 3002);
  CHECK(map.Find(6000)->name == "again");
}

TEST_CASE("planes with lines before their maps, stats, and what the file says of itself") {
  const std::string bytes =
      testing::Bytes(2, "an error") + testing::Bytes(3, "a warning") + testing::Bytes(4, "host") +
      testing::Bytes(4, "host2") +
      EncodePlane("/host:CPU", EncodeLine(-5, "t", EncodeEvent(1, 2, 3), 77) + EncodeLine(9, "u", "") +
                                   EventName(1, "a:A", testing::Bytes(4, "shown") + MetadataStat(IntValue(8, 1))) +
                                   StatName(8, "s") + PlaneStat(IntValue(8, 42)) + Int(1, 3)) +
      EncodePlane("", "");
  const Layout layout = ReadLayout(bytes);
  CHECK_FALSE(layout.damage);
  CHECK(layout.errors == std::vector<std::string_view>{"an error"});
  CHECK(layout.warnings == std::vector<std::string_view>{"a warning"});
  CHECK(layout.hostnames == std::vector<std::string_view>{"host", "host2"});
  REQUIRE(layout.planes.size() == 2);
  const Plane& plane = layout.planes[0];
  CHECK(plane.id == 3);
  CHECK(plane.name == "/host:CPU");
  REQUIRE(plane.lines.size() == 2);
  CHECK(plane.lines[0].id == -5);
  CHECK(plane.lines[0].name == "t");
  CHECK(plane.lines[0].timestamp_ns == 77);
  CHECK(CountEvents(plane.lines[0]) == 1);
  CHECK(CountEvents(plane.lines[1]) == 0);
  CHECK(plane.event_metadata.Find(1)->name == "a:A");
  CHECK(plane.event_metadata.Find(1)->display_name == "shown");
  CHECK(plane.FindStat("s")->int64_only() == 42);
  CHECK_FALSE(plane.FindStat("t"));
  CHECK(layout.planes[1].lines.empty());
}

TEST_CASE("an empty file is an XSpace without planes") {
  const Layout layout = ReadLayout("");
  CHECK(layout.planes.empty());
  CHECK_FALSE(layout.damage);
}

TEST_CASE("a map entry may lack its key or its value, and its inner id may differ") {
  const std::string bytes = EncodePlane(
      "p", testing::Bytes(4, testing::Bytes(2, testing::Bytes(2, "no key"))) + testing::Bytes(4, Int(1, 6)) +
               testing::Bytes(5, Int(1, 7) + testing::Bytes(2, Int(1, 70) + testing::Bytes(2, "s"))));
  const Plane plane = ReadLayout(bytes).planes.at(0);
  CHECK(plane.event_metadata.Find(0)->name == "no key");
  CHECK(plane.event_metadata.Find(6)->name.empty());
  CHECK(plane.stat_metadata.Find(7)->inner_id == 70);
  CHECK(plane.StatName(7) == "s");
  CHECK(plane.StatName(70).empty());
}

TEST_CASE("the text of a stat is its own or the name it refers to") {
  const std::string bytes = EncodePlane("p", StatName(3, "text"));
  const Plane plane = ReadLayout(bytes).planes.at(0);
  CHECK(plane.Text({.metadata_id = 1, .slot = Stat::Slot::kRef, .bits = 3}) == "text");
  CHECK(plane.Text({.metadata_id = 1, .slot = Stat::Slot::kRef, .bits = 4}).empty());
  CHECK(plane.Text({.metadata_id = 1, .slot = Stat::Slot::kString, .text = "own"}) == "own");
  CHECK(plane.Text({.metadata_id = 1, .slot = Stat::Slot::kBytes, .text = "bytes"}).empty());
  CHECK(plane.Text({.metadata_id = 1, .slot = Stat::Slot::kInt64, .bits = 3}).empty());
}

TEST_CASE("several XSpaces one after the other, unknown fields of every wire type and groups between") {
  const std::string odd =
      Int(9, 1) + Fixed64(9, 1) + Fixed32(9, 1) + testing::Bytes(9, "x") + Group(9, Int(1, 1) + Group(1, ""));
  const std::string plane = EncodePlane("p", odd + EncodeLine(1, "t", odd + EncodeEvent(1, 2, 3) + odd) + odd);
  const std::string bytes = plane + odd + plane + Int(1, 5);  // a plane that is a number is none
  const Layout layout = ReadLayout(bytes);
  CHECK_FALSE(layout.damage);
  REQUIRE(layout.planes.size() == 2);
  for (const Plane& p : layout.planes) CHECK(CountEvents(p.lines.at(0)) == 1);
}

TEST_CASE("id and name of a line are found behind its events; its timestamp only by a thorough look") {
  const std::string event = EncodeEvent(1, 2, 3);
  const std::string line = testing::Bytes(3, event + Int(1, 5) + event + testing::Bytes(2, "t") + Int(3, 77));
  const std::string late_time = testing::Bytes(3, Int(1, 6) + testing::Bytes(2, "u") + event + Int(3, 88));
  const std::string bytes = EncodePlane("p", line + late_time);
  const Layout layout = ReadLayout(bytes), thorough = ReadLayout(bytes, true);
  CHECK(layout.planes[0].lines[0].id == 5);
  CHECK(layout.planes[0].lines[0].name == "t");
  CHECK(layout.planes[0].lines[1].timestamp_ns == 0);
  CHECK(thorough.planes[0].lines[1].timestamp_ns == 88);
  CHECK(thorough.planes[0].lines[1].id == 6);
}

TEST_CASE("a file cut inside its last plane keeps what is whole of it") {
  const std::string first = EncodePlane("first", EncodeLine(1, "t", EncodeEvent(1, 2, 3)));
  const std::string second =
      EncodePlane("second", EncodeLine(2, "u", EncodeEvent(1, 2, 3) + EncodeEvent(1, 4, 3)) + EventName(1, "a:A"));
  const std::string bytes = first + second;
  size_t most = 0;
  for (size_t size = first.size() + 1; size < bytes.size(); ++size) {
    const Layout layout = ReadLayout(std::string_view(bytes).substr(0, size));
    CAPTURE(size);
    REQUIRE(layout.damage);
    REQUIRE(layout.planes.size() >= 1);
    CHECK(layout.planes[0].name == "first");
    CHECK(layout.cut_plane == (layout.planes.size() == 2));
    if (!layout.cut_plane) continue;
    CHECK(layout.damage->offset == size);
    CHECK_THAT(layout.damage->what, Catch::Contains("inside plane \"second\""));
    if (layout.planes[1].lines.empty()) continue;
    const size_t events = CountEvents(layout.planes[1].lines[0]);
    CHECK(events >= most);  // a longer piece never holds less
    most = events;
  }
  CHECK(most == 2);
  CHECK_FALSE(ReadLayout(bytes).damage);
}

TEST_CASE("bytes behind the last plane that are no XSpace") {
  const std::string plane = EncodePlane("p", EncodeLine(1, "t", EncodeEvent(1, 2, 3)));
  for (const std::string& tail : {std::string("\x0a"), std::string("\xff\xff\xff\xff"), std::string("\x0a\x05"),
                                  "\x0a" + Varint(uint64_t{1} << 60) + "zz", std::string("\x0f\x01", 2)}) {
    const std::string bytes = plane + tail;
    const Layout layout = ReadLayout(bytes);
    REQUIRE(layout.damage);
    CHECK(layout.damage->offset == plane.size());
    CHECK_FALSE(layout.cut_plane);
    CHECK(layout.planes.size() == 1);
  }
}

TEST_CASE("a plane that is broken inside costs its rest, not the planes behind it; the first damage is told") {
  const std::string broken =
      testing::Bytes(1, testing::Bytes(2, "bad") + EncodeLine(1, "t", "") + std::string("\x1a\x7f", 2));
  const std::string bytes = broken + EncodePlane("good", EncodeLine(2, "u", "")) + broken;
  const Layout layout = ReadLayout(bytes);
  REQUIRE(layout.planes.size() == 3);
  CHECK(layout.planes[0].lines.size() == 1);
  CHECK(layout.planes[1].lines.size() == 1);
  REQUIRE(layout.damage);
  CHECK(layout.damage->offset == broken.size() - 2);
  CHECK_THAT(layout.damage->what, Catch::Contains("plane \"bad\""));
  CHECK_FALSE(layout.cut_plane);
}

TEST_CASE("metadata in several parts is one message: of names the last counts, stats add up") {
  const auto part = [](std::string_view name, int64_t value) {
    return testing::Bytes(2, testing::Bytes(2, name) + MetadataStat(IntValue(1, value)));
  };
  const std::string entry = testing::Bytes(4, Int(1, 7) + part("first", 1) + part("second", 2) + part("third", 3));
  const std::string bytes = EncodePlane("p", entry);
  const Layout layout = ReadLayout(bytes);
  const Metadata* found = layout.planes.at(0).event_metadata.Find(7);
  REQUIRE(found != nullptr);
  CHECK(found->name == "third");
  int64_t sum = 0;
  StatCursor cursor(found->body, kMetadataStats);
  for (Stat stat; cursor.Next(&stat);) sum = sum * 10 + stat.int64_only();
  CHECK(sum == 123);
  CHECK(layout.bad_metadata == 0);
}

TEST_CASE("stats of a plane that can't be read whole are counted") {
  const std::string bytes = EncodePlane("p", PlaneStat(IntValue(1, 5)) + PlaneStat(Int(1, 1) + "\x2a\x7fx"));
  CHECK(ReadLayout(bytes).bad_metadata == 1);
}

TEST_CASE("a line's display name is read") {
  const std::string bytes = EncodePlane("p", testing::Bytes(3, Int(1, 4) + testing::Bytes(11, "shown")));
  const Layout layout = ReadLayout(bytes);
  CHECK(layout.planes.at(0).lines.at(0).name.empty());
  CHECK(layout.planes.at(0).lines.at(0).display_name == "shown");
}

}  // namespace
}  // namespace tfprof::xplane
