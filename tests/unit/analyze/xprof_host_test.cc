// Host ops as XProf counts and loses them: the table of op_stats.md §2.2, row by row.
#include "analyze/xprof_host.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

namespace tfprof::analyze {
namespace {

using trace::XprofEvent;
using trace::XprofNames;

enum Ops : uint32_t { kA, kB, kC, kO, kIdleNamed, kStage, kSameName };

XprofNames Names() {
  XprofNames names;
  for (const char* name : {"a", "b", "c", "o", "IDLE"}) names.ops.push_back({.name = name, .type = "T"});
  names.ops.push_back({.module = 3, .name = "a", .type = "Stage"});
  names.ops.push_back({.name = "a", .type = "Other"});
  return names;
}

XprofEvent Span(uint32_t op, uint64_t begin_ps, uint64_t end_ps, bool eager = false) {
  XprofEvent event;
  event.begin_ps = begin_ps;
  event.end_ps = end_ps;
  event.op = op;
  event.flags = eager ? XprofEvent::kEager : 0;
  return event;
}

using Line = std::vector<XprofEvent>;

XprofOpSet Run(const std::vector<Line>& lines, bool in_order, uint64_t* lanes = nullptr) {
  const XprofNames names = Names();
  XprofHostPlane plane;
  for (const Line& line : lines) {
    plane.BeginLine(in_order);
    for (size_t i = 0; i < line.size(); i += 2) {  // in pieces
      plane.Add(std::span(line).subspan(i, std::min<size_t>(2, line.size() - i)));
    }
    plane.EndLine();
  }
  if (lanes != nullptr) *lanes = plane.lanes();
  XprofOpSet host;
  plane.Finish(names, &host);
  return host;
}

// "a 1 10 7, IDLE 0 5 5": name, occurrences, time, self.
std::string Text(const XprofOpSet& set) {
  std::string text;
  for (const XprofOpSet::Entry& e : set.entries()) {
    text += (text.empty() ? "" : ", ") + e.name + " " + std::to_string(e.metrics.occurrences) + " " +
            std::to_string(e.metrics.time_ps) + " " + std::to_string(e.metrics.self_ps);
  }
  return text;
}

// Lines whose events are in order give the same whether they are held or not.
std::string Both(const Line& line) {
  const std::string streamed = Text(Run({line}, true));
  CHECK(Text(Run({line}, false)) == streamed);
  return streamed;
}

TEST_CASE("properly nested ops") {
  CHECK(Both({Span(kA, 0, 100), Span(kB, 10, 50), Span(kC, 20, 30), Span(kB, 60, 70)}) ==
        "c 1 10 10, b 2 50 40, a 1 100 50, IDLE 0 0 0");
}

TEST_CASE("back to back both count, the gaps between are idle") {
  CHECK(Both({Span(kA, 5, 10), Span(kB, 10, 20), Span(kC, 27, 30)}) == "a 1 5 5, b 1 10 10, c 1 3 3, IDLE 0 7 7");
}

TEST_CASE("a child that ends with its parent is lost, and so are all that are still open") {
  CHECK(Both({Span(kA, 0, 10), Span(kB, 5, 10)}) == "a 1 10 10, IDLE 0 0 0");
  CHECK(Both({Span(kO, 0, 100), Span(kA, 10, 20), Span(kB, 15, 20)}) == "a 1 10 10, IDLE 0 90 90");
}

TEST_CASE("of three that end together the outermost counts") {
  CHECK(Both({Span(kO, 0, 100), Span(kA, 10, 50), Span(kB, 20, 50), Span(kC, 30, 50)}) == "a 1 40 40, IDLE 0 60 60");
}

TEST_CASE("of identical twins the first counts") {
  CHECK(Both({Span(kA, 0, 10), Span(kB, 0, 10)}) == "a 1 10 10, IDLE 0 0 0");
  CHECK(Both({Span(kO, 0, 50), Span(kA, 0, 10), Span(kB, 0, 10)}) == "a 1 10 10, IDLE 0 40 40");
}

TEST_CASE("of two that overlap partly the earlier counts in full, the later and the ancestors are lost") {
  CHECK(Both({Span(kA, 0, 10), Span(kB, 5, 15)}) == "a 1 10 10, IDLE 0 5 5");
  CHECK(Both({Span(kO, 0, 20), Span(kA, 0, 10), Span(kB, 5, 15)}) == "a 1 10 10, IDLE 0 10 10");
}

TEST_CASE("instants count: inside, at the begin and at the end of another") {
  CHECK(Both({Span(kA, 0, 10), Span(kB, 5, 5)}) == "b 1 0 0, a 1 10 10, IDLE 0 0 0");
  CHECK(Both({Span(kA, 0, 10), Span(kB, 0, 0)}) == "b 1 0 0, a 1 10 10, IDLE 0 0 0");
  CHECK(Both({Span(kA, 0, 10), Span(kB, 10, 10)}) == "a 1 10 10, b 1 0 0, IDLE 0 0 0");
}

TEST_CASE("equal begins go by the file: what is listed before its parent costs the parent") {
  CHECK(Both({Span(kB, 0, 10), Span(kO, 0, 100)}) == "b 1 10 10, IDLE 0 90 90");
}

TEST_CASE("events out of order are sorted by time") {
  CHECK(Text(Run({{Span(kB, 60, 70), Span(kA, 0, 100), Span(kC, 10, 20)}}, false)) ==
        "c 1 10 10, b 1 10 10, a 1 100 80, IDLE 0 0 0");
}

TEST_CASE("an event that ends before it begins is lost with all that are open") {
  CHECK(Text(Run({{Span(kO, 0, 100'000), Span(kA, 10'000, 7'000)}}, false)) == "IDLE 0 100000 100000");
}

TEST_CASE("times up to 2^64") {
  CHECK(Both({Span(kA, UINT64_MAX - 10, UINT64_MAX), Span(kB, UINT64_MAX - 5, UINT64_MAX - 1)}) ==
        "b 1 4 4, a 1 10 6, IDLE 0 0 0");
}

TEST_CASE("lines are apart: their windows and idle times add up, an empty one has none") {
  uint64_t lanes = 0;
  const XprofOpSet host = Run({{Span(kA, 0, 10)}, {}, {Span(kB, 2, 4), Span(kA, 8, 12)}}, true, &lanes);
  CHECK(Text(host) == "a 2 14 14, IDLE 0 4 4, b 1 2 2");
  CHECK(host.total_ps() == 20);
  CHECK(host.op_ps() == 16);
  CHECK(lanes == 2);
  CHECK(Text(Run({{}}, true)) == "IDLE 0 0 0");
  CHECK(Text(Run({{}}, false)) == "IDLE 0 0 0");
  CHECK(Text(Run({}, true)).empty());
}

TEST_CASE("a line in order and one that is not follow each other on one plane") {
  const XprofNames names = Names();
  XprofHostPlane plane;
  const Line sorted = {Span(kA, 0, 10)}, unsorted = {Span(kA, 20, 30), Span(kB, 0, 10)};
  for (const Line* line : {&sorted, &unsorted, &sorted}) {
    plane.BeginLine(line == &sorted);
    plane.Add(*line);
    plane.EndLine();
  }
  XprofOpSet host;
  plane.Finish(names, &host);
  CHECK(Text(host) == "a 3 30 30, IDLE 0 10 10, b 1 10 10");
  CHECK(plane.lanes() == 0);  // the plane is forgotten
}

TEST_CASE("one name under two modules is two ops, under two types one with the first of them") {
  const XprofOpSet host = Run({{Span(kA, 0, 10), Span(kStage, 10, 20), Span(kSameName, 20, 30)}}, true);
  REQUIRE(host.entries().size() == 3);
  CHECK(host.entries()[0].metrics.type == "T");
  CHECK(host.entries()[0].metrics.occurrences == 2);
  CHECK(host.entries()[1].module == 3);
  CHECK(host.entries()[1].metrics.type == "Stage");
}

TEST_CASE("an op called IDLE shares its row with the idle time") {
  const XprofOpSet host = Run({{Span(kIdleNamed, 0, 10), Span(kA, 20, 30)}}, true);
  REQUIRE(host.entries().size() == 2);
  CHECK(host.entries()[0].metrics.type == "T");
  CHECK(host.entries()[0].metrics.occurrences == 1);
  CHECK(host.entries()[0].metrics.time_ps == 20);
}

TEST_CASE("an op is eager if any of its events is") {
  const XprofOpSet host = Run({{Span(kA, 0, 10), Span(kB, 10, 20)}, {Span(kA, 0, 10, true)}}, true);
  CHECK(host.entries()[0].metrics.eager);
  CHECK_FALSE(host.entries()[1].metrics.eager);
}

}  // namespace
}  // namespace tfprof::analyze
