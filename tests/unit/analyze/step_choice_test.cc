#include "analyze/step_choice.h"

#include <catch2/catch.hpp>

namespace tfprof::analyze {
namespace {

std::vector<StepTime> Steps(std::initializer_list<const char*> names) {
  std::vector<StepTime> steps;
  for (const char* name : names) steps.emplace_back().name = name;
  return steps;
}

using Chosen = std::vector<bool>;

TEST_CASE("the number of a step is that at the end of its name") {
  CHECK(StepNumber("train 7") == 7);
  CHECK(StepNumber("ProfilerStep#1009") == 1009);
  CHECK(StepNumber("12") == 12);
  CHECK_FALSE(StepNumber("train"));
  CHECK_FALSE(StepNumber(""));
  CHECK_FALSE(StepNumber("7 train"));
  CHECK_FALSE(StepNumber("train 99999999999999999999999"));
}

TEST_CASE("--steps goes by number, both ends included, open ends allowed") {
  const std::vector<StepTime> steps = Steps({"train 8", "test 0", "train 9", "warm-up", "train 10"});
  CHECK(ChooseSteps(steps, {true, 9, 10, 0}) == Chosen{false, false, true, false, true});
  CHECK(ChooseSteps(steps, {true, 9, {}, 0}) == Chosen{false, false, true, false, true});
  CHECK(ChooseSteps(steps, {true, {}, 8, 0}) == Chosen{true, true, false, false, false});
  CHECK(ChooseSteps(steps, {true, {}, {}, 0}) == Chosen(5, true));
}

TEST_CASE("--skip-steps goes by position, and both must let a step pass") {
  const std::vector<StepTime> steps = Steps({"train 8", "train 9", "train 10"});
  CHECK(ChooseSteps(steps, {false, {}, {}, 2}) == Chosen{false, false, true});
  CHECK(ChooseSteps(steps, {false, {}, {}, 3}) == Chosen(3, false));
  CHECK(ChooseSteps(steps, {false, {}, {}, UINT64_MAX}) == Chosen(3, false));
  CHECK(ChooseSteps(steps, {true, {}, 9, 1}) == Chosen{false, true, false});
}

TEST_CASE("what was chosen is told") {
  const std::vector<StepTime> steps = Steps({"train 8", "test 0", "train 9", "train 10"});
  CHECK(TellChoice(steps, {false, false, true, true}) == "2 of 4 steps count: train 9 to train 10");
  CHECK(TellChoice(steps, {true, false, false, false}) == "1 of 4 steps counts: train 8");
  CHECK(TellChoice(steps, {true, false, true, false}) ==
        "2 of 4 steps count: train 8 to train 9, not all between them");
  CHECK(TellChoice(steps, {false, false, false, false}) ==
        "--steps and --skip-steps leave no step; the profile has 4: train 8 to train 10");
  CHECK_THAT(TellChoice({}, {}), Catch::Contains("no step can be seen in the profile"));
}

TEST_CASE("means by step: what a row has in steps, 0 where it has nothing there, none for idle") {
  OpsResult ops, in_steps;
  for (const char* name : {"a", "b", "IDLE"}) {
    OpsRow& row = ops.rows.emplace_back();
    row.op_name = name;
    row.idle = row.op_name == "IDLE";
  }
  OpsRow& row = in_steps.rows.emplace_back();
  row.op_name = "a";
  row.self_ps = 30;
  row.occurrences = 3;
  SetStepMeans(in_steps, 4, &ops);
  CHECK(ops.rows[0].per_step->self_ps == 7.5);
  CHECK(ops.rows[0].per_step->occurrences == 0.75);
  CHECK(ops.rows[1].per_step->self_ps == 0);
  CHECK_FALSE(ops.rows[2].per_step);
}

}  // namespace
}  // namespace tfprof::analyze
