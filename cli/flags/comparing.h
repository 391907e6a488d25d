// What the command line says about comparing runs (diff, check, baseline): the sides, and how they are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compare/check.h"
#include "compare/comparison.h"
#include "compare/select_rows.h"

namespace tfprof::cli {

enum class OnInconclusive : uint8_t { kPass, kFail, kTell };

enum class BaselineAction : uint8_t { kSave, kAdd, kShow };

struct Comparing {
  std::vector<std::string> base;  // each a run, or a baseline; the new ones are Options::inputs
  std::optional<uint64_t> skip_steps;
  std::string rules_file;              // "": none
  std::vector<compare::Rule> fail_if;  // of the command line
  OnInconclusive on_inconclusive = OnInconclusive::kTell;
  compare::CompareBy by = compare::CompareBy::kOp;
  compare::ChangeOrder sort;
  BaselineAction action = BaselineAction::kSave;
  std::string baseline_file;  // "": standard output
};

// Errors are usage errors. `sort` is that of --sort, "" if it isn't given; `inputs` are all positional ones, and become
// those of the new side.
Status SplitSides(std::string_view sort, std::optional<size_t> before_separator, std::vector<std::string>* inputs,
                  Comparing* comparing);
// Of `check`: what can be said before a run is looked at.
Status CheckSides(const std::vector<std::string>& inputs, const Comparing& comparing);
// Takes the action from the first of the inputs.
Status TakeAction(std::vector<std::string>* inputs, Comparing* comparing);

}  // namespace tfprof::cli
