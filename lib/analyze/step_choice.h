// Which steps of a run somebody asked for (`--steps`, `--skip-steps`).
//
// A step is chosen by the number that its name ends with, as `steps` prints it; steps to leave out are counted from the
// first one that the run has. Names without a number are chosen only by position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/op_steps.h"

namespace tfprof::analyze {

struct StepChoice {
  bool by_number = false;            // from and to count
  std::optional<uint64_t> from, to;  // both inclusive; open ends
  uint64_t skip = 0;                 // so many steps at the beginning

  bool any() const { return by_number || skip > 0; }
};

// The number at the end of a step's name (`train 7`); nothing: it ends otherwise.
std::optional<uint64_t> StepNumber(std::string_view name);

// By step.
std::vector<bool> ChooseSteps(const std::vector<StepTime>& steps, const StepChoice& choice);

// Gives each row of `ops` what the row of the same op (or key) in `in_steps` holds, divided by the number of steps; a
// row without its like there has nothing in a step.
void SetStepMeans(const OpsResult& in_steps, uint64_t steps, OpsResult* ops);

// What was chosen, for people: "3 of 20 steps count: train 3 to train 5"; with nothing chosen, what there is to choose
// from.
std::string TellChoice(const std::vector<StepTime>& steps, const std::vector<bool>& chosen);

}  // namespace tfprof::analyze
