// From XProf's op metrics to the rows of its page (reference: op_stats.md §3.1, §5).
#include "analyze/xprof_rows.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace tfprof::analyze {
namespace {

XprofMetrics& Put(XprofOpSet* set, const std::string& name, const char* type, const char* provenance, uint64_t occurrences,
                  uint64_t time_ps) {
  XprofMetrics& m = set->Of(0, name).metrics;
  m.type = type;
  m.provenance = provenance;
  m.occurrences = occurrences;
  m.time_ps = m.self_ps = time_ps;
  return m;
}

TEST_CASE("kernels become the op that their provenance names: times add up, the commonest kernel tells occurrences") {
  XprofOpSet device;
  Put(&device, "dense/MatMul/k1", "MatMul", "dense/MatMul:MatMul", 10, 100).flops = 5;
  Put(&device, "dense/MatMul/k2", "MatMul", "dense/MatMul:MatMul", 20, 50).flops = 7;
  device.SetTotals(400, 150);
  const XprofOpSet rows = RegroupByFrameworkOp(device);
  REQUIRE(rows.entries().size() == 1);
  CHECK(rows.entries()[0].name == "dense/MatMul");
  CHECK(rows.entries()[0].metrics.type == "MatMul");
  CHECK(rows.entries()[0].metrics.occurrences == 20);
  CHECK(rows.entries()[0].metrics.time_ps == 150);
  CHECK(rows.entries()[0].metrics.self_ps == 150);
  CHECK(rows.entries()[0].metrics.flops == 12);
  CHECK(rows.total_ps() == 400);
  CHECK(rows.op_ps() == 150);
}

TEST_CASE("the key is the name alone: of two types the first stays, of two eager flags the last") {
  XprofOpSet device;
  Put(&device, "a/k1", "A", "a:A", 1, 1).eager = true;
  Put(&device, "a/k2", "B", "a:B", 1, 1).eager = false;
  Put(&device, "b/k1", "B", "b:B", 1, 1);
  Put(&device, "b/k2", "B", "b:B", 1, 1).eager = true;
  const XprofOpSet rows = RegroupByFrameworkOp(device);
  REQUIRE(rows.entries().size() == 2);
  CHECK(rows.entries()[0].metrics.type == "A");
  CHECK_FALSE(rows.entries()[0].metrics.eager);
  CHECK(rows.entries()[1].metrics.eager);
}

TEST_CASE("what provenances name, of every grammar") {
  struct Row {
    const char *provenance, *name, *type;
  };
  const Row row = GENERATE(Row{"a/b:MatMul", "a/b", "MatMul"}, Row{"jit(f)/dot_general:", "jit(f)/dot_general", "dot_general"},
                           Row{"", "own", "Unknown"}, Row{"a b:MatMul", "a b:MatMul", "Unknown"},
                           Row{"a/:", "a/", "Unknown"}, Row{"XLA_Args:XLA_Args", "XLA_Args", "XLA_Args"},
                           Row{"Iterator::Map", "Iterator::Map", "Dataset"});
  XprofOpSet device;
  Put(&device, "own", "category", row.provenance, 1, 1);
  const XprofOpSet rows = RegroupByFrameworkOp(device);
  REQUIRE(rows.entries().size() == 1);
  CHECK(rows.entries()[0].name == row.name);
  CHECK(rows.entries()[0].metrics.type == row.type);
}

TEST_CASE("idle time is known by its category, and an op of that type joins it") {
  XprofOpSet device;
  Put(&device, "a/k", "IDLE", "a:IDLE", 3, 10);
  device.AddSpan(110, 10);
  const XprofOpSet rows = RegroupByFrameworkOp(device);
  REQUIRE(rows.entries().size() == 1);
  CHECK(rows.entries()[0].name == "IDLE");
  CHECK(rows.entries()[0].metrics.occurrences == 3);
  CHECK(rows.entries()[0].metrics.time_ps == 110);
}

std::vector<OpsRow> Rows(const XprofOpSet& set, bool include_idle = true, const XprofRooflineInput& input = {}) {
  return MakeXprofRows(set, Side::kHost, include_idle, input);
}

TEST_CASE("rows fall by self time, equal ones go by name, byte by byte") {
  XprofOpSet set;
  for (const char* name : {"ab", "a_", "a.b", "a", "B"}) Put(&set, name, "T", "", 1, 5);
  Put(&set, "z", "T", "", 1, 6);
  std::string order;
  for (const OpsRow& row : Rows(set)) order += row.op_name + " ";
  CHECK(order == "z B a a.b a_ ab ");
}

TEST_CASE("shares are of the total with or without idle time, and run on") {
  XprofOpSet set;
  Put(&set, "a", "T", "", 4, 30'000'000).self_ps = 20'000'000;
  Put(&set, "b", "T", "", 1, 10'000'000);
  set.AddSpan(100'000'000, 30'000'000);
  const std::vector<OpsRow> with = Rows(set);
  REQUIRE(with.size() == 3);
  CHECK(with[0].idle);
  CHECK(with[0].op_type == "IDLE");
  CHECK(with[0].self_fraction == Approx(0.7));
  CHECK(with[1].op_name == "a");
  CHECK(with[1].total_ps == 30'000'000);
  CHECK(with[1].self_fraction == Approx(0.2));
  CHECK(with[2].cumulative_fraction == Approx(1));
  const std::vector<OpsRow> without = Rows(set, false);
  REQUIRE(without.size() == 2);
  CHECK(without[0].self_fraction == Approx(2.0 / 3));
  CHECK(without[1].cumulative_fraction == Approx(1));
  CHECK(without[0].rank == 0);  // ranks run over both sides
}

TEST_CASE("a total of nothing gives shares of 0") {
  XprofOpSet set;
  Put(&set, "a", "T", "", 1, 0);
  CHECK(Rows(set).at(0).self_fraction == 0);
  CHECK(Rows(XprofOpSet()).empty());
}

TEST_CASE("an op of type IDLE is left out without idle time, its time stays in the total") {
  XprofOpSet set;
  Put(&set, "x", "IDLE", "", 1, 10);
  Put(&set, "a", "T", "", 1, 10);
  set.AddSpan(20, 20);
  const std::vector<OpsRow> rows = Rows(set, false);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].self_fraction == Approx(0.5));
}

TEST_CASE("a side is cut to 500 rows before idle time is left out") {
  XprofOpSet set;
  for (int i = 0; i < 600; ++i) Put(&set, "op" + std::to_string(i), "T", "", 1, static_cast<uint64_t>(1000 + i));
  set.AddSpan(100'000'000, 0);
  CHECK(Rows(set).size() == 500);
  const std::vector<OpsRow> without = Rows(set, false);
  CHECK(without.size() == 499);
  CHECK(without.front().op_name == "op599");
  CHECK(without.back().op_name == "op101");
}

TEST_CASE("times are unsigned: what wrapped ranks first") {
  XprofOpSet set;
  Put(&set, "a", "T", "", 1, 5);
  Put(&set, "wrapped", "T", "", 1, uint64_t{0} - 3000);
  const std::vector<OpsRow> rows = Rows(set);
  CHECK(rows[0].op_name == "wrapped");
  CHECK(rows[0].self_ps == int128{UINT64_MAX} - 2999);
}

TEST_CASE("rates are per nanosecond of total time, bandwidth in GiB") {
  XprofOpSet set;
  XprofMetrics& a = Put(&set, "a", "T", "", 1, 1'000'000);
  a.self_ps = 1;
  a.flops = 2000;
  a.model_flops = 3000;
  a.bytes = 1000;
  const Roofline roofline = *Rows(set)[0].roofline;
  CHECK(roofline.measured_flop_rate == 2);
  CHECK(roofline.model_flop_rate == 3);
  CHECK(roofline.measured_memory_bw == Approx(1e9 / (1 << 30)));
  CHECK(roofline.operational_intensity == 2);
  CHECK(roofline.bound_by == "Unknown");  // no peaks are known
}

TEST_CASE("an op is bound by what it uses most of, of equals by the first") {
  const auto bound = [](double flops, double bytes, trace::XprofPeaks peaks) {
    XprofOpSet set;
    XprofMetrics& a = Put(&set, "a", "T", "", 1, 1'000'000);  // 1 us
    a.flops = flops;
    a.bytes = bytes;
    return Rows(set, true, {peaks, {}})[0].roofline->bound_by;
  };
  CHECK(bound(2000, 1000, {.tflops = 1, .hbm_gb = 1000}) == "Compute");  // 0.002, 0.001
  CHECK(bound(2000, 1000, {.tflops = 1, .hbm_gb = 100}) == "HBM");       // 0.002, 0.01
  CHECK(bound(2000, 1000, {.tflops = 1, .hbm_gb = 100, .shared_gb = 50}) == "Shm/L1");
  CHECK(bound(0, 1000, {.hbm_gb = 100, .shared_gb = 100}) == "HBM");
  CHECK(bound(0, 0, {.tflops = 1, .hbm_gb = 100, .shared_gb = 50}) == "Unknown");
}

TEST_CASE("tensor core use goes by the row's name") {
  XprofOpSet set;
  Put(&set, "a", "T", "", 1, 2);
  Put(&set, "b", "T", "", 1, 1);
  const std::vector<OpsRow> rows = Rows(set, true, {{}, {{"a", 0.25}}});
  CHECK(rows[0].roofline->gpu_tensorcore_utilization == 0.25);
  CHECK(rows[1].roofline->gpu_tensorcore_utilization == 0);
}

}  // namespace
}  // namespace tfprof::analyze
