#include "formats/chrome/read_ahead.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tfprof::chrome {
namespace {

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
        for (size_t i = 0; i < block->size; ++i) {
          const TraceEvent& event = block->events[i];
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
  while (const EventBlock* block = ahead.Next()) events += block->size;
  CHECK(events > 1000);
  REQUIRE(ahead.status());
  CHECK(ahead.status()->message == "gone");
}

}  // namespace
}  // namespace tfprof::chrome
