// Comparisons of runs whose ops are not the same: renamed, new, gone, summed up, idle, unattributed; and what is said
// about it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/run_fixture.h"

namespace tfprof::compare {
namespace {

using trace::Side;
using Ops = std::vector<TestOp>;
using Runs = std::vector<RunProfile>;

Comparison Compared(const Runs& base, const Runs& next, CompareBy by = CompareBy::kOp) {
  CompareOptions options;
  options.by = by;
  Result<Comparison> comparison = Compare(base, next, options);
  REQUIRE(comparison);
  return *comparison;
}

const ChangeRow& RowNamed(const std::vector<ChangeRow>& rows, const std::string& name) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const ChangeRow& candidate) {
    return (candidate.key.op_name.empty() ? candidate.key.op_type : candidate.key.op_name) == name;
  });
  INFO(name);
  REQUIRE(row != rows.end());
  return *row;
}

const Mismatch* MismatchOf(const Comparison& comparison, const std::string& what) {
  for (const Mismatch& mismatch : comparison.parity) {
    if (mismatch.what == what) return &mismatch;
  }
  return nullptr;
}

const Ops kOps = {{"Conv2D", "conv_1", 500}, {"MatMul", "dense", 300}, {"Relu", "relu", 200}};

TEST_CASE("a counter in a name that changed is a rename, shown as such and held against the old name") {
  Ops next = kOps;
  next[0] = {"Conv2D", "conv_4", 600};
  const Comparison c = Compared(RunsOf(5, kOps), RunsOf(5, next));
  const ChangeRow& conv = RowNamed(c.rows, "conv_4");
  CHECK(conv.base_name == "conv_1");
  CHECK(conv.presence == Presence::kBoth);
  CHECK(*conv.self.relative == Approx(0.2).margin(0.01));
  CHECK(conv.self.verdict == Verdict::kRegressed);
  CHECK(RowNamed(c.rows, "dense").base_name.empty());
}

TEST_CASE("another name for the same work is new and gone, but nobody's regression") {
  Ops next = kOps;
  next[0].name = "convolution";
  const Comparison c = Compared(RunsOf(5, kOps), RunsOf(5, next));
  const ChangeRow& appeared = RowNamed(c.rows, "convolution");
  const ChangeRow& vanished = RowNamed(c.rows, "conv_1");
  CHECK(appeared.presence == Presence::kNew);
  CHECK(vanished.presence == Presence::kGone);
  CHECK(!appeared.self.relative);
  CHECK(*vanished.self.relative == -1);
  CHECK(appeared.self.verdict == Verdict::kUnchanged);
  CHECK(vanished.self.verdict == Verdict::kUnchanged);
  CHECK(appeared.self.reason == "the 2 ops that are new or gone are decided as one, +0 % together");
  CHECK(c.gated == 3);  // dense, relu, and the two as one
  const ChangeRow& type = RowNamed(c.types, "Conv2D");
  CHECK(type.presence == Presence::kBoth);
  CHECK(type.self.delta == 0);
  CHECK(type.self.verdict == Verdict::kUnchanged);
}

TEST_CASE("ops that were fused into one of another type are decided by what they cost together") {
  const Ops before = {{"Conv2D", "conv", 500}, {"Relu", "relu", 200}, {"MatMul", "dense", 300}};
  const auto fused = [](double us) { return Ops{{"_FusedConv2D", "fused", us}, {"MatMul", "dense", 300}}; };
  const Comparison faster = Compared(RunsOf(5, before), RunsOf(5, fused(550)));
  CHECK(RowNamed(faster.rows, "conv").self.verdict == Verdict::kImproved);
  CHECK(RowNamed(faster.rows, "fused").self.verdict == Verdict::kNotGated);
  CHECK(!RowNamed(faster.rows, "fused").gated);
  const Comparison slower = Compared(RunsOf(5, before), RunsOf(5, fused(900)));
  CHECK(RowNamed(slower.rows, "fused").self.verdict == Verdict::kRegressed);
  CHECK(RowNamed(slower.rows, "conv").self.verdict == Verdict::kNotGated);
  const Comparison few = Compared(RunsOf(1, before), RunsOf(1, fused(900)));
  CHECK(RowNamed(few.rows, "fused").self.verdict == Verdict::kSuspect);
  CHECK(RowNamed(few.rows, "fused").self.reason.find("needs 4 runs a side, has 1+1; the 3 ops") == 0);
}

TEST_CASE("an op that is new and costs something has regressed, one that is gone has improved") {
  Ops more = kOps;
  more.push_back({"Cast", "cast", 100});
  const Comparison c = Compared(RunsOf(5, kOps), RunsOf(5, more));
  const ChangeRow& cast = RowNamed(c.rows, "cast");
  CHECK(cast.presence == Presence::kNew);
  CHECK(cast.self.verdict == Verdict::kRegressed);
  CHECK(cast.self.reason.empty());
  CHECK(cast.self.base == std::vector<double>(5, 0));
  CHECK(cast.share_of_change > 0.9);
  const Comparison turned = Compared(RunsOf(5, more), RunsOf(5, kOps));
  CHECK(RowNamed(turned.rows, "cast").presence == Presence::kGone);
  CHECK(RowNamed(turned.rows, "cast").self.verdict == Verdict::kImproved);
}

TEST_CASE("what is new on the device is not made up for by what is gone on the host") {
  const Ops host = {{"Conv2D", "conv", 500}, {"MatMul", "dense", 300}};
  const Ops device = {{"Conv2D", "conv", 450, Side::kDevice}, {"MatMul", "dense", 300}};
  const Comparison c = Compared(RunsOf(5, host), RunsOf(5, device));
  REQUIRE(c.rows.size() == 3);
  for (const ChangeRow& row : c.rows) {
    if (row.key.op_name != "conv") continue;
    CHECK(row.self.verdict == (row.key.side == Side::kDevice ? Verdict::kRegressed : Verdict::kImproved));
  }
}

TEST_CASE("idle and unattributed time are rows, per step, never gated") {
  constexpr int64_t kRunPsPerStepUs = 100 * 1'000'000;
  Runs base = RunsOf(5, kOps), next = RunsOf(5, kOps);
  for (RunProfile& run : next) {
    run.device.idle_ps = 50 * kRunPsPerStepUs;
    run.device.unattributed_ps = 20 * kRunPsPerStepUs;
    run.host.idle_ps = 10 * kRunPsPerStepUs;
  }
  for (RunProfile& run : base) run.host.idle_ps = 5 * kRunPsPerStepUs;
  for (Runs* runs : {&base, &next}) {
    for (RunProfile& run : *runs) run.device.lanes = 1;
  }
  const Comparison c = Compared(base, next);
  const auto of_kind = [&](RowKind kind, Side side) {
    return *std::find_if(c.rows.begin(), c.rows.end(),
                         [&](const ChangeRow& row) { return row.kind == kind && row.key.side == side; });
  };
  CHECK(of_kind(RowKind::kIdle, Side::kDevice).self.delta == 50 * kPsPerUs);
  CHECK(of_kind(RowKind::kIdle, Side::kDevice).presence == Presence::kNew);
  CHECK(of_kind(RowKind::kUnattributed, Side::kDevice).self.delta == 20 * kPsPerUs);
  CHECK(of_kind(RowKind::kIdle, Side::kHost).self.delta == 5 * kPsPerUs);
  CHECK(of_kind(RowKind::kIdle, Side::kHost).self.verdict == Verdict::kNotGated);
  CHECK(c.gated == 3);
  for (const ChangeRow& type : c.types) CHECK(type.kind == RowKind::kOp);
}

TEST_CASE("what a saved table doesn't tell of a side is neither new nor gone") {
  Runs saved = RunsOf(1, kOps), run = RunsOf(1, kOps);
  saved[0].host = saved[0].device = {};  // a CSV without IDLE rows
  run[0].host.lanes = run[0].device.lanes = 2;
  run[0].host.idle_ps = run[0].device.idle_ps = run[0].device.unattributed_ps = 1000;
  for (const Comparison& c : {Compared(saved, run), Compared(run, saved)}) {
    for (const ChangeRow& row : c.rows) CHECK(row.kind == RowKind::kOp);
  }
}

TEST_CASE("by type and scope ops are summed") {
  const Ops ops = {{"Conv2D", "a/b/conv", 100}, {"Conv2D", "a/b/conv2", 50}, {"Relu", "a/relu", 30}, {"Relu", "r", 20}};
  const Comparison types = Compared({RunOf(ops)}, {RunOf(ops)}, CompareBy::kType);
  CHECK(types.rows.size() == 2);
  CHECK(RowNamed(types.rows, "Conv2D").self.base_median == Approx(150 * kPsPerUs));
  CHECK(RowNamed(types.rows, "Relu").occurrences.base_median == 2);
  const Comparison scopes = Compared({RunOf(ops)}, {RunOf(ops)}, CompareBy::kScope);
  CHECK(scopes.rows.size() == 3);
  CHECK(RowNamed(scopes.rows, "a/b").self.base_median == Approx(150 * kPsPerUs));
  CHECK(RowNamed(scopes.rows, "a").self.base_median == Approx(30 * kPsPerUs));
}

TEST_CASE("occurrences are facts: one run a side decides, runs that differ among themselves do not") {
  Runs base = RunsOf(1, kOps), next = RunsOf(1, kOps);
  next[0].ops[0].occurrences_per_step = 2;
  CHECK(Compared(base, next).rows[0].occurrences.exact);
  CHECK(RowNamed(Compared(base, next).rows, "conv_1").occurrences.verdict == Verdict::kRegressed);
  CHECK(RowNamed(Compared(next, base).rows, "conv_1").occurrences.verdict == Verdict::kImproved);
  CHECK(RowNamed(Compared(base, base).rows, "conv_1").occurrences.verdict == Verdict::kUnchanged);
  base.push_back(next[0]);
  CHECK(RowNamed(Compared(base, next).rows, "conv_1").occurrences.verdict == Verdict::kInconclusive);
}

TEST_CASE("parity: another device prevents a verdict, another framework is told, what isn't told is no mismatch") {
  Runs base = RunsOf(2, kOps), next = RunsOf(2, kOps);
  CHECK(Compared(base, next).parity.empty());
  for (RunProfile& run : base) run.environment.device_type = "GPU";
  CHECK(Compared(base, next).parity.empty());
  for (RunProfile& run : next) {
    run.environment.device_type = "CPU";
    run.environment.framework = "TensorFlow 2.15";
    run.environment.hosts = 2;
  }
  for (RunProfile& run : base) run.environment.framework = "TensorFlow 2.14";
  const Comparison c = Compared(base, next);
  REQUIRE(MismatchOf(c, "device type") != nullptr);
  CHECK(MismatchOf(c, "device type")->prevents_verdict);
  CHECK(MismatchOf(c, "device type")->base == "GPU");
  CHECK(MismatchOf(c, "device type")->next == "CPU");
  CHECK(MismatchOf(c, "number of hosts")->prevents_verdict);
  CHECK(!MismatchOf(c, "framework")->prevents_verdict);
}

TEST_CASE("parity: runs of one side that differ among themselves are a mismatch") {
  Runs base = RunsOf(2, kOps);
  base[0].environment.device_type = "GPU";
  base[1].environment.device_type = "CPU";
  const Comparison c = Compared(base, base);
  REQUIRE(MismatchOf(c, "device type") != nullptr);
  CHECK(MismatchOf(c, "device type")->base == "CPU, GPU");
}

TEST_CASE("parity: step counts of another order, and other ops") {
  Runs base = RunsOf(1, kOps), next = RunsOf(1, kOps);
  next[0].steps->count = 5;
  REQUIRE(MismatchOf(Compared(base, next), "number of steps") != nullptr);
  CHECK(!MismatchOf(Compared(base, next), "number of steps")->prevents_verdict);  // figures are per step
  next[0].steps.reset();
  CHECK(MismatchOf(Compared(base, next), "number of steps")->next == "none");
  const Comparison c = Compared(RunsOf(1, kOps), RunsOf(1, {{"Cast", "cast", 10}}));
  REQUIRE(MismatchOf(c, "op set") != nullptr);
  CHECK(MismatchOf(c, "op set")->prevents_verdict);
  CHECK(MismatchOf(c, "op set")->next == "1 op (0 in common)");
}

TEST_CASE("sides that can't be compared have no verdict") {
  std::vector<RunProfile> base = RunsOf(7, kOps), next = RunsOf(7, {{"Conv2D", "conv_1", 900}, {"MatMul", "dense", 300}});
  for (RunProfile& run : base) run.environment.device_type = "CPU";
  for (RunProfile& run : next) run.environment.device_type = "GPU";
  const Comparison c = Compared(base, next);
  REQUIRE(MismatchOf(c, "device type") != nullptr);
  REQUIRE(c.step_time);
  CHECK(c.step_time->verdict == Verdict::kInconclusive);
  CHECK(c.step_time->reason == "the runs can't be compared: device type is CPU in the base and GPU now");
  for (const ChangeRow& row : c.rows) {
    CHECK((row.self.exact || row.self.verdict == Verdict::kInconclusive || row.self.verdict == Verdict::kNotGated));
  }
}

TEST_CASE("parity: a few ops in common make no two programs alike") {
  const auto ops = [](int from, int to) {
    Ops made;
    for (int i = from; i < to; ++i)
      made.push_back({"Conv2D", "layer" + std::string(1, static_cast<char>('a' + i)), 10});
    return made;
  };
  const Comparison few = Compared(RunsOf(1, ops(0, 12)), RunsOf(1, ops(11, 23)));
  REQUIRE(MismatchOf(few, "op set") != nullptr);
  CHECK(MismatchOf(few, "op set")->prevents_verdict);
  const Comparison some = Compared(RunsOf(1, ops(0, 12)), RunsOf(1, ops(10, 22)));
  REQUIRE(MismatchOf(some, "op set") != nullptr);
  CHECK_FALSE(MismatchOf(some, "op set")->prevents_verdict);
}

TEST_CASE("explained: the step, then the few ops of each side that make up the change") {
  const Ops before = {{"Conv2D", "conv", 1000}, {"Relu", "relu", 500}, {"MatMul", "dense", 200, Side::kDevice}};
  const Ops after = {{"Conv2D", "conv", 1200}, {"Relu", "relu", 490}, {"MatMul", "dense", 150, Side::kDevice}};
  const Comparison c = Compared({RunOf(before, 2000)}, {RunOf(after, 2190)});
  CHECK(c.explained == std::vector<std::string>{
                           "Step time rose by 190 µs (+9.5 %), from 2.00 ms to 2.19 ms.",
                           "Device self time per step fell by 50.0 µs in all; 100 % of what fell is: dense (-50.0 µs).",
                           "Host self time per step rose by 190 µs in all; 100 % of what rose is: conv (+200 µs)."});
}

}  // namespace
}  // namespace tfprof::compare
