// Rules over a comparison (or over the new runs alone) and the verdict that they come to: what `check` decides.
//
// The verdict document is the one source of every report (terminal, JSON, JUnit, GitHub, SARIF, GitLab).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compare/comparison.h"
#include "compare/run_profile.h"

namespace tfprof::compare {

// What one rule asks: `METRIC OPERATOR LIMIT`, such as `steps.mean > 5%`, `ops["*MatMul*"].self_us > 1200`,
// `kernels.count != base`, `op_set changed`. The rule is broken when what it says is true.
struct Rule {
  std::string id;                      // stable: from the rules file, or made from the text
  std::string text;                    // as typed
  std::string metric;                  // "steps.mean", "ops.self_us" (metrics.h has them all)
  std::optional<std::string> subject;  // the glob in brackets
  std::string operation;               // ">", ">=", "<", "<=", "!=", "==", "changed", "new", "gone"; "": the state
  double limit = 0;                    // in the unit of the metric; of a relative rule 0.05 for 5 %
  std::string word;                    // the limit of a metric that is a word: bottleneck == "host"
  bool relative_to_base = false;       // a percentage, or `base`
  size_t line = 0;                     // where it stands in a file of rules, from 1; 0: not in one
};

struct RuleSet {
  std::vector<Rule> rules;
  std::map<std::string, size_t> ids;  // those that are taken, each with how many more were made like it
  CompareOptions compare;             // thresholds, min_share, alpha
};

// Errors are usage errors: they name the place and the nearest known name.
Result<Rule> ParseRule(std::string_view text);
Result<RuleSet> ParseRules(std::string_view json_text);
// Ids stay unique: of two rules whose made ids are alike the second gets a number.
void AddRule(Rule rule, RuleSet* set);

// What was decided on one thing.
struct Finding {
  std::string rule_id, rule_text;       // "": the comparison with the baseline itself
  std::string metric;                   // "step time", "self time per step"
  std::optional<OpKey> op;              // of a type only side and op_type, of a scope its name as op_name
  std::optional<Change> change;         // where there is a base; in `unit`
  std::optional<double> value, limit;   // of a rule
  std::string unit;                     // "us", "fraction", "count", "bytes"; "": no number
  std::optional<double> share_of_step;  // of an op of the comparison
  size_t line = 0;                      // of the rule
  Verdict verdict = Verdict::kUnchanged;
  bool broken_rule = false;
  std::string message;  // one sentence with the numbers
};

enum class Outcome : uint8_t { kPassed, kFailed, kInconclusive };

struct CheckResult {
  Outcome outcome = Outcome::kPassed;
  std::string statement;          // one line
  std::vector<Finding> findings;  // worst first
  std::optional<Comparison> comparison;
  std::vector<std::string> base_runs, next_runs;
  bool damaged = false;  // the new runs couldn't be read whole
};

// What there must be before anything is read: a rule or a base, and a base for every rule that needs one.
Status CheckRules(const RuleSet& rules, bool has_base);
// `base` may be empty where no rule needs it; an Error says which does.
Result<CheckResult> Check(std::span<const RunProfile> base, std::span<const RunProfile> next, const RuleSet& rules);

}  // namespace tfprof::compare
