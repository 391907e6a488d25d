#include "compare/profile_of_run.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tfprof::compare {
namespace {

struct Findings {
  analyze::OpsResult ops;
  analyze::OpStepsResult op_steps;
  analyze::StepsResult steps;

  Findings() { steps.kind = analyze::StepKind::kStep; }

  void AddStep(int64_t total_ps, bool cut = false) {
    op_steps.steps.push_back({std::to_string(op_steps.steps.size()), "", 0, total_ps, cut});
  }
  // Self time by step; the rest of `self_ps` lies outside.
  void AddOp(const std::string& name, int64_t self_ps, std::vector<int64_t> by_step) {
    analyze::OpsRow row;
    row.op_type = "T";
    row.op_name = name;
    row.self_ps = row.total_ps = self_ps;
    row.occurrences = 7;
    ops.rows.push_back(row);
    ops.host.sum_self_ps += self_ps;
    op_steps.outside_self_ps += self_ps;
    for (const int64_t ps : by_step) op_steps.outside_self_ps -= ps;
    std::vector<int64_t> occurrences(by_step.size(), 1);
    op_steps.ops.push_back({analyze::Side::kHost, "T", name, std::move(by_step), std::move(occurrences)});
  }
  RunProfile Profile(std::optional<uint64_t> skip_steps = std::nullopt) const {
    return ProfileOfRun({ops, op_steps, steps, nullptr, nullptr, false, skip_steps});
  }
};

}  // namespace

TEST_CASE("one step warms up where there are three") {
  Findings three;
  for (const int64_t ps : {900, 10, 20}) three.AddStep(ps);
  three.AddOp("a", 103, {99, 1, 3});
  RunProfile run = three.Profile();
  REQUIRE(run.steps);
  CHECK(run.steps->count == 2);
  CHECK(run.steps->warm_up == 1);
  CHECK(run.steps->median_ps == 15);
  CHECK(run.ops.at(0).self_per_step_ps == 2.0);
  CHECK(run.ops.at(0).self_ps == 103);  // the whole run keeps it
  CHECK(three.Profile(0).ops.at(0).self_per_step_ps == 3.0);
  CHECK(three.Profile(2).steps->median_ps == 20);
  CHECK_FALSE(three.Profile(3).steps);
  CHECK_FALSE(three.Profile(3).ops.at(0).self_per_step_ps);

  Findings two;
  for (const int64_t ps : {900, 10}) two.AddStep(ps);
  CHECK(two.Profile().steps->count == 2);
}

TEST_CASE("steps that the trace cut don't count where others remain") {
  Findings cut;
  for (const int64_t ps : {50, 10, 20}) cut.AddStep(ps);
  cut.AddStep(1, true);
  CHECK(cut.Profile().steps->count == 2);
  CHECK(cut.Profile().steps->warm_up == 2);
  CHECK(cut.Profile(3).steps->median_ps == 1);  // none else remains
}

TEST_CASE("an op that runs in few steps has its mean") {
  Findings rare;
  for (int i = 0; i < 4; ++i) rare.AddStep(10);
  rare.AddOp("a", 90, {0, 0, 0, 90});
  CHECK(rare.Profile(0).ops.at(0).self_per_step_ps == 22.5);
}

TEST_CASE("where steps don't hold the work ops have no figures per step") {
  Findings handed_over;
  for (int i = 0; i < 2; ++i) handed_over.AddStep(10);
  handed_over.AddOp("a", 100, {24, 25});
  REQUIRE(handed_over.Profile().steps);
  CHECK_FALSE(handed_over.Profile().steps->hold_work);
  CHECK_FALSE(handed_over.Profile().ops.at(0).self_per_step_ps);

  Findings calls;
  calls.steps.kind = analyze::StepKind::kCall;
  for (int i = 0; i < 2; ++i) calls.AddStep(10);
  calls.AddOp("a", 100, {50, 50});
  CHECK_FALSE(calls.Profile().ops.at(0).self_per_step_ps);
  CHECK_FALSE(calls.Profile().steps->marked);
  CHECK(calls.Profile().steps->hold_work);
}

TEST_CASE("idle rows are no ops, their time is the side's") {
  Findings idle;
  idle.AddOp("a", 5, {});
  analyze::OpsRow row;
  row.op_type = row.op_name = "IDLE";
  row.idle = true;
  idle.ops.rows.push_back(row);
  idle.ops.host.idle_ps = 42;
  CHECK(idle.Profile().ops.size() == 1);
  CHECK(idle.Profile().host.idle_ps == 42);
  CHECK_FALSE(idle.Profile().steps);
}

TEST_CASE("kernels may stand for ops") {
  Findings none;
  analyze::KernelsResult kernels;
  kernels.gpus = 1;
  kernels.rows.resize(1);
  kernels.rows[0].kernel = "gemm";
  kernels.rows[0].times.occurrences = kernels.all.occurrences = 3;
  kernels.rows[0].times.total_ps = 11;
  const RunProfile run = ProfileOfRun({none.ops, none.op_steps, none.steps, nullptr, &kernels, true, std::nullopt});
  REQUIRE(run.ops.size() == 1);
  CHECK(run.ops[0].key == OpKey{trace::Side::kDevice, "", "gemm"});
  CHECK(run.ops[0].self_ps == 11);
  CHECK(run.kernel_launches == 3);

  // A GPU at work whose events tell no launch has no known number of kernels; one that does nothing has none.
  analyze::KernelsResult untold;
  untold.gpus = untold.gpus_at_work = 1;
  const auto launches = [&] {
    return ProfileOfRun({none.ops, none.op_steps, none.steps, nullptr, &untold, false, std::nullopt}).kernel_launches;
  };
  CHECK_FALSE(launches());
  untold.gpus_at_work = 0;
  CHECK(launches() == 0);
}

}  // namespace tfprof::compare
