// One rule, and the comparison with the baseline, judged: the findings that Check() makes its verdict of.
//
// Absolute limits are held against the new runs as `ops`, `steps` and their like print them. Relative ones are held
// against the base, ops per step where all runs have steps, an op that was renamed against its old name. Of several
// runs the median counts; of an exact metric each new run, against all base runs (a base that varies by itself is no
// change). docs/ci.md says the same to users.
#pragma once

#include <span>
#include <vector>

#include "compare/check.h"
#include "compare/comparison.h"
#include "compare/run_profile.h"

namespace tfprof::compare {

struct JudgeContext {
  std::span<const RunProfile> base, next;
  const Comparison* comparison = nullptr;  // null: no base
  const Mismatch* prevents = nullptr;      // why nothing can be held against the base
};

// At least one: each thing that breaks the rule, or one that says that none does or that it can't be told.
std::vector<Finding> JudgeRule(const Rule& rule, const JudgeContext& context);

// Step time and gated ops, with their verdicts.
std::vector<Finding> JudgeComparison(const JudgeContext& context, const CompareOptions& options);

// "op model/Conv2D (Conv2D)", "op type Conv2D", "scope model".
std::string NameForPeople(const OpKey& key);

}  // namespace tfprof::compare
