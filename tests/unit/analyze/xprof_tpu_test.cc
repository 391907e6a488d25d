// Device ops of a TPU core as XProf counts them (reference: op_stats.md §4).
#include "analyze/xprof_tpu.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace tfprof::analyze {
namespace {

using trace::XprofEvent;
using trace::XprofNames;

enum Ops : uint32_t { kA, kB, kSameSymbol, kSameName };

XprofNames Names() {
  XprofNames names;
  names.ops.push_back({.module = 1, .symbol = 10, .name = "a", .type = "fusion", .provenance = "x:X", .flops = 5, .bytes = 7});
  names.ops.push_back({.module = 1, .symbol = 11, .name = "b", .type = "copy", .flops = 5, .model_flops = 3});
  names.ops.push_back({.module = 1, .symbol = 10, .name = "other", .type = "other"});
  names.ops.push_back({.module = 1, .symbol = 12, .name = "a", .type = "second"});
  return names;
}

XprofEvent Span(uint32_t op, uint64_t begin_ps, uint64_t end_ps, uint64_t occurrences = 1) {
  XprofEvent event;
  event.begin_ps = begin_ps;
  event.end_ps = end_ps;
  event.op = op;
  event.occurrences = occurrences;
  return event;
}

XprofOpSet Run(const std::vector<XprofEvent>& ops, const std::vector<XprofEvent>& window = {}) {
  const XprofNames names = Names();
  XprofTpuPlane plane;
  plane.BeginLine(true);
  plane.Add(window, names);
  plane.EndLine(names);
  plane.BeginLine(false);
  for (const XprofEvent& event : ops) plane.Add({&event, 1}, names);
  plane.EndLine(names);
  XprofOpSet device;
  plane.Finish(names, &device);
  return device;
}

std::string Text(const XprofOpSet& set) {
  std::string text;
  for (const XprofOpSet::Entry& e : set.entries()) {
    text += (text.empty() ? "" : ", ") + e.name + " " + std::to_string(e.metrics.occurrences) + " " +
            std::to_string(e.metrics.time_ps) + " " + std::to_string(e.metrics.self_ps);
  }
  return text;
}

TEST_CASE("a parent loses the time of its direct children") {
  CHECK(Text(Run({Span(kA, 0, 100), Span(kB, 10, 50), Span(kB, 20, 30), Span(kA, 110, 120)})) ==
        "b 2 50 40, a 2 110 70, IDLE 0 10 10");
}

TEST_CASE("ends are inclusive: equal spans nest, the second in the first") {
  CHECK(Text(Run({Span(kA, 0, 10), Span(kB, 0, 10)})) == "b 1 10 10, a 1 10 0, IDLE 0 0 0");
  CHECK(Text(Run({Span(kA, 0, 10), Span(kB, 10, 10)})) == "b 1 0 0, a 1 10 10, IDLE 0 0 0");
}

TEST_CASE("an event that overlaps its predecessor partly stands beside it") {
  CHECK(Text(Run({Span(kA, 0, 10), Span(kB, 5, 15)})) == "a 1 10 10, b 1 10 10, IDLE 0 0 0");
}

TEST_CASE("an event that is no op still takes time from its parent") {
  CHECK(Text(Run({Span(kA, 0, 100), Span(XprofEvent::kNone, 10, 50), Span(kB, 20, 30)})) ==
        "b 1 10 10, a 1 100 60, IDLE 0 30 30");
}

TEST_CASE("lines that only widen the window have no ops") {
  const XprofOpSet device = Run({Span(kA, 100, 110)}, {Span(kB, 0, 1000), Span(kB, 9000, 9010)});
  CHECK(Text(device) == "a 1 10 10, IDLE 0 9000 9000");
  CHECK(device.total_ps() == 9010);
  CHECK(device.op_ps() == 10);
}

TEST_CASE("a plane without events has a window of one picosecond") { CHECK(Text(Run({})) == "IDLE 0 1 1"); }

TEST_CASE("ops of one program and symbol are one, with the first one's texts") {
  const XprofOpSet device = Run({Span(kA, 0, 10), Span(kSameSymbol, 10, 20)});
  CHECK(Text(device) == "a 2 20 20, IDLE 0 0 0");
  CHECK(device.entries()[0].module == 1);
  CHECK(device.entries()[0].metrics.type == "fusion");
  CHECK(device.entries()[0].metrics.provenance == "x:X");
}

TEST_CASE("two symbols of one name in a program become one when planes are combined") {
  const XprofOpSet device = Run({Span(kA, 0, 10), Span(kSameName, 10, 30)});
  CHECK(Text(device) == "a 2 30 30, IDLE 0 0 0");
  CHECK(device.entries()[0].metrics.flops == 5);
}

TEST_CASE("aggregates tell their occurrences; flops and bytes are of each execution") {
  const XprofOpSet device = Run({Span(kA, 0, 10, 3), Span(kB, 10, 20, 2), Span(kA, 20, 30)});
  const XprofMetrics &a = device.entries()[0].metrics, &b = device.entries()[1].metrics;
  CHECK(a.occurrences == 4);
  CHECK(a.flops == 20);
  CHECK(a.model_flops == 20);  // not told: the flops
  CHECK(a.bytes == 28);
  CHECK(b.flops == 10);
  CHECK(b.model_flops == 6);
}

TEST_CASE("lines nest each for itself, and planes add up") {
  const XprofNames names = Names();
  XprofTpuPlane plane;
  XprofOpSet device;
  for (int i = 0; i < 2; ++i) {
    for (const XprofEvent& event : {Span(kA, 0, 10), Span(kB, 2, 4)}) {
      plane.BeginLine(false);
      plane.Add({&event, 1}, names);
      plane.EndLine(names);
    }
    plane.Finish(names, &device);
  }
  CHECK(Text(device) == "a 2 20 20, b 2 4 4, IDLE 0 0 0");
  CHECK(device.total_ps() == 24);  // Σ self is more than the window
}

}  // namespace
}  // namespace tfprof::analyze
