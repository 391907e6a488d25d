// The op table from lanes to rows: strict numbers, worked out by hand (design §3).
#include "analyze/op_table.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/recording_sink.h"

namespace tfprof::analyze {
namespace {

using namespace tfprof::testing;
using trace::EventBatch;
using trace::LaneInfo;
using trace::Op;
using trace::OpDictionary;
using trace::Role;

// A plane to push lanes of into a table.
class Plane {
 public:
  Plane(OpTable* table, Side side, std::string name, std::string host = "h")
      : table_(table), side_(side), name_(std::move(name)), host_(std::move(host)) {}

  uint32_t Intern(const char* type, const char* name, const char* kernel = "", bool attributed = true) {
    return ops_->Intern({type, name, kernel, attributed});
  }
  LaneInfo Info(std::string_view lane, int64_t id = 7) const {
    LaneInfo info;
    info.side = side_;
    info.role = side_ == Side::kHost ? Role::kHostOps : Role::kStream;
    info.host = host_;
    info.plane = name_;
    info.name = lane;
    info.id = id;
    info.ops = ops_.get();
    return info;
  }
  void Lane(const LaneInfo& info, const std::vector<SeenEvent>& events) {
    trace::LaneConsumer* lane = table_->Open(info);
    REQUIRE(lane != nullptr);
    Push(events, lane);
    lane->Close();
  }
  void Lane(std::string_view name, const std::vector<SeenEvent>& events) { Lane(Info(name), events); }
  void End() { table_->EndPlane(*ops_); }

 private:
  OpTable* table_;
  Side side_;
  std::string name_, host_;
  std::unique_ptr<OpDictionary> ops_ = std::make_unique<OpDictionary>();
};

OpsResult FinishTable(OpTable* table, bool include_idle = true, Diagnostics* diagnostics = nullptr) {
  Diagnostics ignored;
  return std::move(*table).Finish(include_idle, diagnostics == nullptr ? &ignored : diagnostics);
}

const OpsRow& RowOf(const OpsResult& result, Side side, const std::string& name) {
  for (const OpsRow& row : result.rows) {
    if (row.side == side && (row.op_name == name || (row.op_name.empty() && row.key == name))) return row;
  }
  FAIL("no row " << name);
  return result.rows.front();
}

OpTableOptions By(OpsBy by) {
  OpTableOptions options;
  options.by = by;
  return options;
}

TEST_CASE("a table of nothing has no rows, not even idle ones, and nothing to say") {
  OpTable table(By(OpsBy::kOp));
  Diagnostics diagnostics;
  const OpsResult result = FinishTable(&table, true, &diagnostics);
  CHECK(result.rows.empty());
  CHECK(result.total_rows == 0);
  CHECK(result.host.lanes == 0);
  CHECK(diagnostics.Empty());
}

// Two threads: a of 100 with a child b of 40, then a gap of 100 and b of 10; on the other thread a from 50 to 150.
void PushTwoThreads(OpTable* table) {
  Plane host(table, Side::kHost, "/host:CPU");
  const uint32_t a = host.Intern("A", "a"), b = host.Intern("B", "b");
  host.Lane("t1", {{0, 100, a}, {10, 40, b}, {200, 10, b}});
  host.Lane("t2", {{50, 100, a, EventBatch::kEager}});
  host.End();
}

TEST_CASE("host rows: times, shares, ranks; idle is per thread, span and busy are of all threads together") {
  OpTable table(By(OpsBy::kOp));
  PushTwoThreads(&table);
  Diagnostics diagnostics;
  const OpsResult result = FinishTable(&table, true, &diagnostics);
  CHECK(result.host.lanes == 2);
  CHECK(result.host.span_ps == 210);
  CHECK(result.host.busy_ps == 160);
  CHECK(result.host.sum_self_ps == 210);
  CHECK(result.host.idle_ps == 100);
  REQUIRE(result.rows.size() == 3);
  const OpsRow &a = result.rows[0], &idle = result.rows[1], &b = result.rows[2];
  CHECK(a.op_name == "a");
  CHECK(a.op_type == "A");
  CHECK(a.occurrences == 2);
  CHECK(a.total_ps == 200);
  CHECK(a.self_ps == 160);
  CHECK(a.eager);
  CHECK(a.self_fraction == Approx(160.0 / 310));
  CHECK(idle.idle);
  CHECK(idle.op_name == "IDLE");
  CHECK(idle.op_type == "IDLE");
  CHECK(idle.occurrences == 0);
  CHECK(idle.self_ps == 100);
  CHECK(b.self_ps == 50);
  CHECK(b.total_ps == 50);
  CHECK_FALSE(b.eager);
  CHECK(b.cumulative_fraction == 1.0);
  for (size_t i = 0; i < 3; ++i) CHECK(result.rows[i].rank == static_cast<int>(i) + 1);
  CHECK(diagnostics.Has(DiagCode::kNoDeviceActivity));
}

TEST_CASE("without idle the shares are of the self times alone") {
  OpTable table(By(OpsBy::kOp));
  PushTwoThreads(&table);
  const OpsResult result = FinishTable(&table, false);
  REQUIRE(result.rows.size() == 2);
  CHECK(result.rows[0].self_fraction == Approx(160.0 / 210));
  CHECK(result.rows[1].rank == 2);
  CHECK(result.rows[1].cumulative_fraction == 1.0);
  CHECK(result.host.idle_ps == 100);
}

TEST_CASE("a side that has ops has an IDLE row, even of 0; equal times go by name") {
  OpTable table(By(OpsBy::kOp));
  Plane host(&table, Side::kHost, "/host:CPU");
  const uint32_t z = host.Intern("Z", "z"), a = host.Intern("A", "a");
  host.Lane("t", {{0, 10, z}, {10, 10, a}});
  host.End();
  const OpsResult result = FinishTable(&table);
  REQUIRE(result.rows.size() == 3);
  CHECK(result.rows[0].op_name == "a");
  CHECK(result.rows[1].op_name == "z");
  CHECK(result.rows[2].idle);
  CHECK(result.rows[2].self_ps == 0);
}

TEST_CASE("ops of zero length have shares of zero, not of a division by it") {
  OpTable table(By(OpsBy::kOp));
  Plane host(&table, Side::kHost, "/host:CPU");
  host.Lane("t", {{5, 0, host.Intern("A", "a")}});
  host.End();
  const OpsResult result = FinishTable(&table);
  CHECK(RowOf(result, Side::kHost, "a").occurrences == 1);
  CHECK(RowOf(result, Side::kHost, "a").self_fraction == 0);
}

TEST_CASE("lanes of one idle group are one thread for idle time") {
  OpTable table(By(OpsBy::kOp));
  Plane host(&table, Side::kHost, "/host:CPU");
  const uint32_t a = host.Intern("A", "a");
  LaneInfo grouped = host.Info("row 1");
  grouped.idle_group = "process";
  host.Lane(grouped, {{0, 10, a}, {50, 10, a}});
  host.Lane(grouped, {{20, 10, a}});
  host.Lane("thread", {{0, 10, a}, {15, 5, a}});
  host.End();
  CHECK(FinishTable(&table).host.idle_ps == 60 - 30 + 5);
}

TEST_CASE("device idle is of the union of a plane's streams; planes are devices of their own") {
  OpTable table(By(OpsBy::kOp));
  for (const char* name : {"/device:GPU:0", "/device:GPU:1"}) {
    Plane gpu(&table, Side::kDevice, name);
    const uint32_t a = gpu.Intern("A", "a", "k");
    gpu.Lane("s1", {{0, 100, a}});
    gpu.Lane("s2", {{50, 100, a}, {200, 10, a}});
    gpu.End();
  }
  Diagnostics diagnostics;
  const OpsResult result = FinishTable(&table, true, &diagnostics);
  CHECK(result.device.lanes == 4);
  CHECK(result.device.span_ps == 2 * 210);
  CHECK(result.device.busy_ps == 2 * 160);
  CHECK(result.device.idle_ps == 2 * 50);
  CHECK(result.device.sum_self_ps == 2 * 210);
  CHECK(diagnostics.Empty());
}

TEST_CASE("planes that name one device share its span") {
  OpTable table(By(OpsBy::kOp));
  for (const char* name : {"stream:all", "memcpy"}) {
    Plane gpu(&table, Side::kDevice, name);
    LaneInfo info = gpu.Info("s");
    info.device = "/gpu:0";
    gpu.Lane(info, {{name[0] == 's' ? 0 : 50, 60, gpu.Intern("A", "a", "k")}});
    gpu.End();
  }
  const OpsResult result = FinishTable(&table);
  CHECK(result.device.span_ps == 110);
  CHECK(result.device.busy_ps == 110);
}

TEST_CASE("files have clocks of their own: their spans are added, not joined") {
  OpTable first(By(OpsBy::kOp));
  OpTableOptions options;
  options.file = 1;
  OpTable second(options);
  PushTwoThreads(&first);
  PushTwoThreads(&second);
  first.Merge(std::move(second));
  const OpsResult result = FinishTable(&first);
  CHECK(result.host.span_ps == 420);
  CHECK(result.host.busy_ps == 320);
  CHECK(result.host.idle_ps == 200);
  CHECK(RowOf(result, Side::kHost, "a").occurrences == 4);
}

TEST_CASE("threads of one file, merged, are as if one thread had read all") {
  OpTable a(By(OpsBy::kOp)), b(By(OpsBy::kOp));
  Plane of_a(&a, Side::kHost, "/host:CPU"), of_b(&b, Side::kHost, "/host:CPU");
  const uint32_t op_a = of_a.Intern("A", "a");
  of_a.Lane("t1", {{0, 100, op_a}});
  of_a.End();
  of_b.Intern("X", "unused");
  const uint32_t op_b = of_b.Intern("A", "a");
  of_b.Lane("t2", {{50, 100, op_b}, {200, 100, op_b}});
  of_b.End();
  a.Merge(std::move(b));
  const OpsResult result = FinishTable(&a);
  REQUIRE(result.rows.size() == 2);
  CHECK(result.rows[0].occurrences == 3);
  CHECK(result.host.span_ps == 300);
  CHECK(result.host.busy_ps == 250);
  CHECK(result.host.idle_ps == 50);
  CHECK(result.host.lanes == 2);
}

TEST_CASE("an op on a device occurs as often as the commonest of its kernels, over all planes") {
  OpTable table(By(OpsBy::kOp));
  for (const char* name : {"/device:GPU:0", "/device:GPU:1"}) {
    Plane gpu(&table, Side::kDevice, name);
    const uint32_t k1 = gpu.Intern("MatMul", "dense", "k1"), k2 = gpu.Intern("MatMul", "dense", "k2");
    gpu.Lane("s", {{0, 5, k1}, {10, 5, k2}, {20, 5, k2}});
    gpu.End();
  }
  const OpsResult result = FinishTable(&table);
  CHECK(RowOf(result, Side::kDevice, "dense").occurrences == 4);
  CHECK(RowOf(result, Side::kDevice, "dense").total_ps == 30);
}

TEST_CASE("kernels that nobody claims are rows, and their sum is told, flagged events too") {
  OpTable table(By(OpsBy::kOp));
  Plane gpu(&table, Side::kDevice, "/device:GPU:0");
  const uint32_t a = gpu.Intern("A", "a", "k"), unknown = gpu.Intern("Unknown", "k9", "k9", false);
  gpu.Lane("s", {{0, 60, a}, {100, 30, unknown}, {200, 10, a, EventBatch::kUnattributed}});
  gpu.End();
  Diagnostics diagnostics;
  const OpsResult result = FinishTable(&table, true, &diagnostics);
  CHECK(result.device.unattributed_ps == 40);
  CHECK(RowOf(result, Side::kDevice, "k9").self_ps == 30);
  REQUIRE(diagnostics.Has(DiagCode::kUnattributedDeviceTime));
  CHECK_THAT(diagnostics.items()[0].message, Catch::StartsWith("40.0% of the device's op time"));
}

TEST_CASE("devices come before the host, one op name on both sides is two rows") {
  OpTable table(By(OpsBy::kOp));
  Plane host(&table, Side::kHost, "/host:CPU"), gpu(&table, Side::kDevice, "/device:GPU:0");
  host.Lane("t", {{0, 1000, host.Intern("A", "a")}});
  gpu.Lane("s", {{0, 1, gpu.Intern("A", "a", "k")}});
  host.End();
  gpu.End();
  const OpsResult result = FinishTable(&table, false);
  REQUIRE(result.rows.size() == 2);
  CHECK(result.rows[0].side == Side::kDevice);
  CHECK(result.rows[0].self_fraction == 1);
  CHECK(result.rows[1].rank == 2);
  CHECK(result.rows[1].self_fraction == 1);
}

TEST_CASE("a row is an op of a name and a type") {
  OpTable table(By(OpsBy::kOp));
  Plane host(&table, Side::kHost, "/host:CPU");
  host.Lane("t", {{0, 10, host.Intern("A", "a")}, {10, 5, host.Intern("B", "a")}});
  host.End();
  CHECK(FinishTable(&table, false).rows.size() == 2);
}

TEST_CASE("views and lanes without ops are not wanted") {
  OpTable table(By(OpsBy::kOp));
  LaneInfo info;
  for (const Role role : {Role::kView, Role::kOther}) {
    info.role = role;
    CHECK(table.Open(info) == nullptr);
  }
}

TEST_CASE("a lane without an op is no lane of the table") {
  OpTable table(By(OpsBy::kOp));
  Plane host(&table, Side::kHost, "/host:CPU");
  host.Lane("t", {{0, 10, Op::kNone}});
  host.Lane("u", {});
  host.End();
  const OpsResult result = FinishTable(&table);
  CHECK(result.host.lanes == 0);
  CHECK(result.host.span_ps == 0);
  CHECK(result.rows.empty());
}

// Keys, in order of rows, with self times: "x:10 y:5".
std::string RowsBy(OpsBy by) {
  OpTable table(By(by));
  for (const char* name : {"h1", "h2"}) {
    Plane host(&table, Side::kHost, "/host:CPU", name);
    const uint32_t m = host.Intern("MatMul", "net/a/m"), c = host.Intern("MatMul", "net/a/c"), r = host.Intern("Relu", "r");
    const int64_t scale = name[1] == '1' ? 1 : 10;
    host.Lane(host.Info("main", 1), {{0, 100 * scale, m}, {10 * scale, 40 * scale, c}});
    host.Lane(host.Info("", 2), {{0, 7 * scale, r}});
    host.End();
  }
  std::string text;
  for (const OpsRow& row : FinishTable(&table, false).rows) {
    CHECK(row.op_name.empty() == (by != OpsBy::kOp));
    text += (row.key.empty() ? row.op_name : row.key) + ":" + std::to_string(static_cast<int64_t>(row.self_ps)) + "/" +
            std::to_string(static_cast<int64_t>(row.total_ps)) + " ";
  }
  return text;
}

TEST_CASE("rows by type, scope, host, device and lane: self times add up, totals are unions") {
  CHECK(RowsBy(OpsBy::kOp) == "net/a/m:660/1100 net/a/c:440/440 r:77/77 ");
  CHECK(RowsBy(OpsBy::kType) == "MatMul:1100/1100 Relu:77/77 ");
  CHECK(RowsBy(OpsBy::kScope) == "net/a:1100/1100 :77/77 ");
  CHECK(RowsBy(OpsBy::kHost) == "h2:1070/1070 h1:107/107 ");
  CHECK(RowsBy(OpsBy::kDevice) == "h2:1070/1070 h1:107/107 ");  // the host side has no devices
  CHECK(RowsBy(OpsBy::kLane) == "h2/host:CPU/main:1000/1000 h1/host:CPU/main:100/100 h2/host:CPU/2:70/70 h1/host:CPU/2:7/7 ");
}

TEST_CASE("overlaps and overruns are told with their count and the first place") {
  OpTable table(By(OpsBy::kOp));
  Plane host(&table, Side::kHost, "/host:CPU"), gpu(&table, Side::kDevice, "/device:GPU:0");
  const uint32_t a = host.Intern("A", "a"), k = gpu.Intern("A", "a", "k");
  host.Lane("z", {{0, 100'000, a}, {60'000, 100'000, a}});
  host.Lane("b", {{0, 100'000, a}, {70'000, 100'000, a}});
  gpu.Lane("s", {{0, 100, k}, {10, 1, k}, {20, 1, k}});
  host.End();
  gpu.End();
  Diagnostics diagnostics;
  FinishTable(&table, true, &diagnostics);
  std::map<DiagCode, Diagnostic> by_code;
  for (const Diagnostic& d : diagnostics.items()) by_code[d.code] = d;
  CHECK(by_code[DiagCode::kOverlappingEvents].count == 3);
  CHECK_THAT(by_code[DiagCode::kOverlappingEvents].message, Catch::EndsWith("h/device:GPU:0, lane \"s\" (7), 0.000 µs"));
  CHECK(by_code[DiagCode::kOverrun].count == 1);
}

TEST_CASE("distributions are asked for, and merged over kernels and hosts") {
  OpTableOptions options;
  options.distribution = true;
  OpTable table(options);
  Plane gpu(&table, Side::kDevice, "/device:GPU:0");
  gpu.Lane("s", {{0, 10, gpu.Intern("A", "a", "k1")}, {20, 1000, gpu.Intern("A", "a", "k2")}});
  gpu.End();
  const OpsResult result = FinishTable(&table);
  const OpsRow& row = RowOf(result, Side::kDevice, "a");
  REQUIRE(row.distribution);
  CHECK(row.distribution->min_ps == 10);
  CHECK(row.distribution->max_ps == 1000);
  CHECK(row.distribution->p99_ps == Approx(1000).epsilon(0.01));
  CHECK_FALSE(RowOf(result, Side::kDevice, "IDLE").distribution);
}

TEST_CASE("sums need more than 64 bits") {
  OpTable table(By(OpsBy::kOp));
  Plane gpu(&table, Side::kDevice, "/device:GPU:0");
  const uint32_t a = gpu.Intern("A", "a", "k");
  for (int i = 0; i < 4; ++i) gpu.Lane("s", {{0, INT64_MAX, a}});
  gpu.End();
  const OpsResult result = FinishTable(&table);
  CHECK(result.device.sum_self_ps == int128{INT64_MAX} * 4);
  CHECK(result.device.busy_ps == INT64_MAX);
}

TEST_CASE("the scope of an op") {
  CHECK(ScopeOf("model/dense/MatMul") == "model/dense");
  CHECK(ScopeOf("MatMul").empty());
  CHECK(ScopeOf("").empty());
  CHECK(ScopeOf("/x").empty());
  CHECK(ScopeOf("a/") == "a");
}

}  // namespace
}  // namespace tfprof::analyze
