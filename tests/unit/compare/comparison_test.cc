#include "compare/comparison.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "compare/run_fixture.h"

namespace tfprof::compare {
namespace {

using trace::Side;
using Ops = std::vector<TestOp>;
using Runs = std::vector<RunProfile>;

Comparison Compared(const Runs& base, const Runs& next, const CompareOptions& options = {}) {
  Result<Comparison> comparison = Compare(base, next, options);
  REQUIRE(comparison);
  return *comparison;
}

const ChangeRow& RowNamed(const Comparison& comparison, const std::string& name) {
  const auto row = std::find_if(comparison.rows.begin(), comparison.rows.end(),
                                [&](const ChangeRow& candidate) { return candidate.key.op_name == name; });
  INFO(name);
  REQUIRE(row != comparison.rows.end());
  return *row;
}

Verdict VerdictOn(const Comparison& comparison, const std::string& name) {
  return RowNamed(comparison, name).self.verdict;
}

const Ops kOps = {{"Conv2D", "conv", 500}, {"MatMul", "dense", 300}, {"Relu", "relu", 200}};

Ops With(const std::string& name, double factor, Ops ops = kOps) {
  for (TestOp& op : ops) op.us *= op.name == name ? factor : 1;
  return ops;
}

TEST_CASE("a side without runs is an error that names the side") {
  const Runs one = RunsOf(1, kOps), none;
  CHECK(Compare(none, one, {}).error().message == "there is nothing to compare: the base has no run");
  CHECK(Compare(one, none, {}).error().message == "there is nothing to compare: the new side has no run");
}

TEST_CASE("with five runs a side an op that is 20 % slower has regressed, and nothing else") {
  const Comparison c = Compared(RunsOf(5, kOps), RunsOf(5, With("dense", 1.2)));
  CHECK(c.per_step);
  CHECK(c.gated == 3);
  CHECK(c.runs_needed == 4);
  const ChangeRow& dense = c.rows[0];
  CHECK(dense.key.op_name == "dense");
  CHECK(dense.self.verdict == Verdict::kRegressed);
  CHECK(dense.self.reason.empty());
  CHECK(*dense.self.relative == Approx(0.2).margin(0.01));
  CHECK(*dense.self.p == Approx(1.0 / 252));
  CHECK(*dense.self.p_holm == Approx(3.0 / 252));
  CHECK(dense.self.interval->low > 0.18);
  CHECK(dense.share_of_change > 0.9);
  CHECK(VerdictOn(c, "conv") == Verdict::kUnchanged);
  CHECK(VerdictOn(c, "relu") == Verdict::kUnchanged);
  CHECK(c.step_time->verdict == Verdict::kRegressed);  // 6 % of the step
  const Comparison faster = Compared(RunsOf(5, With("dense", 1.2)), RunsOf(5, kOps));
  CHECK(VerdictOn(faster, "dense") == Verdict::kImproved);
}

TEST_CASE("what can't be told with one or two runs a side is suspect, and the runs that are needed are named") {
  for (const size_t runs : {1, 2}) {
    const Comparison c = Compared(RunsOf(runs, kOps), RunsOf(runs, With("dense", 1.2)));
    CHECK(VerdictOn(c, "dense") == Verdict::kSuspect);
    const std::string has = std::to_string(runs) + "+" + std::to_string(runs);
    CHECK(RowNamed(c, "dense").self.reason == "needs 4 runs a side, has " + has);
    CHECK(VerdictOn(c, "conv") == Verdict::kInconclusive);
    CHECK(!RowNamed(c, "conv").self.interval);
    const Comparison faster = Compared(RunsOf(runs, With("dense", 1.2)), RunsOf(runs, kOps));
    CHECK(VerdictOn(faster, "dense") == Verdict::kInconclusive);
  }
}

TEST_CASE("a single run decides where that is asked for") {
  CompareOptions options;
  options.single_run_decides = true;
  const Comparison c = Compared(RunsOf(1, kOps), RunsOf(1, With("dense", 1.2)), options);
  CHECK(VerdictOn(c, "dense") == Verdict::kRegressed);
  CHECK(VerdictOn(c, "conv") == Verdict::kUnchanged);
}

TEST_CASE("one new run against a history has to stand out of what the history strays by") {
  Runs history;
  for (const double us : {400.0, 500.0, 450.0, 550.0, 475.0}) history.push_back(RunOf({{"MatMul", "dense", us}}, 1000));
  CompareOptions options;
  options.single_run_decides = true;
  // Median 475, MAD 25: three deviations of 1.4826 * 25 are 23 %.
  CHECK(VerdictOn(Compared(history, {RunOf({{"MatMul", "dense", 580}}, 1000)}, options), "dense") ==
        Verdict::kUnchanged);
  CHECK(VerdictOn(Compared(history, {RunOf({{"MatMul", "dense", 590}}, 1000)}, options), "dense") ==
        Verdict::kRegressed);
}

TEST_CASE("forty gated ops need six runs a side, which are told beforehand") {
  Ops ops;
  for (int i = 0; i < 40; ++i) ops.push_back({"MatMul", "dense" + std::to_string(i), 25});
  const Comparison five = Compared(RunsOf(5, ops), RunsOf(5, With("dense7", 1.5, ops)));
  CHECK(five.gated == 40);
  CHECK(five.runs_needed == 6);
  CHECK(VerdictOn(five, "dense7") == Verdict::kSuspect);
  CHECK(RowNamed(five, "dense7").self.reason == "needs 6 runs a side, has 5+5");
  CHECK(VerdictOn(Compared(RunsOf(7, ops), RunsOf(7, With("dense7", 1.5, ops))), "dense7") == Verdict::kRegressed);
}

TEST_CASE("small ops are told, never gated, and take part in no adjustment") {
  const Ops ops = {{"Conv2D", "conv", 1000}, {"Relu", "tiny", 5}};
  const Comparison c = Compared(RunsOf(5, ops), RunsOf(5, With("tiny", 1.5, ops)));
  CHECK(c.gated == 1);
  CHECK(VerdictOn(c, "tiny") == Verdict::kNotGated);
  CHECK(!RowNamed(c, "tiny").self.p);
  CHECK(*RowNamed(c, "tiny").self.relative == Approx(0.5).margin(0.02));
}

TEST_CASE("a change of more than 5 % but less than 0.1 % of step time is none") {
  CompareOptions options;
  options.min_share = 0;
  const Ops ops = {{"Conv2D", "conv", 1000}, {"Relu", "tiny", 5}};
  const Comparison c = Compared(RunsOf(5, ops), RunsOf(5, With("tiny", 1.1, ops)), options);
  CHECK(VerdictOn(c, "tiny") == Verdict::kUnchanged);  // 0.5 us of 1,005
  CHECK(VerdictOn(Compared(RunsOf(5, ops), RunsOf(5, With("tiny", 1.5, ops)), options), "tiny") == Verdict::kRegressed);
}

TEST_CASE("runs in another order give the same comparison") {
  const Runs base = RunsOf(5, kOps), next = RunsOf(5, With("dense", 1.2));
  Runs base_turned(base.rbegin(), base.rend()), next_turned(next.rbegin(), next.rend());
  std::rotate(next_turned.begin(), next_turned.begin() + 2, next_turned.end());
  const Comparison c = Compared(base, next), turned = Compared(base_turned, next_turned);
  REQUIRE(c.rows.size() == turned.rows.size());
  for (size_t i = 0; i < c.rows.size(); ++i) {
    CHECK(c.rows[i].key == turned.rows[i].key);
    CHECK(c.rows[i].self.verdict == turned.rows[i].self.verdict);
    CHECK(c.rows[i].self.delta == turned.rows[i].self.delta);
    CHECK(c.rows[i].self.p_holm == turned.rows[i].self.p_holm);
    CHECK(c.rows[i].self.interval->low == turned.rows[i].self.interval->low);
  }
  CHECK(c.explained == turned.explained);
}

TEST_CASE("rows are sorted by absolute change, and equal ones by side, type and name") {
  const Ops base = {{"B", "b", 100}, {"A", "z", 100}, {"A", "a", 100}, {"C", "c", 100}};
  Ops next = With("c", 0.5, base);
  const Comparison c = Compared({RunOf(base)}, {RunOf(next)});
  std::vector<std::string> names;
  for (const ChangeRow& row : c.rows) names.push_back(row.key.op_name);
  CHECK(names == std::vector<std::string>{"c", "a", "z", "b"});
}

TEST_CASE("ties: equal runs on both sides are unchanged with p 1") {
  const Runs same(5, RunOf(kOps));
  const Comparison c = Compared(same, same);
  for (const ChangeRow& row : c.rows) {
    CHECK(row.self.verdict == Verdict::kUnchanged);
    CHECK(*row.self.p == 1);
    CHECK(row.share_of_change == 0);
    CHECK(*row.self.relative == 0);
  }
  CHECK(c.explained.empty());
}

bool IsFinite(const Change& change) {
  const auto finite = [](double v) { return std::isfinite(v); };
  return finite(change.delta) && finite(change.relative.value_or(0)) && finite(change.p.value_or(0)) &&
         (!change.interval || (finite(change.interval->low) && finite(change.interval->high)));
}

TEST_CASE("zeros give no NaN and no infinity: ops that take no time, steps that take none, runs without ops") {
  RunProfile no_steps = RunOf(kOps);
  no_steps.steps.reset();
  RunProfile empty;
  const Runs some[] = {{RunOf(With("dense", 0))},   {RunOf({})},  {empty}, {no_steps},
                       RunsOf(5, With("dense", 0)), {RunOf(kOps)}};
  for (const Runs& base : some) {
    for (const Runs& next : some) {
      const Comparison c = Compared(base, next);
      if (c.step_time) CHECK(IsFinite(*c.step_time));
      for (const std::vector<ChangeRow>* rows : {&c.rows, &c.types}) {
        for (const ChangeRow& row : *rows) {
          CHECK(IsFinite(row.self));
          CHECK(IsFinite(row.total));
          CHECK(IsFinite(row.occurrences));
          CHECK(row.share_of_change >= 0);
          CHECK(row.share_of_change <= 1);
          CHECK(std::isfinite(row.share_of_step));
        }
      }
    }
  }
}

TEST_CASE("an op that did not run in some runs counts 0 there, and a change from 0 has no percentage") {
  Runs base = RunsOf(5, kOps);
  base[0] = RunOf({kOps[0], kOps[2]});
  CHECK(RowNamed(Compared(base, RunsOf(5, kOps)), "dense").self.base[0] == 0);
  const Comparison c = Compared(RunsOf(5, With("dense", 0)), RunsOf(5, kOps));
  CHECK(!RowNamed(c, "dense").self.relative);
  CHECK(!RowNamed(c, "dense").self.interval);
  CHECK(VerdictOn(c, "dense") == Verdict::kRegressed);
}

TEST_CASE("without steps on one side, figures of the whole run are held against each other") {
  Runs next = RunsOf(1, kOps);
  next[0].steps.reset();
  const Comparison c = Compared(RunsOf(1, kOps), next);
  CHECK(!c.per_step);
  CHECK(!c.step_time);
  CHECK(RowNamed(c, "conv").self.next_median == Approx(500 * kPsPerUs * 100));
  CompareOptions by_step;
  by_step.by = CompareBy::kStep;
  CHECK(Compare(RunsOf(1, kOps), next, by_step).error().message == "steps can't be compared: not every run has steps");
}

TEST_CASE("by step: mean, median, p95, min and max of the steps") {
  CompareOptions options;
  options.by = CompareBy::kStep;
  const Comparison c = Compared(RunsOf(5, kOps), RunsOf(5, With("conv", 1.4)), options);
  CHECK(c.rows.size() == 5);
  CHECK(VerdictOn(c, "median") == Verdict::kRegressed);
  CHECK(RowNamed(c, "p95").key.op_type == "step");
  REQUIRE(c.explained.size() == 1);  // no ops to explain it with
}

}  // namespace
}  // namespace tfprof::compare
