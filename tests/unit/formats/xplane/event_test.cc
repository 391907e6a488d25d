// Events of a line: fixed examples, and the fast decoding against the checked one on random, odd and damaged lines.
#include "formats/xplane/event.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace tfprof::xplane {
namespace {

std::string Varint(uint64_t value) {
  std::string text;
  for (; value > 127; value >>= 7) text.push_back(static_cast<char>(value | 128));
  return text + static_cast<char>(value);
}
std::string Number(uint64_t field, uint64_t value) { return Varint(field << 3) + Varint(value); }
std::string Message(uint64_t field, const std::string& content) {
  return Varint(field << 3 | 2) + Varint(content.size()) + content;
}
std::string EventMessage(uint64_t id, uint64_t offset_ps, uint64_t duration_ps, const std::string& stats = "") {
  return Message(4, Number(1, id) + Number(2, offset_ps) + Number(3, duration_ps) + stats);
}

// What a caller sees of an event: of its stats only those with wanted ids.
struct Seen {
  Event event;
  std::vector<Stat> stats;
  size_t end = 0;  // of the block, from the line's begin
};

struct Reading {
  std::vector<Seen> events;
  bool broken = false, late_header = false;
  ptrdiff_t position = 0;
};

enum class Way { kChecked, kFast, kPlain };

Reading ReadAll(Bytes line, Way way, const uint8_t* readable_end, const std::vector<int64_t>* ids) {
  StatFilter filter;
  if (ids != nullptr) {
    for (const int64_t id : *ids) filter.Want(id);
  }
  // Without readable bytes behind the events nothing is decoded fast.
  EventCursor cursor(line, ids == nullptr ? nullptr : &filter, way == Way::kChecked ? wire::Begin(line) : readable_end);
  Reading reading;
  const auto see = [&](const Event& event) {
    Seen seen{event, {}, static_cast<size_t>(wire::End(event.stats) - wire::Begin(line))};
    StatCursor stats(event.stats, kEventStats, ids == nullptr ? nullptr : &filter);
    for (Stat stat; stats.Next(&stat);) {
      const bool wanted = ids == nullptr || std::find(ids->begin(), ids->end(), stat.metadata_id) != ids->end();
      if (wanted) seen.stats.push_back(stat);
    }
    reading.events.push_back(std::move(seen));
  };
  EventBlock block;
  if (way == Way::kChecked) {
    for (Event event; cursor.Next(&event);) see(event);
  } else {
    while (way == Way::kPlain ? cursor.ReadPlain(&block) : cursor.Read(&block)) {
      for (size_t i = 0; i < block.size; ++i) see(block[i]);
    }
  }
  reading.broken = cursor.broken();
  reading.late_header = cursor.late_header();
  reading.position = cursor.position() - wire::Begin(line);
  return reading;
}

void CheckSame(const Reading& want, const Reading& got) {
  CHECK(got.broken == want.broken);
  CHECK(got.late_header == want.late_header);
  CHECK(got.position == want.position);
  REQUIRE(got.events.size() == want.events.size());
  for (size_t i = 0; i < want.events.size(); ++i) {
    const Seen& a = want.events[i];
    const Seen& b = got.events[i];
    CAPTURE(i);
    CHECK(b.event.metadata_id == a.event.metadata_id);
    CHECK(b.event.offset_ps == a.event.offset_ps);
    CHECK(b.event.duration_ps == a.event.duration_ps);
    CHECK(b.event.num_occurrences == a.event.num_occurrences);
    CHECK(b.end == a.end);
    CHECK(b.stats == a.stats);
  }
}

// The line in a buffer of exactly its size (a sanitizer sees a read behind it), and with other bytes behind it.
void CheckAllWays(const std::string& text, const std::vector<int64_t>& ids) {
  const std::unique_ptr<char[]> exact(new char[text.size()]);
  std::copy(text.begin(), text.end(), exact.get());
  const Bytes line(exact.get(), text.size());
  const std::string followed = text + std::string(300, '\x22');
  const Bytes inner = Bytes(followed).substr(0, text.size());
  for (const std::vector<int64_t>* wanted : {static_cast<const std::vector<int64_t>*>(nullptr), &ids}) {
    const Reading want = ReadAll(line, Way::kChecked, nullptr, wanted);
    CheckSame(want, ReadAll(line, Way::kFast, nullptr, wanted));
    CheckSame(want, ReadAll(line, Way::kPlain, nullptr, wanted));
    const uint8_t* readable_end = wire::End(Bytes(followed));
    CheckSame(want, ReadAll(inner, Way::kFast, readable_end, wanted));
    CheckSame(want, ReadAll(inner, Way::kPlain, readable_end, wanted));
  }
}

// Lines of events as writers make them, and as they might: any field order, unknown fields, numbers of any length.
class LineMaker {
 public:
  explicit LineMaker(uint64_t seed) : random_(seed) {}

  std::string Line() {
    const bool odd = Chance(2);
    std::string line = Number(1, Any()) + Message(2, "thread") + Number(3, Below(1000));
    for (uint64_t n = Below(12); n > 0; --n) {
      line += Chance(3) ? UsualEvent() : OddEvent();
      if (odd && Chance(4)) line += OtherField(Chance(2) ? 1 + Below(3) : 9 + Below(3));
    }
    return line;
  }

  std::vector<int64_t> SomeIds() {
    std::vector<int64_t> ids;
    for (uint64_t n = 1 + Below(4); n > 0; --n) ids.push_back(static_cast<int64_t>(StatId()));
    return ids;
  }

  uint64_t Below(uint64_t n) { return random_() % n; }

 private:
  bool Chance(uint64_t one_in) { return Below(one_in) == 0; }
  uint64_t Any() { return random_() >> Below(64); }
  uint64_t StatId() { return Chance(8) ? Any() : 1 + Below(300); }

  std::string Stat() {
    const uint64_t id = StatId();
    std::string value;
    switch (Below(7)) {
      case 0:
        value = Varint(2 << 3 | 1) + std::string(8, static_cast<char>(Below(256)));
        break;
      case 1:
        value = Message(5, std::string(Below(Chance(10) ? 400 : 12), static_cast<char>(Below(256))));
        break;
      case 2:
        value = Message(6, std::string(Below(12), static_cast<char>(Below(256))));
        break;
      case 3:
        value = OtherField(8 + Below(5));
        break;
      default:
        value = Number(Chance(2) ? 4 : Chance(2) ? 3 : 7, Any());
    }
    if (Chance(20)) return Message(4, value);
    return Message(4, Chance(20) ? value + Number(1, id) : Number(1, id) + value);
  }

  std::string Stats() {
    std::string stats;
    for (uint64_t n = Chance(2) ? 0 : Below(8); n > 0; --n) stats += Stat();
    return stats;
  }

  std::string UsualEvent() {
    const std::string id = Number(1, Chance(8) ? Any() : Below(400));
    return Message(4, id + Number(2, Any()) + (Chance(5) ? "" : Number(3, Any())) + Stats());
  }

  std::string OddEvent() {
    std::vector<std::string> fields;
    for (uint64_t n = Below(7); n > 0; --n) {
      const uint64_t field = 1 + Below(6);
      fields.push_back(field == 4 ? Stat() : field == 6 ? OtherField(6 + Below(20)) : Number(field, Any()));
    }
    std::string body;
    for (const std::string& field : fields) body += field;
    return Message(4, body);
  }

  // A field of any wire type, groups included.
  std::string OtherField(uint64_t number) {
    switch (Below(5)) {
      case 0:
        return Varint(number << 3 | 1) + std::string(8, 'x');
      case 1:
        return Varint(number << 3 | 5) + std::string(4, 'x');
      case 2:
        return Message(number, std::string(Below(20), 'x'));
      case 3:
        return Varint(number << 3 | 3) + Number(4, Any()) + Varint(number << 3 | 4);
      default:
        return Number(number, Any());
    }
  }

  std::mt19937_64 random_;
};

TEST_CASE("a usual line gives its events in order") {
  const std::string stat = Message(4, Number(1, 7) + Number(4, 42));
  const std::string line = Number(1, 5) + Message(2, "thread") + EventMessage(3, 1000, 500, stat) +
                           EventMessage(300, 1200, 0) + EventMessage(70'000, uint64_t{1} << 50, 7) + std::string();
  for (const Way way : {Way::kChecked, Way::kFast, Way::kPlain}) {
    const std::string followed = line + std::string(64, '\0');
    const Reading reading =
        ReadAll(Bytes(followed).substr(0, line.size()), way, wire::End(Bytes(followed)), nullptr);
    REQUIRE(reading.events.size() == 3);
    CHECK_FALSE(reading.broken);
    CHECK_FALSE(reading.late_header);
    CHECK(reading.position == static_cast<ptrdiff_t>(line.size()));
    CHECK(reading.events[0].event.metadata_id == 3);
    CHECK(reading.events[0].event.offset_ps == 1000);
    CHECK(reading.events[0].event.duration_ps == 500);
    REQUIRE(reading.events[0].stats.size() == 1);
    CHECK(reading.events[0].stats[0].metadata_id == 7);
    CHECK(reading.events[0].stats[0].any_int() == 42);
    CHECK(reading.events[1].event.metadata_id == 300);
    CHECK(reading.events[1].event.duration_ps == 0);
    CHECK(reading.events[1].stats.empty());
    CHECK(reading.events[2].event.metadata_id == 70'000);
    CHECK(reading.events[2].event.offset_ps == int64_t{1} << 50);
  }
}

TEST_CASE("a duration behind the stats counts, and so does the last of offset and occurrences") {
  const std::string stat = Message(4, Number(1, 7) + Number(4, 42));
  const std::string line = Message(4, Number(1, 3) + Number(2, 9) + stat + Number(3, 4)) +
                           Message(4, Number(1, 3) + Number(2, 9) + Number(3, 4) + stat + Number(5, 6)) +
                           Message(4, Number(5, 6) + Number(1, 3) + Number(2, 9)) + std::string();
  const std::string followed = line + std::string(64, '\0');
  const Reading reading =
      ReadAll(Bytes(followed).substr(0, line.size()), Way::kFast, wire::End(Bytes(followed)), nullptr);
  REQUIRE(reading.events.size() == 3);
  CHECK(reading.events[0].event.duration_ps == 4);
  CHECK(reading.events[0].event.offset_ps == 9);
  CHECK(reading.events[1].event.num_occurrences == 6);
  CHECK(reading.events[1].event.offset_ps == 0);
  CHECK(reading.events[1].event.duration_ps == 4);
  CHECK(reading.events[2].event.num_occurrences == 0);
  CHECK(reading.events[2].event.offset_ps == 9);
}

TEST_CASE("an id whose third byte looks like the next tag") {
  // 0x10 << 14: the bytes 80 80 10, and 0x10 is the tag of the offset.
  const std::string line = EventMessage(uint64_t{0x10} << 14, 5, 6) + EventMessage(1, 8, 9);
  const std::string followed = line + std::string(64, '\0');
  const Reading reading =
      ReadAll(Bytes(followed).substr(0, line.size()), Way::kFast, wire::End(Bytes(followed)), nullptr);
  REQUIRE(reading.events.size() == 2);
  CHECK(reading.events[0].event.metadata_id == 0x10 << 14);
  CHECK(reading.events[0].event.offset_ps == 5);
  CHECK(reading.events[1].event.offset_ps == 8);
}

TEST_CASE("only wanted stats are told of") {
  const auto stat = [](uint64_t id) { return Message(4, Number(1, id) + Number(7, id * 10)); };
  const std::string line =
      EventMessage(1, 2, 3, stat(5) + stat(200) + stat(6)) + EventMessage(1, 2, 3, stat(5) + stat(6));
  const std::vector<int64_t> ids = {200};
  for (const Way way : {Way::kChecked, Way::kFast, Way::kPlain}) {
    const std::string followed = line + std::string(64, '\0');
    const Reading reading = ReadAll(Bytes(followed).substr(0, line.size()), way, wire::End(Bytes(followed)), &ids);
    REQUIRE(reading.events.size() == 2);
    REQUIRE(reading.events[0].stats.size() == 1);
    CHECK(reading.events[0].stats[0].metadata_id == 200);
    CHECK(reading.events[0].stats[0].bits == 2000);
    CHECK(reading.events[0].event.stats.size() == stat(200).size() + stat(6).size());
    CHECK(reading.events[1].event.stats.empty());
  }
}

TEST_CASE("an event whose bytes make no sense is passed over and counted") {
  // The second event is cut inside a stat; its bytes would make an event if one read on inside it.
  const std::string stat = Message(4, Number(1, 7) + Number(4, 42));
  const std::string body = Number(1, 3) + Message(4, Number(1, 5) + Number(2, 6)) + Number(3, 4) + stat.substr(0, 3);
  const std::string line = EventMessage(1, 2, 3) + Message(4, body) + EventMessage(1, 5, 3);
  EventCursor cursor(line);
  EventBlock block;
  REQUIRE(cursor.Read(&block));
  REQUIRE(block.size == 2);
  CHECK(block[1].offset_ps == 5);
  CHECK_FALSE(cursor.broken());
  CHECK(cursor.bad_events() == 1);
  CHECK(cursor.first_bad() == wire::Begin(line) + EventMessage(1, 2, 3).size() + 2);
}

TEST_CASE("behind a line's broken end nothing is read, however often one asks") {
  const std::string line = EventMessage(1, 2, 3) + EventMessage(1, 5, 3).substr(0, 4);
  EventCursor cursor(line);
  EventBlock block;
  CHECK(cursor.Read(&block));
  CHECK(block.size == 1);
  CHECK(cursor.broken());
  CHECK_FALSE(cursor.Read(&block));
  CHECK_FALSE(cursor.Read(&block));
  Event event;
  CHECK_FALSE(cursor.Next(&event));
}

TEST_CASE("the head of a line behind its events is noticed") {
  const std::string line = EventMessage(1, 2, 3) + Number(3, 77) + EventMessage(1, 4, 3);
  CHECK(ReadAll(line, Way::kFast, nullptr, nullptr).late_header);
  CHECK_FALSE(ReadAll(Number(3, 77) + EventMessage(1, 2, 3), Way::kFast, nullptr, nullptr).late_header);
}

TEST_CASE("fast and checked decoding agree on random lines") {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    LineMaker maker(seed);
    CAPTURE(seed);
    CheckAllWays(maker.Line(), maker.SomeIds());
  }
}

TEST_CASE("fast and checked decoding agree wherever a line is cut") {
  for (uint64_t seed = 0; seed < 15; ++seed) {
    LineMaker maker(seed);
    const std::string line = maker.Line();
    const std::vector<int64_t> ids = maker.SomeIds();
    for (size_t size = 0; size < line.size(); ++size) {
      CAPTURE(seed, size);
      CheckAllWays(line.substr(0, size), ids);
    }
  }
}

TEST_CASE("fast and checked decoding agree on damaged lines") {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    LineMaker maker(seed);
    std::string line = maker.Line();
    for (uint64_t n = 1 + maker.Below(3); n > 0; --n) {
      line[maker.Below(line.size())] = static_cast<char>(maker.Below(256));
    }
    CAPTURE(seed);
    CheckAllWays(line, maker.SomeIds());
  }
}

}  // namespace
}  // namespace tfprof::xplane
