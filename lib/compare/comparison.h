// Two sides of runs compared: which ops changed, by how much, and whether that is more than chance.
//
// Base is left, new is right, a change is new - base, positive is more. Rules of decision: docs/statistics.md
// (reference: anchors of the project, "Deciding regressions in noisy op times"). Pure: the same runs give the same
// comparison on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compare/run_profile.h"
#include "compare/statistics.h"

namespace tfprof::compare {

enum class Verdict : uint8_t {
  kUnchanged,     // the interval of the change lies within the threshold
  kRegressed,     // beyond thresholds, and no chance
  kImproved,      // likewise, in the better direction
  kSuspect,       // beyond thresholds, but chance can't be ruled out with these runs
  kInconclusive,  // neither can be said
  kNotGated,      // too small to decide on
};
std::string_view VerdictName(Verdict verdict);  // "unchanged", "regressed", …

enum class Presence : uint8_t { kBoth, kNew, kGone };

// One figure on both sides.
struct Change {
  std::vector<double> base, next;  // one per run, in the order of the runs; 0 where an op did not run
  double base_median = 0, next_median = 0;
  double delta = 0;                  // of the medians
  std::optional<double> relative;    // delta / base_median; absent where that is 0
  std::optional<Interval> interval;  // of the relative change
  std::optional<double> p, p_holm;   // one-sided, in the direction of the change
  bool exact = false;                // a count or size: has no noise, any change is a fact
  Verdict verdict = Verdict::kNotGated;
  std::string reason;  // of the verdict, in words: "needs 5 runs a side, has 3"
};

enum class RowKind : uint8_t { kOp, kIdle, kUnattributed };
enum class CompareBy : uint8_t { kOp, kType, kScope, kKernel, kStep };

struct ChangeRow {
  RowKind kind = RowKind::kOp;
  OpKey key;              // on the new side; on the base side where it is gone
  std::string base_name;  // the name there, where it was matched under another ("": the same)
  Presence presence = Presence::kBoth;
  Change self, total, occurrences;
  double share_of_change = 0;  // of the sum of absolute changes of its side, 0 to 1
  double share_of_step = 0;    // self of the larger side, of step time (per run: of all self time)
  bool gated = false;          // holds min_share and so takes part in the decision
};

// What differs although it should not.
struct Mismatch {
  std::string what, base, next;  // "device type", "GPU A100", "CPU"
  bool prevents_verdict = false;
};

struct CompareOptions {
  CompareBy by = CompareBy::kOp;
  double alpha = 0.05;
  double confidence = 0.95;
  double max_increase = 0.05;       // relative
  double min_delta = 0.001;         // of step time
  double min_share = 0.01;          // of step time: smaller ops are told, never gated
  bool single_run_decides = false;  // one run a side: beyond thresholds and noise floor is regressed, not suspect
};

struct Comparison {
  CompareBy by = CompareBy::kOp;
  bool per_step = false;                          // figures are per step; else of the whole run (one side has no steps)
  std::vector<std::string> base_runs, next_runs;  // labels
  std::vector<Mismatch> parity;
  std::optional<Change> step_time;     // median step time of each run
  std::vector<ChangeRow> rows;         // sorted by absolute change of self time, then by name
  std::vector<ChangeRow> types;        // the same summed by op type, so that a rename isn't -100 % and new
  size_t gated = 0;                    // tests in Holm's adjustment: gated rows, new and gone ones of a side as one
  size_t runs_needed = 0;              // a side, for the gated set to be decidable at all
  bool decidable = false;              // it is, with the runs there are (sides may hold unlike numbers of them)
  std::vector<std::string> explained;  // sentences: the few ops that make up the change of step time
};

// The mismatch for which there are no verdicts; null: there is none.
const Mismatch* PreventingMismatch(const Comparison& comparison);
// "the runs can't be compared: device type is CPU in the base and GPU now".
std::string CannotCompare(const Mismatch& mismatch);

// An Error where there is nothing to compare: a side without runs.
Result<Comparison> Compare(std::span<const RunProfile> base, std::span<const RunProfile> next,
                           const CompareOptions& options);

}  // namespace tfprof::compare
