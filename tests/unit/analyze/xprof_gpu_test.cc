// Device ops of a GPU plane as XProf counts them (reference: op_stats.md §3).
#include "analyze/xprof_gpu.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace tfprof::analyze {
namespace {

using trace::XprofEvent;
using trace::XprofNames;

enum Ops : uint32_t { kAk, kBk, kAdd42, kAdd43, kMul42 };

XprofNames Names() {
  XprofNames names;
  names.ops.push_back({.name = "a/k", .type = "A", .provenance = "a:A"});
  names.ops.push_back({.name = "b/k", .type = "B", .provenance = "b:B"});
  names.ops.push_back({.module = 42, .name = "add.1", .type = "add", .provenance = "x/add:", .batched = true});
  names.ops.push_back({.module = 43, .name = "add.1", .type = "add", .provenance = "y/add:", .batched = true});
  names.ops.push_back({.module = 42, .name = "mul.1", .type = "mul", .provenance = "x/mul:", .batched = true});
  return names;
}

XprofEvent Kernel(uint32_t op, int64_t begin_ps, int64_t end_ps, uint8_t flags = 0, int64_t group = 0) {
  XprofEvent event;
  event.begin_ps = static_cast<uint64_t>(begin_ps);
  event.end_ps = static_cast<uint64_t>(end_ps);
  event.op = op;
  event.flags = flags;
  event.group = group;
  return event;
}
XprofEvent Grouped(uint32_t op, int64_t begin_ps, int64_t end_ps, int64_t group, uint8_t flags = 0) {
  return Kernel(op, begin_ps, end_ps, static_cast<uint8_t>(flags | XprofEvent::kGrouped), group);
}

XprofOpSet Run(const std::vector<std::vector<XprofEvent>>& lines) {
  const XprofNames names = Names();
  XprofGpuPlane plane;
  for (const std::vector<XprofEvent>& line : lines) {
    for (const XprofEvent& event : line) plane.Add({&event, 1}, names);
    plane.EndLine(names);
  }
  XprofOpSet device;
  plane.Finish(&device);
  return device;
}

// "42:add.1 2 10": module, name, occurrences, time (which is the self time).
std::string Text(const XprofOpSet& set) {
  std::string text;
  for (const XprofOpSet::Entry& e : set.entries()) {
    CHECK(e.metrics.self_ps == e.metrics.time_ps);
    text += (text.empty() ? "" : ", ") + (e.module == 0 ? "" : std::to_string(e.module) + ":") + e.name + " " +
            std::to_string(e.metrics.occurrences) + " " + std::to_string(e.metrics.time_ps);
  }
  return text;
}

TEST_CASE("kernels of framework ops count in full, whatever overlaps; what is left of the window is idle") {
  const XprofOpSet device = Run({{Kernel(kAk, 0, 10), Kernel(kBk, 5, 15), Kernel(kAk, 30, 40)}});
  CHECK(Text(device) == "a/k 2 20, b/k 1 10, IDLE 0 10");
  CHECK(device.total_ps() == 40);
  CHECK(device.op_ps() == 30);
  CHECK(device.entries()[0].metrics.type == "A");
  CHECK(device.entries()[0].metrics.provenance == "a:A");
}

TEST_CASE("streams add up, beyond the window too") {
  const XprofOpSet device = Run({{Kernel(kAk, 0, 10)}, {Kernel(kAk, 0, 10)}});
  CHECK(Text(device) == "a/k 2 20, IDLE 0 0");
  CHECK(device.total_ps() == 20);
}

TEST_CASE("events without an op widen the window only") {
  CHECK(Text(Run({{Kernel(XprofEvent::kNone, -100, -90), Kernel(kAk, 0, 10)}, {Kernel(XprofEvent::kNone, 0, 50)}})) ==
        "a/k 1 10, IDLE 0 140");
}

TEST_CASE("a window whose last end is not after 0 is none") {
  CHECK(Text(Run({{Kernel(XprofEvent::kNone, -100, -50)}})) == "IDLE 0 0");
  CHECK(Text(Run({})) == "IDLE 0 0");
}

TEST_CASE("negative durations wrap") {
  const XprofOpSet device = Run({{Kernel(kAk, 5000, 2000)}});
  CHECK(device.entries()[0].metrics.time_ps == UINT64_MAX - 2999);
}

TEST_CASE("kernels of one instruction in one group are a batch, of the program of its first") {
  CHECK(Text(Run({{Grouped(kAdd42, 0, 1, 5), Grouped(kAdd43, 1, 3, 5)}})) == "42:add.1 2 3, IDLE 0 0");
  CHECK(Text(Run({{Grouped(kAdd42, 0, 1, 5), Grouped(kAdd43, 1, 3, 6)}})) == "42:add.1 1 1, 43:add.1 1 2, IDLE 0 0");
}

TEST_CASE("a batch ends with another instruction, a framework op or the line, not with an event without an op") {
  CHECK(Text(Run({{Grouped(kAdd42, 0, 1, 5), Grouped(kMul42, 1, 2, 5), Grouped(kAdd43, 2, 3, 5)}})) ==
        "42:add.1 1 1, 42:mul.1 1 1, 43:add.1 1 1, IDLE 0 0");
  CHECK(Text(Run({{Grouped(kAdd42, 0, 1, 5), Kernel(kAk, 1, 2), Grouped(kAdd43, 2, 3, 5)}})) ==
        "42:add.1 1 1, a/k 1 1, 43:add.1 1 1, IDLE 0 0");
  CHECK(Text(Run({{Grouped(kAdd42, 0, 1, 5)}, {Grouped(kAdd43, 2, 3, 5)}})) == "42:add.1 1 1, 43:add.1 1 1, IDLE 0 1");
  CHECK(Text(Run({{Grouped(kAdd42, 0, 1, 5), Kernel(XprofEvent::kNone, 1, 2), Grouped(kAdd43, 2, 3, 5)}})) ==
        "42:add.1 2 2, IDLE 0 1");
}

TEST_CASE("without group ids each kernel is its own batch; a batch that was opened so has group 0") {
  CHECK(Text(Run({{Kernel(kAdd42, 0, 1), Kernel(kAdd43, 1, 2)}})) == "42:add.1 1 1, 43:add.1 1 1, IDLE 0 0");
  CHECK(Text(Run({{Kernel(kAdd42, 0, 1), Grouped(kAdd43, 1, 2, 0)}})) == "42:add.1 2 2, IDLE 0 0");
  CHECK(Text(Run({{Grouped(kAdd42, 0, 1, 0), Kernel(kAdd43, 1, 2)}})) == "42:add.1 1 1, 43:add.1 1 1, IDLE 0 0");
}

TEST_CASE("the eager flag is that of the entry's first batch, and that of a batch is its first kernel's") {
  const auto eager = [](const XprofOpSet& set) { return set.entries().front().metrics.eager; };
  CHECK(eager(Run({{Kernel(kAk, 0, 1, XprofEvent::kEager), Kernel(kAk, 1, 2)}})));
  CHECK_FALSE(eager(Run({{Kernel(kAk, 0, 1), Kernel(kAk, 1, 2, XprofEvent::kEager)}})));
  CHECK_FALSE(eager(Run({{Grouped(kAdd42, 0, 1, 5), Grouped(kAdd42, 1, 2, 5, XprofEvent::kEager)}})));
  CHECK(eager(Run({{Grouped(kAdd42, 0, 1, 5, XprofEvent::kEager), Grouped(kAdd42, 1, 2, 5)}})));
}

TEST_CASE("flops and bytes of a batch are those told last, once for each kernel") {
  XprofEvent first = Grouped(kAdd42, 0, 1, 5, XprofEvent::kHasFlops | XprofEvent::kHasBytes);
  first.flops = 100;
  first.bytes = 10;
  XprofEvent second = Grouped(kAdd42, 1, 2, 5, XprofEvent::kHasFlops);
  second.flops = 7;
  second.bytes = 999;  // not told
  const XprofOpSet device = Run({{first, second, Grouped(kAdd42, 2, 3, 5)}});
  const XprofMetrics& add = device.entries()[0].metrics;
  CHECK(add.occurrences == 3);
  CHECK(add.flops == 21);
  CHECK(add.model_flops == 21);
  CHECK(add.bytes == 30);
  CHECK(add.needs_cost_analysis);
  CHECK_FALSE(Run({{Kernel(kAk, 0, 1)}}).entries()[0].metrics.needs_cost_analysis);
}

TEST_CASE("a plane is forgotten once it is added, and planes add up") {
  const XprofNames names = Names();
  XprofGpuPlane plane;
  XprofOpSet device;
  for (int i = 0; i < 2; ++i) {
    const XprofEvent kernel = Kernel(kAk, 0, 10);
    plane.Add({&kernel, 1}, names);
    plane.EndLine(names);
    plane.Finish(&device);
  }
  CHECK(Text(device) == "a/k 2 20, IDLE 0 0");
  CHECK(device.total_ps() == 20);
}

}  // namespace
}  // namespace tfprof::analyze
