// What follows a damaged element is found again, in a number of bytes parsed that grows with the text and no faster.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "formats/chrome/scanner.h"

namespace tfprof::chrome {
namespace {

struct Scan {
  std::vector<std::string> names;
  std::vector<uint64_t> offsets;
  ScanFindings findings;
};

Scan ScanText(std::string_view text, size_t piece_size = SIZE_MAX) {
  Scan scan;
  EventScanner scanner;
  TraceEvent event;
  const auto take = [&] {
    while (scanner.Next(&event) == EventScanner::Step::kEvent) {
      scan.names.push_back(Decode(event.name));
      scan.offsets.push_back(event.offset);
    }
  };
  std::string piece;
  for (size_t at = 0; at < text.size(); at += piece.size()) {
    piece = text.substr(at, piece_size);
    scanner.Feed(piece);
    take();
  }
  scanner.Finish();
  take();
  scan.findings = scanner.findings();
  return scan;
}

std::string Repeated(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

using Names = std::vector<std::string>;
const std::string kGood = R"({"ph":"X","name":"good"})";

TEST_CASE("a broken element ends at the next event, whatever it holds") {
  for (const size_t size : {SIZE_MAX, size_t{1}, size_t{5}}) {
    const Scan nested =
        ScanText(R"([{"ph":"X","name":"a "q" b","args":{"l":[{"x":1},{"y":2},{}],"m":{}}},)" + kGood + "]", size);
    CHECK(nested.names == Names{"good"});
    CHECK(nested.findings.broken_events == 1);
    CHECK(nested.findings.first_broken == 1);
    CHECK_FALSE(nested.findings.truncated);
    const Scan two = ScanText(R"([{"name":"a "q" b","ph":"X"},{"name":"c "d" e","ph":"X"},)" + kGood + "]", size);
    CHECK(two.names == Names{"good"});
    CHECK(two.findings.broken_events == 2);
  }
}

TEST_CASE("a cut element takes no neighbour with it") {
  for (const char* cut : {R"({"ph":"X","name":"cut","ts":1,)", R"({"ph":"X","name":"cut","dur":)",
                          R"({"ph":"X","name":"cut","dur":,)", R"({"ph":"X","name":"cut","args":{"a":1,)",
                          R"({"ph":"X","name":"cut","args":{"a":)", "{\"ph\":\"X\",\"name\":\"cu\n"}) {
    for (const size_t size : {SIZE_MAX, size_t{1}, size_t{5}}) {
      INFO(cut << " in pieces of " << size);
      const Scan scan = ScanText("[" + kGood + "," + cut + kGood + "," + kGood + "]", size);
      CHECK(scan.names == Names{"good", "good", "good"});
      CHECK(scan.findings.broken_events == 1);
      CHECK(scan.findings.first_broken == kGood.size() + 2);
      CHECK_FALSE(scan.findings.truncated);
    }
  }
}

TEST_CASE("a bracket or brace too many hides nothing") {
  const auto filled = [](std::string text) {
    for (size_t at = text.find('G'); at != std::string::npos; at = text.find('G')) text.replace(at, 1, kGood);
    return text;
  };
  for (const char* form : {"[G}},G,G]", "[G},G,G]", "[G],G,G]", R"({"traceEvents":[G],G,G],"a":1})",
                           R"({"traceEvents":[G,G,G]],"a":1})", "[G,G,G]]", R"({"traceEvents":[G,G},G]})"}) {
    for (const size_t size : {SIZE_MAX, size_t{1}, size_t{5}}) {
      INFO(form << " in pieces of " << size);
      const Scan scan = ScanText(filled(form), size);
      CHECK(scan.names == Names(static_cast<size_t>(std::count(form, form + std::strlen(form), 'G')), "good"));
      CHECK(scan.findings.broken_events >= 1);
      CHECK_FALSE(scan.findings.truncated);
      CHECK_FALSE(scan.findings.trailing);
    }
  }
}

TEST_CASE("a broken last element is no cut text where the array is closed") {
  for (const char* text : {R"([{"ph":"X","name":"good"},{"ph":"X","name":"a "q" b"} ])",
                           R"({"traceEvents":[{"ph":"X","name":"good"},{"ph":"X","name":"a "q" b"},{}]} )"}) {
    INFO(text);
    const Scan scan = ScanText(text);
    CHECK(scan.names == Names{"good"});
    CHECK(scan.findings.broken_events == 1);
    CHECK_FALSE(scan.findings.truncated);
  }
  for (const char* text : {R"([{"ph":"X","name":"good"},{"ph":"X","name":"a "q" b","args":{"l":[1)",
                           R"([{"ph":"X","name":"good"},{"ph":"X","args":{"l":[{"a":1},{"b":2}])"}) {
    INFO(text);
    const Scan scan = ScanText(text);
    CHECK(scan.names == Names{"good"});
    CHECK(scan.findings.truncated);
  }
}

TEST_CASE("a bracket that is never closed hides one event") {
  const std::string text =
      R"([{"ph":"X","name":"open","args":{"l":[[[1,2]}},)" + Repeated(kGood + ",", 50) + kGood + "]";
  for (const size_t size : {SIZE_MAX, size_t{100}}) {
    const Scan scan = ScanText(text, size);
    CHECK(scan.names.size() == 51);
    CHECK(scan.findings.broken_events == 1);
  }
}

TEST_CASE("a key of any length at the top level is passed over") {
  const std::string text =
      "{\"" + std::string(100'000, 'k') + R"(\"" : 12 , "z":{"k":"}"}, "\u0074raceEvents":[)" + kGood + "]}";
  for (const size_t size : {SIZE_MAX, size_t{1}, size_t{700}, size_t{50'000}}) {
    const Scan scan = ScanText(text, size);
    CHECK(scan.names == Names{"good"});
    CHECK_FALSE(scan.findings.truncated);
  }
  CHECK(ScanText(text.substr(0, 60'000), 700).findings.truncated);
}

TEST_CASE("what follows the last document is told") {
  for (const size_t size : {SIZE_MAX, size_t{1}}) {
    const Scan scan = ScanText("[" + kGood + "] [" + kGood + "]\n garbage", size);
    CHECK(scan.names.size() == 2);
    CHECK(scan.findings.trailing);
    CHECK(scan.findings.trailing_at == 2 * kGood.size() + 7);
  }
  CHECK_FALSE(ScanText("[" + kGood + "]\n").findings.trailing);
}

TEST_CASE("damage is read alike however the text is cut") {
  const std::string_view tokens[] = {"{",
                                     "}",
                                     "[",
                                     "]",
                                     ",",
                                     ":",
                                     "\"",
                                     "\\",
                                     "\"ph\":\"X\"",
                                     "\"args\":",
                                     "\"name\":\"n\"",
                                     "1 ",
                                     "},{",
                                     R"({"ph":"X","name":"w"})",
                                     "\n",
                                     "\"a\":[{\"b\":1},{"};
  std::mt19937 random(11);
  for (int i = 0; i < 3000; ++i) {
    std::string text = random() % 2 == 0 ? "[" : "{\"traceEvents\":[";
    for (size_t n = random() % 40; n > 0; --n) text += tokens[random() % std::size(tokens)];
    if (random() % 2 == 0) text += "]";
    INFO(text);
    const Scan whole = ScanText(text);
    for (const size_t size : {size_t{1}, size_t{2}, size_t{7}}) {
      const Scan cut = ScanText(text, size);
      CHECK(cut.names == whole.names);
      CHECK(cut.offsets == whole.offsets);
      CHECK(cut.findings.broken_events == whole.findings.broken_events);
      CHECK(cut.findings.first_broken == whole.findings.first_broken);
      CHECK(cut.findings.truncated == whole.findings.truncated);
      CHECK(cut.findings.trailing == whole.findings.trailing);
    }
  }
}

TEST_CASE("what is parsed in vain grows as the text does") {
  const std::string_view hostile[] = {R"({"a":[[},)", R"({"a":[{},)", R"({"ph":"X","args":{"a":[{},)",
                                      R"({"a":"},)",  "{},{[",        R"([[},{"a)"};
  for (const std::string_view part : hostile) {
    for (const std::string_view tail : {"", "\"", "]", "\\"}) {
      for (const size_t size : {SIZE_MAX, size_t{4096}}) {
        const std::string text = "[" + Repeated(part, 300'000 / part.size()) + std::string(tail);
        INFO(part << " tail " << tail << " pieces of " << size);
        CHECK(ScanText(text, size).findings.parsed_in_vain < 6 * text.size() + (1 << 18));
      }
    }
  }
}

TEST_CASE("an element without an end is not kept for ever") {
  EventScanner scanner;
  TraceEvent event;
  const std::string head = R"([{"ph":"X","args":{"l":[)", rest = "]}}," + kGood + "]";
  scanner.Feed(head);
  const std::string piece = Repeated("1234567,", 1 << 17);
  for (int i = 0; i < 40; ++i) {
    REQUIRE(scanner.Next(&event) == EventScanner::Step::kNeedMore);
    scanner.Feed(piece);
  }
  REQUIRE(scanner.Next(&event) == EventScanner::Step::kNeedMore);
  scanner.Feed(rest);
  REQUIRE(scanner.Next(&event) == EventScanner::Step::kEvent);
  CHECK(event.offset == head.size() + 40 * piece.size() + rest.find(kGood));
  CHECK(scanner.findings().broken_events == 1);
}

TEST_CASE("offsets count what was left out of long strings") {
  const std::string text = R"([{"ph":"X","name":")" + std::string(3'000'000, 'n') + R"(","cat":")" +
                           std::string(900'000, 'c') + R"("},)" + kGood + R"(,{"ph":"X","name":"a "q"},)" + kGood + "]";
  const uint64_t second = text.find(kGood), third = text.rfind(kGood);
  for (const size_t size : {SIZE_MAX, size_t{100'000}, size_t{1} << 20}) {
    const Scan scan = ScanText(text, size);
    INFO("pieces of " << size);
    CHECK(scan.offsets == std::vector<uint64_t>{1, second, third});
    CHECK(scan.findings.first_broken == second + kGood.size() + 1);
  }
}

}  // namespace
}  // namespace tfprof::chrome
