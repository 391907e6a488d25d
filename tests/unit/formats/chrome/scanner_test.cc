#include "formats/chrome/scanner.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/chrome/pairing.h"

namespace tfprof::chrome {
namespace {

struct Scan {
  std::vector<std::string> events;  // phase and name of each
  ScanFindings findings;
  TopLevel top;
  bool operator==(const Scan& o) const {
    return events == o.events && findings.broken_events == o.findings.broken_events &&
           findings.truncated == o.findings.truncated && findings.unterminated_array == o.findings.unterminated_array &&
           findings.not_json == o.findings.not_json && top.has_trace_events == o.top.has_trace_events && top.rank == o.top.rank;
  }
};

// Feeds the text in pieces that end at `cuts`.
Scan ScanPieces(const std::string& text, const std::vector<size_t>& cuts) {
  Scan scan;
  EventScanner scanner;
  const auto take = [&] {
    for (TraceEvent event; scanner.Next(&event) == EventScanner::Step::kEvent;) {
      scan.events.push_back(std::string(1, event.phase == 0 ? '-' : event.phase) + Decode(event.name) +
                            std::string(event.duration.raw()) + Decode(event.arg(ArgKey::kTfOp)));
    }
  };
  size_t from = 0;
  std::string piece;  // moved on each time, so that views into an old one are found out by the sanitizer
  for (size_t i = 0; i <= cuts.size(); ++i) {
    const size_t to = i < cuts.size() ? cuts[i] : text.size();
    piece = std::string(text.substr(from, to - from));
    scanner.Feed(piece);
    take();
    from = to;
  }
  scanner.Finish();
  take();
  scan.findings = scanner.findings();
  scan.top = scanner.top_level();
  return scan;
}

const std::string kTexts[] = {
    R"([{"ph":"X","name":"a","dur":5},{"ph":"X","name":"b"}])",
    R"({"a":{"traceEvents":[1]},"traceEvents":[{"ph":"X","name":"x","args":{"tf_op":"a:A","deep":[[{"k":"}]"}]]}},{}],"z":"]"})",
    R"({"traceEvents":[,{"ph":"X","name":"a",},,{"ph":"B","name":"q\"\\\u00e9\ud83d\ude00"},]})",
    R"([{"ph":"X","name":"a "quoted" b","dur":1},{"ph":"X","name":"good"}])",
    R"([{"ph":"X",name":"a"},{"ph":"X","name":"good"},{"ph":"X","dur":Infinity,"name":"n"}])",
    R"([{"ph":"X","name":"whole"},{"ph":"X","name":"cu)",
    R"([{"ph":"X","name":"whole"},{"ph":"X","dur":12)",
    R"([{"ph":"X","name":"whole"},)",
    "\xef\xbb\xbf[{\"ph\":\"X\",\"name\":\"tab\there\"}]",
    R"({"distributedInfo":{"rank":3},"traceEvents":[{"name":"a","name":"b","ph":"X"}]} {"traceEvents":[{"ph":"i"}]})",
    "{\"a\":1}\n{\"a\":2}\n",
    "not json",
    "",
    "[]",
};

TEST_CASE("what the text is cut at makes no difference") {
  for (const std::string& text : kTexts) {
    INFO(text);
    const Scan whole = ScanPieces(text, {});
    std::vector<size_t> every;
    for (size_t i = 1; i < text.size(); ++i) {
      every.push_back(i);
      CHECK(ScanPieces(text, {i}) == whole);
    }
    CHECK(ScanPieces(text, every) == whole);
  }
}

TEST_CASE("what the scanner makes of each text") {
  CHECK(ScanPieces(kTexts[0], {}).events == std::vector<std::string>{"Xa5", "Xb"});
  CHECK(ScanPieces(kTexts[1], {}).events == std::vector<std::string>{"Xxa:A", "-"});
  CHECK(ScanPieces(kTexts[2], {}).events == std::vector<std::string>{"Xa", "Bq\"\\\xc3\xa9\xf0\x9f\x98\x80"});
  for (const int broken : {3, 4}) {
    CHECK(ScanPieces(kTexts[broken], {}).events[0] == "Xgood");
    CHECK(ScanPieces(kTexts[broken], {}).findings.broken_events == 1);
  }
  for (const int cut : {5, 6}) {
    CHECK(ScanPieces(kTexts[cut], {}).events == std::vector<std::string>{"Xwhole"});
    CHECK(ScanPieces(kTexts[cut], {}).findings.truncated);
  }
  CHECK(ScanPieces(kTexts[7], {}).findings.unterminated_array);
  CHECK_FALSE(ScanPieces(kTexts[7], {}).findings.truncated);
  CHECK(ScanPieces(kTexts[8], {}).events == std::vector<std::string>{"Xtab\there"});
  CHECK(ScanPieces(kTexts[9], {}).events == std::vector<std::string>{"Xb", "i"});
  CHECK(ScanPieces(kTexts[9], {}).top.rank == "3");
  CHECK_FALSE(ScanPieces(kTexts[10], {}).top.has_trace_events);
  CHECK(ScanPieces(kTexts[11], {}).findings.not_json);
}

TEST_CASE("keys are known in any order, of any length and number") {
  const std::string one = R"({"ph":"X","name":"a","dur":1,"args":{"tf_op":"t:T","a key that is longer than any":"name"}})";
  const std::string two = R"({"args":{"name":"n","tf_op" : "u:U"},"tf_op":"none","dur" :2,"name":"b","ph": "X"})";
  const std::string three = R"({"name":"c","tf_op":"none","args":{"dur":"9","ph":"Y"},"ph":"X"})";
  std::string many = R"({"ph":"X","name":"m","args":{)";
  for (int i = 0; i < 200; ++i) many += "\"key" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  many += R"("tf_op":"v:V"}})";
  std::string text = "[" + one;
  std::vector<std::string> expected = {"Xa1t:T"};
  for (int i = 0; i < 20; ++i) {
    text += "," + two + "," + three + "," + many + "," + one;
    for (const char* event : {"Xb2u:U", "Xc", "Xmv:V", "Xa1t:T"}) expected.emplace_back(event);
  }
  CHECK(ScanPieces(text + "]", {}).events == expected);
  CHECK(ScanPieces(text + "]", {500, 501, 5000, 9000}).events == expected);
}

TEST_CASE("depth and length have no limit") {
  const std::string deep = "[{\"ph\":\"X\",\"name\":\"d\",\"args\":{\"x\":" + std::string(10'000, '[') +
                           std::string(10'000, ']') + "}}]";
  CHECK(ScanPieces(deep, {}).events == std::vector<std::string>{"Xd"});
  EventScanner scanner;
  scanner.Feed("[{\"ph\":\"X\",\"args\":{\"long\":\"");
  TraceEvent event;
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 100; ++i) {
    REQUIRE(scanner.Next(&event) == EventScanner::Step::kNeedMore);
    scanner.Feed(piece);
  }
  REQUIRE(scanner.Next(&event) == EventScanner::Step::kNeedMore);
  scanner.Feed("\"},\"name\":\"end\"}]");
  REQUIRE(scanner.Next(&event) == EventScanner::Step::kEvent);
  CHECK(Decode(event.name) == "end");
}

TEST_CASE("ends close the innermost begin of their name") {
  Pairing pairing;
  std::vector<PairedSpan> closed;
  pairing.Add({0, 1, 1, false}, &closed);
  pairing.Add({5, 2, 2, false}, &closed);
  pairing.Add({6, 0, 1, true}, &closed);   // ends 2 too
  pairing.Add({7, 0, 3, true}, &closed);   // no such begin
  REQUIRE(closed.size() == 2);
  CHECK(closed[0].op == 2);
  CHECK(closed[1].op == 1);
  CHECK(closed[1].end_ps == 6);
  CHECK(pairing.unfinished() == 1);
  CHECK(pairing.stray_ends() == 1);
}

TEST_CASE("a begin without an end takes that of what is around it") {
  std::vector<PairedSpan> spans = {{0, 100, 1}, {20, 30, 2}};
  CloseOpen({{10, 7, 0, false}, {120, 8, 0, false}}, 150, &spans);
  REQUIRE(spans.size() == 4);
  CHECK(spans[2].end_ps == 100);
  CHECK(spans[3].end_ps == 150);
}

}  // namespace
}  // namespace tfprof::chrome
