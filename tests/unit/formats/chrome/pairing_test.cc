// Begin and end events to spans, by hand.
#include "formats/chrome/pairing.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/chrome/recording.h"

namespace tfprof::chrome {
namespace {

using Texts = std::vector<std::string>;

std::string Edge(char phase, const std::string& ts, const std::string& name = "", const std::string& more = "") {
  const std::string named = name.empty() ? "" : R"("name":")" + name + "\",";
  return std::string(R"({"ph":")") + phase + "\"," + named + "\"ts\":" + ts + more + "}";
}
Recorded ReadEdges(const Texts& edges) {
  std::string text;
  for (const std::string& edge : edges) text += (text.empty() ? "[" : ",") + edge;
  Recorded read = ReadText(text + "]");
  CHECK(ReadText(text + "]", 1).SameAs(read));
  return read;
}
std::string Span(const std::string& name, int64_t from_us, int64_t length_us) {
  return name + ":Unknown@" + std::to_string(from_us * 1'000'000) + "+" + std::to_string(length_us * 1'000'000);
}

TEST_CASE("stray ends cost nothing however much is open") {
  Pairing pairing;
  std::vector<PairedSpan> closed;
  constexpr uint64_t kMany = 300'000;  // squared it would take minutes
  for (uint64_t i = 0; i < kMany; ++i) pairing.Add({static_cast<int64_t>(i), 1, 1, false}, &closed);
  for (uint64_t i = 0; i < kMany; ++i) pairing.Add({static_cast<int64_t>(kMany), 0, 2, true}, &closed);
  CHECK(pairing.stray_ends() == kMany);
  CHECK(pairing.open().size() == kMany);
  pairing.Add({kMany, 0, 1, true}, &closed);
  pairing.Add({kMany, 3, 2, false}, &closed);
  pairing.Add({kMany + 1, 0, 2, true}, &closed);
  pairing.Add({kMany + 1, 0, 2, true}, &closed);
  CHECK(pairing.stray_ends() == kMany + 1);
  CHECK(closed.size() == 2);
}

TEST_CASE("an end without a name closes the innermost begin") {
  const Recorded read = ReadEdges(
      {Edge('B', "0", "a"), Edge('B', "1", "b"), Edge('E', "3"), Edge('B', "3", "c"), Edge('E', "4"), Edge('E', "9")});
  CHECK(read.Events() == Texts{Span("a", 0, 9), Span("b", 1, 2), Span("c", 3, 1)});
  CHECK(read.diagnostics.empty());
}

TEST_CASE("an end with a name closes the innermost begin of that name") {
  const Recorded read = ReadEdges({Edge('B', "0", "a"), Edge('B', "1", "b"), Edge('B', "2", "b"), Edge('B', "3", "c"),
                                   Edge('E', "5", "b"), Edge('E', "8", "a")});
  // c ends with the inner b, the outer b with a.
  CHECK(read.Events() == Texts{Span("a", 0, 8), Span("b", 1, 7), Span("b", 2, 3), Span("c", 3, 2)});
  CHECK(read.Count(DiagCode::kUnfinishedEvent) == 2);
  CHECK(read.Count(DiagCode::kStrayEnd) == 0);
}

TEST_CASE("recursion") {
  const Recorded read = ReadEdges({Edge('B', "0", "f"), Edge('B', "1", "f"), Edge('E', "2", "f"), Edge('E', "5", "f")});
  CHECK(read.Events() == Texts{Span("f", 0, 5), Span("f", 1, 1)});
}

TEST_CASE("an end without a begin is stray and closes nothing") {
  const Recorded read =
      ReadEdges({Edge('E', "0"), Edge('B', "1", "a"), Edge('E', "2", "b"), Edge('E', "3", "a"), Edge('E', "4", "a")});
  CHECK(read.Events() == Texts{"a:Unknown@1000000+2000000"});
  CHECK(read.Count(DiagCode::kStrayEnd) == 3);
  CHECK(read.Count(DiagCode::kUnfinishedEvent) == 0);
}

TEST_CASE("a begin without an end takes that of the innermost span around it") {
  const Recorded read = ReadEdges({Edge('X', "0", "outer", ",\"dur\":100"), Edge('X', "10", "inner", ",\"dur\":20"),
                                   Edge('B', "15", "open"), Edge('X', "40", "later", ",\"dur\":10")});
  CHECK(read.Events() ==
        Texts{Span("outer", 0, 100), Span("inner", 10, 20), Span("open", 15, 15), Span("later", 40, 10)});
  CHECK(read.Count(DiagCode::kUnfinishedEvent) == 1);
}

TEST_CASE("without a span around, it ends with the last time of its lane, stray ends included") {
  CHECK(ReadEdges({Edge('B', "0", "a"), Edge('B', "3", "b"), Edge('X', "4", "x", ",\"dur\":2")}).Events() ==
        Texts{Span("a", 0, 6), Span("b", 3, 3), Span("x", 4, 2)});
  CHECK(ReadEdges({Edge('B', "0", "a"), Edge('E', "7", "z")}).Events() == Texts{Span("a", 0, 7)});
  // Another lane's times say nothing.
  const Recorded read =
      ReadText(R"([{"ph":"B","ts":0,"name":"a","tid":1},{"ph":"X","ts":50,"dur":1,"name":"x","tid":2}])");
  CHECK(read.lanes.at(0).events == Texts{Span("a", 0, 0)});
}

TEST_CASE("begins of one lane do not meet the ends of another") {
  const Recorded read = ReadText(R"([{"ph":"B","ts":0,"name":"a","tid":1},{"ph":"B","ts":1,"name":"a","tid":2},
                                     {"ph":"E","ts":5,"tid":1},{"ph":"E","ts":7,"tid":2}])");
  REQUIRE(read.lanes.size() == 2);
  CHECK(read.lanes[0].events == Texts{Span("a", 0, 5)});
  CHECK(read.lanes[1].events == Texts{Span("a", 1, 6)});
}

TEST_CASE("steps back of up to a nanosecond keep the order of the file") {
  // Doubles whose last digit jitters: sorted by time, b's begin would come before a's end.
  const Recorded read = ReadEdges({Edge('B', "0", "a"), Edge('E', "5.00001"), Edge('B', "5", "b"), Edge('E', "8")});
  CHECK(read.Events() == Texts{"a:Unknown@0+5000010", Span("b", 5, 3)});
  CHECK(read.diagnostics.empty());
}

TEST_CASE("a lane that steps back further is sorted by time first") {
  const Recorded read = ReadEdges({Edge('B', "10", "b"), Edge('E', "12"), Edge('B', "1", "a"), Edge('E', "5")});
  CHECK(read.Events() == Texts{"a:Unknown@-9000000+4000000", "b:Unknown@0+2000000"});
  // The outer pair is written after the inner one.
  const Recorded outer =
      ReadEdges({Edge('B', "2", "in"), Edge('E', "3", "in"), Edge('B', "1", "out"), Edge('E', "9", "out")});
  CHECK(outer.Events() == Texts{"out:Unknown@-1000000+8000000", "in:Unknown@0+1000000"});
  CHECK(outer.diagnostics.empty());
}

TEST_CASE("a pair with the times of a complete event lies inside it") {
  const Recorded read = ReadEdges({Edge('B', "1", "pair"), Edge('X', "1", "whole", ",\"dur\":4"), Edge('E', "5")});
  CHECK(read.Events() == Texts{Span("whole", 0, 4), Span("pair", 0, 4)});
}

TEST_CASE("an end before its begin gives no negative length") {
  const Recorded read = ReadEdges({Edge('B', "5.0005", "a"), Edge('E', "5", "a")});
  CHECK(read.Events() == Texts{"a:Unknown@0+0"});
}

TEST_CASE("edges without a time or with a bad one are said and left out") {
  const Recorded read = ReadEdges({Edge('B', "1", "a"), Edge('E', "\"x\""), R"({"ph":"E"})", Edge('E', "4")});
  CHECK(read.Events() == Texts{Span("a", 0, 3)});
  CHECK(read.Count(DiagCode::kBadNumber) == 1);
  CHECK(read.Count(DiagCode::kMissingField) == 1);
}

}  // namespace
}  // namespace tfprof::chrome
