#include "formats/chrome/read_ahead.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tfprof::chrome {
namespace {

TEST_CASE("a packed event is the event") {
  std::string text = R"([{},{"ph":"X"},{"args":{}},{"args":"none","ph":"long"},)";
  text += R"({"ph":"B","name":"n\"","cat":null,"pid":"p","tid":7,"ts":1.5,"dur":[1],"args":{"name":{},"op":true,)";
  text += R"("long_name":"l","tf_op":"","annotation":"a","hlo_op":"h","correlation":5,"External id":6,"device":0,)";
  text += R"("is_eager":"1","hlo_category":"c","level 0":"z","group_id":"4","step_num":2}},{"ph":"E","ts":"9"}])";
  EventScanner scanner;
  scanner.Feed(text);
  EventBlock block;
  std::vector<TraceEvent> events(1);
  while (scanner.Next(&events.back()) == EventScanner::Step::kEvent) {
    REQUIRE(block.has_room());
    block.Add(events.back());
    events.emplace_back();
  }
  events.pop_back();
  REQUIRE(events.size() == 6);
  size_t position = 0;
  TraceEvent packed;
  for (const TraceEvent& event : events) {
    REQUIRE(block.Read(&position, &packed));
    CHECK(packed.phase == event.phase);
    CHECK(packed.has_args == event.has_args);
    CHECK(packed.empty == event.empty);
    CHECK(packed.args == event.args);
    CHECK(packed.offset == event.offset);
    const auto same = [](const JsonValue& a, const JsonValue& b) {
      return a.kind == b.kind && a.escaped == b.escaped && a.raw() == b.raw();
    };
    CHECK(same(packed.name, event.name));
    CHECK(same(packed.category, event.category));
    CHECK(same(packed.process, event.process));
    CHECK(same(packed.thread, event.thread));
    CHECK(same(packed.timestamp, event.timestamp));
    CHECK(same(packed.duration, event.duration));
    for (int key = 0; key < static_cast<int>(ArgKey::kCount); ++key) {
      CHECK(same(packed.arg(static_cast<ArgKey>(key)), event.arg(static_cast<ArgKey>(key))));
    }
  }
  CHECK_FALSE(block.Read(&position, &packed));
  CHECK(events[4].args == (ArgSet{1} << static_cast<unsigned>(ArgKey::kCount)) - 1);
}

std::string Text(int events) {
  std::string text = R"({"schemaVersion":1,"traceEvents":[)";
  for (int i = 0; i < events; ++i) {
    text += R"({"ph":"X","name":"op)" + std::to_string(i) + R"(","ts":)" + std::to_string(i) + R"(,"args":{"op":"T"}},)";
  }
  return text + R"({}],"traceName":"t"})";
}

TextPieces PiecesOf(const std::string& text, size_t piece, size_t* at, std::string* done) {
  return {[&text, piece, at]() -> Result<std::string_view> {
            const std::string_view next = std::string_view(text).substr(std::min(*at, text.size()), piece);
            *at += next.size();
            return next;
          },
          [done](std::string_view next) { *done += next; }};
}

TEST_CASE("events scanned ahead are those of the text, in order") {
  const std::string text = Text(5000);
  for (const size_t piece : {size_t{100}, size_t{4096}, size_t{100'000}, text.size()}) {
    size_t at = 0;
    std::string done;
    const TextPieces pieces = PiecesOf(text, piece, &at, &done);
    EventScanner scanner;
    int count = 0;
    {
      ReadAhead ahead(pieces, &scanner);
      while (const EventBlock* block = ahead.Next()) {
        CHECK(block->top.schema_version);
        TraceEvent event;
        for (size_t position = 0; block->Read(&position, &event);) {
          if (event.empty) continue;
          REQUIRE(Decode(event.name) == "op" + std::to_string(count));
          REQUIRE(Decode(event.arg(ArgKey::kOp)) == "T");
          ++count;
        }
      }
      CHECK_FALSE(ahead.status());
    }
    CHECK(count == 5000);
    CHECK(done == text);
    CHECK(scanner.top_level().trace_name);
    CHECK(scanner.findings().elements == 5001);
  }
}

TEST_CASE("scanning ahead may be given up, and tells of an error behind the events before it") {
  const std::string text = Text(5000);
  size_t at = 0;
  std::string done;
  TextPieces pieces = PiecesOf(text, 100'000, &at, &done);
  {
    EventScanner scanner;
    ReadAhead ahead(pieces, &scanner);
    CHECK(ahead.Next() != nullptr);
  }
  at = 0;
  pieces.next = [&, next = pieces.next]() -> Result<std::string_view> {
    if (at > 0) return Error{DiagCode::kUnreadableInput, "gone"};
    return next();
  };
  EventScanner scanner;
  ReadAhead ahead(pieces, &scanner);
  size_t events = 0;
  while (const EventBlock* block = ahead.Next()) {
    TraceEvent event;
    for (size_t position = 0; block->Read(&position, &event);) ++events;
  }
  CHECK(events > 1000);
  REQUIRE(ahead.status());
  CHECK(ahead.status()->message == "gone");
}

}  // namespace
}  // namespace tfprof::chrome
