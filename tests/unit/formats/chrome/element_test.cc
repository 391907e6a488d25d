// Elements of the event array in whatever state they are, wherever the text is cut.
#include "formats/chrome/element.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/chrome/recording.h"

namespace tfprof::chrome {
namespace {

using Texts = std::vector<std::string>;

std::string X(const std::string& name, int ts, const std::string& more = "") {
  return R"({"ph":"X","name":")" + name + R"(","ts":)" + std::to_string(ts) + R"(,"dur":1)" + more + "}";
}
std::string Shown(const std::string& name, int at_us) {
  return name + ":Unknown@" + std::to_string(at_us * 1'000'000) + "+1000000";
}

// Reads the text whole, cut once at every byte, and byte by byte; all must give the same.
Recorded ReadCut(const std::string& text) {
  const Recorded whole = ReadText(text);
  for (size_t cut = 1; cut < text.size(); ++cut) {
    INFO("cut at " << cut);
    CHECK(ReadText(text, SIZE_MAX, cut).SameAs(whole));
  }
  CHECK(ReadText(text, 1).SameAs(whole));
  return whole;
}

TEST_CASE("white space and commas beyond need") {
  const Recorded read =
      ReadCut("[ ,{ \"ph\" :\r\n\"X\" ,\t\"name\":\"a\",\"ts\": 1 ,\"dur\":1, } , , " + X("b", 2) + ",]");
  CHECK(read.Events() == Texts{Shown("a", 0), Shown("b", 1)});
  CHECK(read.diagnostics.empty());
}

TEST_CASE("elements that are no objects are skipped and told") {
  const Recorded read =
      ReadCut("[1, \"{\", null, [" + X("inner", 1) + "], true, {}, -2.5e3, " + X("a", 1) + ", \"]\"]");
  CHECK(read.Events() == Texts{Shown("a", 0)});
  CHECK(read.Count(DiagCode::kBrokenEvent) == 6);  // null and {} tell nothing, so nothing is lost with them
  CHECK(ReadCut("[nope,-,nan,[],\"x\"," + X("a", 1) + "]").Count(DiagCode::kBrokenEvent) == 5);
}

TEST_CASE("events of phases that nobody knows are told") {
  const Recorded read = ReadCut("[" + X("a", 1) + R"(,{"ph":"Q","ts":1},{"ph":"z"},{"ph":"C","ts":1},{"ts":1}])");
  CHECK(read.Count(DiagCode::kBrokenEvent) == 2);
  CHECK(read.Count(DiagCode::kMissingField) == 1);
}

TEST_CASE("an array of objects without a phase among them is no trace") {
  CHECK(ReadCut("[[1], \"x\"]").facts.is_trace);  // an empty one, with damage
  CHECK_FALSE(ReadCut(R"([{"a":1}])").facts.is_trace);
  CHECK(ReadCut("[{}]").facts.is_trace);
  CHECK(ReadCut(R"({"traceEvents":[1]})").facts.is_trace);
}

TEST_CASE("NaN and Infinity are numbers, but no times") {
  const Recorded read =
      ReadCut("[" + X("a", 1, R"(,"args":{"x":NaN,"y":-Infinity},"z":Infinity)") +
              R"(,{"ph":"X","name":"n","ts":NaN,"dur":1},{"ph":"X","name":"i","ts":1,"dur":Infinity}])");
  CHECK(read.Events() == Texts{Shown("a", 0)});
  CHECK(read.Count(DiagCode::kBadNumber) == 2);
  CHECK(read.Count(DiagCode::kBrokenEvent) == 0);
}

TEST_CASE("brackets and quotes in texts are texts") {
  const Recorded read = ReadCut("[" + X("}],{[", 1, R"(,"args":{"k":"}]}\"","\"}":"\\"})") + "," + X("b", 2) + "]");
  CHECK(read.Events() == Texts{Shown("}],{[", 0), Shown("b", 1)});
}

TEST_CASE("a broken element is counted and the next whole one read") {
  for (const std::string broken :
       {R"({"ph":"X","name":"say "hi" now","ts":1,"dur":1})", R"({"ph":"X",name:"a","ts":1,"dur":1})",
        R"({"ph":"X" "name":"a"})", R"({"ph":"X","name" "a"})", R"({"ph":"X","ts":1;"dur":1})", R"({1:2})", R"(#{})"}) {
    INFO(broken);
    const Recorded read = ReadCut("[" + X("before", 1) + "," + broken + ",\n" + X("after", 2) + "]");
    CHECK(read.Events() == Texts{Shown("before", 0), Shown("after", 1)});
    CHECK(read.Count(DiagCode::kBrokenEvent) == 1);
    CHECK(read.Count(DiagCode::kTruncatedInput) == 0);
  }
}

TEST_CASE("every broken element is counted, and the first one's place is told") {
  const std::string head = "[" + X("a", 1) + ",";
  const Recorded read =
      ReadCut(head + R"({"ph" 1},)" + X("b", 2) + R"(,{"ph" 1} {"ph":"X","name":"c","ts":3,"dur":1}])");
  CHECK(read.Events() == Texts{Shown("a", 0), Shown("b", 1), Shown("c", 2)});
  CHECK(read.Count(DiagCode::kBrokenEvent) == 2);
  REQUIRE(read.diagnostics.size() == 1);
  CHECK(read.diagnostics[0].message.ends_with("first at byte " + std::to_string(head.size())));
}

TEST_CASE("a quote that is missing costs no more than its event") {
  const Recorded read = ReadCut("[" + X("a", 1) + R"(,{"ph":"X","name":"open,"ts":2,"dur":1},)" + X("b", 3) + "]");
  CHECK(read.Events() == Texts{Shown("a", 0), Shown("b", 2)});
  CHECK(read.Count(DiagCode::kBrokenEvent) == 1);
}

TEST_CASE("a text that ends inside an element keeps what came before") {
  const std::string whole = "[" + X("a", 1), rest = "," + X("b\\u00e9\\\"", 2, R"(,"args":{"k":[1,{"d":"\\"}]})");
  for (size_t size = 2; size < rest.size(); ++size) {
    const Recorded read = ReadText(whole + rest.substr(0, size));
    INFO(rest.substr(0, size));
    CHECK(read.Events() == Texts{Shown("a", 0)});
    CHECK(read.Count(DiagCode::kTruncatedInput) == 1);
    CHECK(read.Count(DiagCode::kUnterminatedArray) == 0);
  }
  for (const char* end : {"", ",", " , \n"}) {
    const Recorded read = ReadCut(whole + end);
    CHECK(read.Events() == Texts{Shown("a", 0)});
    CHECK(read.Count(DiagCode::kTruncatedInput) == 0);
    CHECK(read.Count(DiagCode::kUnterminatedArray) == 1);
  }
}

TEST_CASE("nesting of any depth") {
  for (const size_t depth : {10'000, 1'000'000}) {
    const std::string open(depth, '['), close(depth, ']');
    std::string objects, ends(depth, '}');
    for (size_t i = 0; i < depth; ++i) objects += "{\"a\":";
    const std::string text = "[" + X("d", 1, ",\"args\":{\"x\":" + open + close + "}") + "," +
                             X("o", 2, ",\"args\":{\"x\":" + objects + "1" + ends + "}") + "," + open + close + "]";
    for (const size_t piece : {SIZE_MAX, size_t{4099}}) {
      CHECK(ReadText(text, piece).Events() == Texts{Shown("d", 0), Shown("o", 1)});
    }
  }
}

}  // namespace
}  // namespace tfprof::chrome
