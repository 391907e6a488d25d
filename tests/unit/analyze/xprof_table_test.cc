// The whole compatible table: planes in, ranked rows and totals out (reference: op_stats.md §5, §8).
#include "analyze/xprof_table.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace tfprof::analyze {
namespace {

using trace::XprofEvent;
using trace::XprofNames;
using trace::XprofPlaneKind;

XprofEvent Span(uint32_t op, uint64_t begin_ps, uint64_t end_ps, uint32_t kernel = XprofEvent::kNone) {
  XprofEvent event;
  event.begin_ps = begin_ps;
  event.end_ps = end_ps;
  event.op = op;
  event.kernel = kernel;
  return event;
}

void PushLine(XprofTable* table, const std::vector<XprofEvent>& events, bool only_window = false) {
  table->BeginLine(only_window, true);
  table->Add(events);
  table->EndLine();
}

// A thread with a:A of 4 us and b:B of 1 us inside, then 1 us idle and b:B of 1 us.
void PushHost(XprofTable* table) {
  XprofNames names;
  names.ops.push_back({.name = "a", .type = "A"});
  names.ops.push_back({.name = "b", .type = "B"});
  table->BeginPlane(XprofPlaneKind::kHost, names);
  PushLine(table, {Span(0, 0, 4'000'000), Span(1, 1'000'000, 2'000'000), Span(1, 5'000'000, 6'000'000)});
  PushLine(table, {});
  table->EndPlane();
}

// A stream with two kernels of x:X, 3 us on tensor cores and 1 us not.
void PushGpu(XprofTable* table) {
  XprofNames names;
  names.ops.push_back({.name = "x/k1", .type = "X", .provenance = "x:X"});
  names.ops.push_back({.name = "x/k2", .type = "X", .provenance = "x:X"});
  names.kernels.push_back({.name = "k1", .uses_tensor_core = true, .op_name = "x"});
  names.kernels.push_back({.name = "k2", .op_name = "x"});
  table->BeginPlane(XprofPlaneKind::kGpu, names);
  PushLine(table, {Span(0, 0, 3'000'000, 0), Span(1, 4'000'000, 5'000'000, 1)});
  PushLine(table, {Span(XprofEvent::kNone, 0, 1)});
  table->EndPlane();
}

OpsResult FinishTable(XprofTable* table, bool include_idle = true, Diagnostics* diagnostics = nullptr) {
  Diagnostics ignored;
  return std::move(*table).Finish(Compat::kXprof, include_idle, diagnostics == nullptr ? &ignored : diagnostics);
}

// "1 Device x, 2 …"
std::string Ranked(const OpsResult& result) {
  std::string text;
  for (const OpsRow& row : result.rows) {
    text += (text.empty() ? "" : ", ") + std::to_string(row.rank) + " " + std::string(SideName(row.side)) + " " + row.op_name;
  }
  return text;
}

TEST_CASE("an empty profile gives an empty table") {
  XprofTable table;
  Diagnostics diagnostics;
  const OpsResult result = FinishTable(&table, true, &diagnostics);
  CHECK(result.rows.empty());
  CHECK(result.total_rows == 0);
  CHECK(result.compat == Compat::kXprof);
  CHECK_FALSE(result.has_gpu);
  CHECK(diagnostics.Empty());
}

TEST_CASE("device rows come first, ranks run on, totals are of all lines") {
  XprofTable table;
  table.SetDevice(true, {});
  PushHost(&table);
  PushGpu(&table);
  const OpsResult result = FinishTable(&table);
  CHECK(Ranked(result) == "1 Device x, 2 Device IDLE, 3 Host a, 4 Host b, 5 Host IDLE");
  CHECK(result.has_gpu);
  CHECK(result.include_idle);
  CHECK(result.total_rows == 5);
  CHECK(result.host.lanes == 1);
  CHECK(result.device.lanes == 1);
  CHECK(result.host.span_ps == 6'000'000);
  CHECK(result.host.idle_ps == 1'000'000);
  CHECK(result.device.sum_self_ps == 4'000'000);
  CHECK(result.device.idle_ps == 1'000'000);
  CHECK(result.rows[0].self_fraction == Approx(0.8));
  CHECK(result.rows[1].cumulative_fraction == Approx(1));
  CHECK(result.rows[2].self_fraction == Approx(0.5));
}

TEST_CASE("without idle rows the ranks have no gap") {
  XprofTable table;
  PushHost(&table);
  PushGpu(&table);
  const OpsResult result = FinishTable(&table, false);
  CHECK(Ranked(result) == "1 Device x, 2 Host a, 3 Host b");
  CHECK(result.rows[0].self_fraction == Approx(1));
  CHECK(result.rows[1].self_fraction == Approx(0.6));
}

TEST_CASE("tensor core use of an op is its kernels' share of time; the host has none") {
  XprofTable table;
  table.SetDevice(true, {});
  PushGpu(&table);
  XprofNames names;
  names.ops.push_back({.name = "x", .type = "X"});
  table.BeginPlane(XprofPlaneKind::kHost, names);
  PushLine(&table, {Span(0, 0, 10)});
  table.EndPlane();
  const OpsResult result = FinishTable(&table, false);
  REQUIRE(result.rows.size() == 2);
  CHECK(result.rows[0].roofline->gpu_tensorcore_utilization == 0.75);
  CHECK(result.rows[1].roofline->gpu_tensorcore_utilization == 0);
}

TEST_CASE("a TPU plane: nested ops, and lines that only widen the window") {
  XprofNames names;
  names.ops.push_back({.module = 1, .symbol = 1, .name = "f", .type = "fusion", .provenance = "a:A"});
  names.ops.push_back({.module = 1, .symbol = 2, .name = "g", .type = "copy"});
  XprofTable table;
  table.BeginPlane(XprofPlaneKind::kTpu, names);
  PushLine(&table, {Span(XprofEvent::kNone, 0, 100)}, true);
  PushLine(&table, {Span(0, 10, 50), Span(1, 20, 30)});
  table.EndPlane();
  const OpsResult result = FinishTable(&table);
  CHECK(Ranked(result) == "1 Device IDLE, 2 Device a, 3 Device g");
  CHECK(result.rows[0].self_ps == 60);
  CHECK(result.rows[1].self_ps == 30);
  CHECK(result.rows[2].op_type == "Unknown");
  CHECK(result.device.lanes == 1);
}

TEST_CASE("hosts add up in their order") {
  XprofTable a, b;
  a.SetDevice(false, {.tflops = 1, .hbm_gb = 2, .shared_gb = 3});
  b.SetDevice(true, {.tflops = 10});
  PushHost(&a);
  PushHost(&b);
  PushGpu(&b);
  a.Merge(std::move(b));
  const OpsResult result = FinishTable(&a);
  CHECK(Ranked(result) == "1 Device x, 2 Device IDLE, 3 Host a, 4 Host b, 5 Host IDLE");
  CHECK(result.has_gpu);
  CHECK(result.host.span_ps == 12'000'000);
  CHECK(result.host.lanes == 2);
  CHECK(result.rows[3].occurrences == 4);
  CHECK(result.rows[0].roofline->gpu_tensorcore_utilization == 0.75);
}

TEST_CASE("rows beyond 500 a side are cut and told of; they stay in the totals") {
  XprofNames names;
  XprofTable table;
  std::vector<XprofEvent> events;
  for (uint32_t i = 0; i < 510; ++i) {
    names.ops.push_back({.name = "op" + std::to_string(i), .type = "T"});
    events.push_back(Span(i, i * 10, i * 10 + 10));
  }
  table.BeginPlane(XprofPlaneKind::kHost, names);
  PushLine(&table, events);
  table.EndPlane();
  Diagnostics diagnostics;
  const OpsResult result = FinishTable(&table, true, &diagnostics);
  CHECK(result.rows.size() == 500);
  CHECK(result.total_rows == 511);  // IDLE too
  CHECK(result.host.sum_self_ps == 5100);
  CHECK(result.rows.back().cumulative_fraction == Approx(5000.0 / 5100));
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(diagnostics.items()[0].code == DiagCode::kRowsLimited);
  CHECK(diagnostics.items()[0].count == 11);
}

TEST_CASE("XLA ops on a GPU whose events tell no flops lack their roofline, and that is said") {
  XprofNames names;
  names.ops.push_back({.module = 1, .name = "add.1", .type = "add", .provenance = "a/add:", .batched = true});
  names.ops.push_back({.module = 1, .name = "dot.1", .type = "dot", .provenance = "a/dot:", .batched = true});
  XprofTable table;
  table.BeginPlane(XprofPlaneKind::kGpu, names);
  XprofEvent told = Span(1, 10, 20);
  told.flags = XprofEvent::kHasFlops;
  told.flops = 5;
  PushLine(&table, {Span(0, 0, 10), told});
  table.EndPlane();
  Diagnostics diagnostics;
  FinishTable(&table, true, &diagnostics);
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(diagnostics.items()[0].code == DiagCode::kMissingRoofline);
  CHECK(diagnostics.items()[0].count == 1);
}

}  // namespace
}  // namespace tfprof::analyze
