#include "compare/check.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tfprof::compare {
namespace {

constexpr double kMs = 1e9;  // picoseconds

// A run of a hundred steps: MatMul has half of a step, Conv2D a third, and Cast next to nothing.
RunProfile Run(const std::string& label, double step_ms, double matmul_ms) {
  RunProfile run;
  run.label = label;
  run.environment = {"xplane", "CPU", "TensorFlow 2.15", 1, 0};
  const auto add = [&run](const char* type, const char* name, double per_step_ms) {
    OpFigures op;
    op.key = {trace::Side::kHost, type, name};
    op.occurrences = 100;
    op.self_ps = op.total_ps = static_cast<int64_t>(per_step_ms * kMs * 100);
    op.self_per_step_ps = per_step_ms * kMs;
    op.occurrences_per_step = 1;
    run.host.sum_self_ps += op.self_ps;
    run.ops.push_back(std::move(op));
  };
  add("Cast", "model/Cast", 0.01);
  add("Conv2D", "model/conv/Conv2D", 3);
  add("MatMul", "model/dense/MatMul", matmul_ms);
  run.host.lanes = 1;
  run.host.span_ps = run.host.busy_ps = run.host.sum_self_ps;
  StepFigures steps;
  steps.count = 100;
  steps.mean_ps = steps.median_ps = steps.p95_ps = steps.min_ps = steps.max_ps = step_ms * kMs;
  run.steps = steps;
  return run;
}

// Runs that differ by some permille, as runs of one program do.
std::vector<RunProfile> Runs(size_t count, double step_ms, double matmul_ms) {
  std::vector<RunProfile> runs;
  for (size_t i = 0; i < count; ++i) {
    const double noise = 1 + 0.001 * static_cast<double>(i);
    runs.push_back(Run("run" + std::to_string(i), step_ms * noise, matmul_ms * noise));
  }
  return runs;
}

RuleSet Rules(const std::vector<std::string_view>& texts) {
  RuleSet set;
  for (const std::string_view text : texts) {
    Result<Rule> rule = ParseRule(text);
    INFO(text);
    REQUIRE(rule.ok());
    AddRule(std::move(*rule), &set);
  }
  return set;
}

CheckResult Checked(const std::vector<RunProfile>& base, const std::vector<RunProfile>& next,
                    const RuleSet& rules = {}) {
  Result<CheckResult> result = Check(base, next, rules);
  INFO((result ? "" : result.error().message));
  REQUIRE(result.ok());
  return std::move(*result);
}

CheckResult CheckedAlone(const RunProfile& next, std::string_view rule) { return Checked({}, {next}, Rules({rule})); }

const Finding& FindingOn(const CheckResult& result, std::string_view op_name) {
  for (const Finding& finding : result.findings) {
    if (finding.op && finding.op->op_name == op_name) return finding;
  }
  FAIL("no finding on " << op_name);
  return result.findings.front();
}

TEST_CASE("Equal runs pass") {
  const CheckResult result = Checked(Runs(5, 10, 5), Runs(5, 10, 5));
  CHECK(result.outcome == Outcome::kPassed);
  CHECK(result.statement == "passed: nothing changed for the worse");
  CHECK(FindingOn(result, "model/dense/MatMul").verdict == Verdict::kUnchanged);
  CHECK(result.base_runs.size() == 5);
}

TEST_CASE("An op that became slower fails the check, and is named") {
  const CheckResult result = Checked(Runs(5, 10, 5), Runs(5, 11, 6));
  CHECK(result.outcome == Outcome::kFailed);
  CHECK(result.statement == "failed: 2 regressed");  // step time and the op
  const Finding& finding = FindingOn(result, "model/dense/MatMul");
  CHECK(finding.verdict == Verdict::kRegressed);
  CHECK_FALSE(finding.broken_rule);
  CHECK(finding.unit == "us");
  REQUIRE(finding.change);
  CHECK(finding.change->base_median == Approx(5010));
  CHECK(finding.change->relative.value() == Approx(0.2));
  CHECK_THAT(finding.message, Catch::Contains("op model/dense/MatMul (MatMul): 5.01 ms → 6.012 ms per step, +20.0 %"));
  CHECK_THAT(finding.message, Catch::Contains("n=5+5: regressed (limit +5.0 %)"));
  CHECK(result.findings.front().verdict == Verdict::kRegressed);  // worst first
}

TEST_CASE("What became faster passes, and is told") {
  const CheckResult result = Checked(Runs(5, 10, 5), Runs(5, 9, 4));
  CHECK(result.outcome == Outcome::kPassed);
  CHECK(result.statement == "passed: 2 improved");
  CHECK(FindingOn(result, "model/dense/MatMul").verdict == Verdict::kImproved);
}

TEST_CASE("A small op is never gated") {
  std::vector<RunProfile> next = Runs(5, 10, 5);
  for (RunProfile& run : next)
    run.ops[0].self_per_step_ps = 0.05 * kMs;  // five times as long, half a percent of a step
  const CheckResult result = Checked(Runs(5, 10, 5), next);
  CHECK(result.outcome == Outcome::kPassed);
  for (const Finding& finding : result.findings) CHECK((!finding.op || finding.op->op_name != "model/Cast"));
}

TEST_CASE("One run a side: within the limits it passes, beyond them it can't be told") {
  const CheckResult equal = Checked(Runs(1, 10, 5), Runs(1, 10.1, 5));
  CHECK(equal.outcome == Outcome::kPassed);
  CHECK(equal.statement == 
        "passed: nothing is slower beyond the limits and the noise of the runs; 1+1 runs can't prove more, 4 a side "
        "could");

  const CheckResult slower = Checked(Runs(1, 10, 5), Runs(1, 11, 6));
  CHECK(slower.outcome == Outcome::kInconclusive);
  CHECK_THAT(slower.statement, Catch::StartsWith("inconclusive: 2 suspect, but 1+1 runs can't tell change from chance, "
                                                 "4 a side could; step time: 10 ms → 11 ms, +10.0 %"));
  CHECK(FindingOn(slower, "model/dense/MatMul").verdict == Verdict::kSuspect);

  RuleSet decides;
  decides.compare.single_run_decides = true;
  CHECK(Checked(Runs(1, 10, 5), Runs(1, 11, 6), decides).outcome == Outcome::kFailed);
  CHECK(Checked(Runs(1, 10, 5), Runs(1, 10, 5), decides).outcome == Outcome::kPassed);
}

TEST_CASE("Runs that overlap are suspect, which is a warning where runs are enough to prove a change") {
  std::vector<RunProfile> base = Runs(5, 10, 5), next = Runs(5, 10, 5);
  for (size_t i = 2; i < next.size(); ++i) next[i].ops[2].self_per_step_ps = 6 * kMs;
  const CheckResult result = Checked(base, next);
  CHECK(result.outcome == Outcome::kPassed);
  CHECK_THAT(result.statement, Catch::Contains("1 suspect"));
  CHECK(FindingOn(result, "model/dense/MatMul").verdict == Verdict::kSuspect);
}

TEST_CASE("More runs, that still can't prove an op, are no reason to pass") {
  const auto slower = [](size_t runs) {
    std::vector<RunProfile> next = Runs(runs, 10, 5);
    for (RunProfile& run : next) run.ops[2].self_per_step_ps = 15 * kMs;  // step time as before
    return next;
  };
  // Step time could be decided with three runs a side, both gated ops with four.
  for (size_t runs = 1; runs <= 3; ++runs) {
    INFO(runs);
    CHECK(Checked(Runs(runs, 10, 5), slower(runs)).outcome == Outcome::kInconclusive);
  }
  CHECK(Checked(Runs(4, 10, 5), slower(4)).outcome == Outcome::kFailed);

  RuleSet decides;
  decides.compare.single_run_decides = true;
  CHECK(Checked(Runs(1, 10, 5), slower(1), decides).outcome == Outcome::kFailed);
  CHECK(Checked(Runs(2, 10, 5), slower(2), decides).outcome == Outcome::kInconclusive);
}

TEST_CASE("Whether ops can be decided is a matter of both sides' runs, not of the smaller one's") {
  // Two tests: 1 of C(7, 3) = 35 orders is enough, 1 of C(6, 3) = 20 isn't.
  const CheckResult unlike = Checked(Runs(7, 10, 5), Runs(3, 11, 6));
  CHECK(FindingOn(unlike, "model/dense/MatMul").verdict == Verdict::kRegressed);
  CHECK(unlike.comparison->decidable);
  CHECK(unlike.comparison->runs_needed == 4);
  CHECK_FALSE(Checked(Runs(3, 10, 5), Runs(3, 11, 6)).comparison->decidable);
}

TEST_CASE("Rules of the new run alone don't silence what is suspect against the base, rules against the base do") {
  CHECK(Checked(Runs(1, 10, 5), Runs(1, 11, 6), Rules({"steps.mean > 1s"})).outcome == Outcome::kInconclusive);
  CHECK(Checked(Runs(1, 10, 5), Runs(1, 11, 6), Rules({"steps.mean > 50%"})).outcome == Outcome::kPassed);
}

TEST_CASE("One new run is held against what a history strays by") {
  std::vector<RunProfile> base = Runs(5, 10, 5);
  for (size_t i = 0; i < base.size(); ++i) {
    base[i].ops[2].self_per_step_ps = (5 + 0.5 * static_cast<double>(i % 3)) * kMs;  // 5, 5.5, 6: strays by 10 %
  }
  CHECK(Checked(base, Runs(1, 10, 6.3)).outcome == Outcome::kPassed);
  CHECK(Checked(Runs(5, 10, 5), Runs(1, 10, 6.3)).outcome == Outcome::kInconclusive);
}

TEST_CASE("A broken rule fails with one run; others say how near it is") {
  const RunProfile run = Run("r", 10, 5);
  const CheckResult broken = CheckedAlone(run, "ops[\"*MatMul*\"].self_us > 400ms");
  CHECK(broken.outcome == Outcome::kFailed);
  CHECK(broken.statement == "failed: 1 breach of a rule");
  REQUIRE(broken.findings.size() == 1);
  CHECK(broken.findings[0].broken_rule);
  CHECK(broken.findings[0].value.value() == Approx(500'000));
  CHECK(broken.findings[0].limit.value() == Approx(400'000));
  CHECK(broken.findings[0].message ==
        "op model/dense/MatMul (MatMul): self time is 500 ms; fails if ops[\"*MatMul*\"].self_us > 400ms");

  const CheckResult kept = CheckedAlone(run, "ops[\"*\"].self_us > 600ms");
  CHECK(kept.outcome == Outcome::kPassed);
  CHECK(kept.statement == "passed: no rule is broken");
  CHECK_THAT(kept.findings.at(0).message, Catch::Contains("none of 3 breaks it; nearest: op model/dense/MatMul"));
  CHECK(CheckedAlone(run, "steps.mean < 11ms").outcome == Outcome::kFailed);
  CHECK(CheckedAlone(run, "types[\"Conv2D\"].share > 30%").outcome == Outcome::kFailed);
  CHECK(CheckedAlone(run, "scopes[\"model/conv\"].self_us > 1s").outcome == Outcome::kPassed);
}

TEST_CASE("A rule against the base is per step, and finds an op under its old name") {
  std::vector<RunProfile> next = Runs(1, 10, 5.4);
  next[0].ops[2].key.op_name = "model/dense/MatMul_7";
  const CheckResult result = Checked(Runs(1, 10, 5), next, Rules({"ops[\"*MatMul*\"].self_us > 5%"}));
  CHECK(result.outcome == Outcome::kFailed);
  CHECK_THAT(result.findings.at(0).message,
             Catch::Contains("MatMul_7 (MatMul): self time is 5.4 ms per step, in the base 5 ms (+8.0 %)"));
  CHECK(Checked(Runs(1, 10, 5), next, Rules({"ops[\"*MatMul*\"].self_us > 10%"})).outcome == Outcome::kPassed);
}

TEST_CASE("Counts and sizes are facts: one run a side decides") {
  std::vector<RunProfile> base = Runs(1, 10, 5), next = Runs(1, 10, 5);
  base[0].kernel_launches = 100;
  next[0].kernel_launches = 101;
  base[0].memory_peaks = {{"GPU_0_bfc", 1000}};
  next[0].memory_peaks = {{"GPU_0_bfc", 1100}, {"cpu", 10}};
  CHECK(Checked(base, next, Rules({"kernels.count != base"})).outcome == Outcome::kFailed);
  CHECK(Checked(base, next, Rules({"kernels.count > base + 5%"})).outcome == Outcome::kPassed);
  CHECK(Checked(base, next, Rules({"memory.peak_bytes > 5%"})).outcome == Outcome::kFailed);
  CHECK(Checked(base, next, Rules({"memory[\"GPU*\"].peak_bytes > 20%"})).outcome == Outcome::kPassed);
  // Two base runs differ already: one of their values is no change.
  base.push_back(base[0]);
  base[1].kernel_launches = 101;
  CHECK(Checked(base, next, Rules({"kernels.count changed"})).outcome == Outcome::kPassed);
}

TEST_CASE("New and gone ops are told by op_set") {
  std::vector<RunProfile> next = Runs(1, 10, 5);
  next[0].ops[0].key = {trace::Side::kHost, "Tile", "model/Tile"};
  const CheckResult result = Checked(Runs(1, 10, 5), next, Rules({"op_set changed"}));
  CHECK(result.outcome == Outcome::kFailed);
  CHECK(result.findings[0].message == "op_set: 1 new (model/Tile), 1 gone (model/Cast)");
  CHECK(Checked(Runs(1, 10, 5), Runs(1, 10, 5), Rules({"op_set changed"})).outcome == Outcome::kPassed);
}

TEST_CASE("A rule that names nothing, or asks what the run doesn't tell, is inconclusive") {
  RunProfile run = Run("r", 10, 5);
  const CheckResult nothing = CheckedAlone(run, "ops[\"*Softmax*\"].self_us > 1");
  CHECK(nothing.outcome == Outcome::kInconclusive);
  CHECK_THAT(nothing.statement, Catch::Contains("no op matches \"*Softmax*\""));
  CHECK(CheckedAlone(run, "memory.peak_bytes > 1GiB").outcome == Outcome::kInconclusive);
  CHECK(CheckedAlone(run, "device.idle_fraction > 30%").outcome == Outcome::kInconclusive);
  CHECK(CheckedAlone(run, "bottleneck == host").outcome == Outcome::kInconclusive);
  run.steps.reset();
  CHECK(CheckedAlone(run, "steps.median > 1s").outcome == Outcome::kInconclusive);
  CHECK_THAT(CheckedAlone(run, "bottleneck == host").statement,
             Catch::EndsWith("the new run doesn't tell of a bottleneck"));
  CHECK_THAT(Checked({}, {run, run}, Rules({"bottleneck == host"})).statement,
             Catch::EndsWith("the new runs don't tell of a bottleneck"));
  // What another rule finds is a fact all the same.
  const CheckResult mixed =
      Checked({}, {run}, Rules({"steps.median > 1s", "ops[\"model/dense/MatMul\"].occurrences > 99"}));
  CHECK(mixed.outcome == Outcome::kFailed);
  CHECK_THAT(mixed.statement, Catch::Contains("1 rule that can't be told"));
}

TEST_CASE("Runs that can't be held against each other are inconclusive, whatever their times") {
  std::vector<RunProfile> other_device = Runs(5, 10, 5);
  for (RunProfile& run : other_device) run.environment.device_type = "GPU NVIDIA A100";
  const CheckResult result = Checked(Runs(5, 10, 5), other_device);
  CHECK(result.outcome == Outcome::kInconclusive);
  CHECK(result.statement ==
        "inconclusive: the runs can't be compared: device type is CPU in the base and GPU NVIDIA A100 now");
  CHECK(Checked(Runs(5, 10, 5), other_device, Rules({"steps.mean > 5%"})).outcome == Outcome::kInconclusive);
  CHECK(Checked(Runs(5, 10, 5), other_device, Rules({"steps.mean > 1ms"})).outcome == Outcome::kFailed);

  std::vector<RunProfile> more_hosts = Runs(1, 10, 5);
  more_hosts[0].environment.hosts = 2;
  CHECK_THAT(Checked(Runs(1, 10, 5), more_hosts).statement, Catch::Contains("number of hosts is 1 in the base and 2"));

  std::vector<RunProfile> mixed = Runs(2, 10, 5);
  mixed[1].environment.hosts = 2;
  CHECK(Checked(mixed, Runs(2, 10, 5)).outcome == Outcome::kInconclusive);

  std::vector<RunProfile> others = Runs(1, 10, 5);
  for (OpFigures& op : others[0].ops) op.key.op_name = "other/" + op.key.op_type, op.key.op_type += "V2";
  CHECK_THAT(Checked(Runs(1, 10, 5), others).statement, Catch::Contains("op set"));
  CHECK(Checked(Runs(1, 10, 5), others, Rules({"op_set changed"})).outcome == Outcome::kFailed);
}

TEST_CASE("Runs without steps are compared as a whole") {
  std::vector<RunProfile> base = Runs(5, 10, 5), next = Runs(5, 10, 5);
  for (RunProfile* run : {&base[0], &next[0], &next[1]}) run->steps.reset();
  for (RunProfile& run : next) run.ops[2].self_ps += run.ops[2].self_ps / 5;
  const CheckResult result = Checked(base, next);
  CHECK(result.outcome == Outcome::kFailed);
  CHECK_FALSE(result.comparison->step_time);
  CHECK(FindingOn(result, "model/dense/MatMul").metric == "self time");
  CHECK(FindingOn(result, "model/dense/MatMul").verdict == Verdict::kRegressed);
}

TEST_CASE("Steps that don't hold the work, or are of two kinds, decide nothing") {
  std::vector<RunProfile> base = Runs(5, 10, 5), slow = Runs(5, 20, 5);
  for (RunProfile& run : slow) run.steps->hold_work = false;
  const CheckResult handed_over = Checked(base, slow, Rules({"steps.mean > 5%"}));
  CHECK(handed_over.outcome == Outcome::kInconclusive);
  CHECK_THAT(handed_over.statement, Catch::Contains("more than half of the op time lies outside of the steps"));
  CHECK_FALSE(handed_over.comparison->per_step);
  CHECK_FALSE(handed_over.comparison->step_time);
  CHECK_THAT(handed_over.comparison->explained.at(0), Catch::StartsWith("Whole runs are compared, not their steps: "));
  CHECK(Checked({}, slow, Rules({"steps.max > 1ms"})).outcome == Outcome::kInconclusive);
  CHECK(Checked({}, slow, Rules({"steps.count > 1000"})).outcome == Outcome::kPassed);  // how many there are is a fact

  std::vector<RunProfile> calls = Runs(5, 20, 5);
  for (RunProfile& run : calls) run.steps->marked = false;
  const CheckResult mixed = Checked(base, calls, Rules({"steps.mean > 5%"}));
  CHECK(mixed.outcome == Outcome::kInconclusive);
  CHECK_THAT(mixed.statement, Catch::Contains("marked by the program in some runs and calls of functions in others"));

  const CheckResult alone = Checked({}, calls, Rules({"steps.mean > 1s"}));
  CHECK(alone.outcome == Outcome::kPassed);
  CHECK_THAT(alone.findings.at(0).message, Catch::Contains("calls of functions stand in"));
  CHECK(Checked(calls, calls, Rules({"steps.mean > 5%"})).outcome == Outcome::kPassed);
}

TEST_CASE("A damaged new run is marked") {
  std::vector<RunProfile> next = Runs(1, 10, 5);
  next[0].damaged = true;
  const CheckResult result = Checked(Runs(1, 10, 5), next);
  CHECK(result.damaged);
  CHECK_THAT(result.statement, Catch::EndsWith("; the new runs could not be read whole"));
  CHECK(Checked({}, next, Rules({"quality.damaged"})).outcome == Outcome::kFailed);
  CHECK(Checked({}, Runs(1, 10, 5), Rules({"quality.damaged"})).outcome == Outcome::kPassed);
  next[0].diagnostics = {{"truncated-input", 2}};
  CHECK(Checked({}, next, Rules({"quality[\"truncated*\"].count > 1"})).outcome == Outcome::kFailed);
  CHECK(Checked({}, next, Rules({"quality[\"truncated*\"].count > 2"})).outcome == Outcome::kPassed);
}

TEST_CASE("Words are held against words") {
  std::vector<RunProfile> base = Runs(1, 10, 5), next = Runs(1, 10, 5);
  base[0].bottleneck = "device";
  next[0].bottleneck = "host";
  CHECK(Checked({}, next, Rules({"bottleneck == host"})).outcome == Outcome::kFailed);
  CHECK(Checked({}, next, Rules({"bottleneck == \"both\""})).outcome == Outcome::kPassed);
  const CheckResult changed = Checked(base, next, Rules({"bottleneck changed"}));
  CHECK(changed.outcome == Outcome::kFailed);
  CHECK(changed.findings[0].message == "bottleneck is host, in the base device");
}

TEST_CASE("There must be something to check, and to check it against") {
  const std::vector<RunProfile> none, one = Runs(1, 10, 5);
  CHECK_THAT(Check(none, none, {}).error().message, Catch::Contains("no new run"));
  CHECK_THAT(Check(none, one, {}).error().message, Catch::Contains("neither a baseline nor a rule"));
  CHECK_THAT(Check(none, one, Rules({"steps.mean > 5%"})).error().message, Catch::Contains("needs a baseline"));
}

}  // namespace
}  // namespace tfprof::compare
