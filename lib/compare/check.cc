#include "compare/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/counted.h"
#include "base/units.h"
#include "compare/judge.h"
#include "compare/metrics.h"
#include "compare/statistics.h"

namespace tfprof::compare {
namespace {

Error Usage(std::string message) { return {DiagCode::kUnreadableInput, std::move(message)}; }

Change InMicroseconds(Change change) {
  for (double& value : change.base) value /= kPsPerUs;
  for (double& value : change.next) value /= kPsPerUs;
  change.base_median /= kPsPerUs;
  change.next_median /= kPsPerUs;
  change.delta /= kPsPerUs;
  return change;
}

// `412.1 ms → 463 ms per step, +12.4 % [+9.8 %, +15.1 %], p=0.008 (Holm 0.047), n=5+5: regressed (limit +5 %)`
std::string ChangeText(const Change& change, bool per_step, const CompareOptions& options) {
  std::string text =
      fmt::format("{} → {}{}", QuantityText(change.base_median, MetricUnit::kMicroseconds),
                  QuantityText(change.next_median, MetricUnit::kMicroseconds), per_step ? " per step" : "");
  if (change.relative) text += ", " + RelativeText(*change.relative);
  if (change.interval) {
    text += fmt::format(" [{}, {}]", RelativeText(change.interval->low), RelativeText(change.interval->high));
  }
  if (change.p) text += fmt::format(", p={:.2g}", *change.p);
  if (change.p_holm) text += fmt::format(" (Holm {:.2g})", *change.p_holm);
  text += fmt::format(", n={}+{}: {}", change.base.size(), change.next.size(), VerdictName(change.verdict));
  if (change.verdict == Verdict::kRegressed) text += fmt::format(" (limit {})", RelativeText(options.max_increase));
  if (!change.reason.empty()) text += fmt::format(" ({})", change.reason);
  return text;
}

Finding FindingOf(const Change& change, std::string metric, const std::string& name, bool per_step,
                  const CompareOptions& options) {
  Finding finding;
  finding.metric = std::move(metric);
  finding.unit = UnitId(MetricUnit::kMicroseconds);
  finding.verdict = change.verdict;
  finding.change = InMicroseconds(change);
  finding.message = fmt::format("{}: {}", name, ChangeText(*finding.change, per_step, options));
  return finding;
}

int Badness(const Finding& finding) {
  switch (finding.verdict) {
    case Verdict::kRegressed:
      return 0;
    case Verdict::kSuspect:
      return 1;
    case Verdict::kInconclusive:
      return 2;
    case Verdict::kImproved:
      return 3;
    default:
      return 4;
  }
}

bool IsRule(const Finding& finding) { return !finding.rule_id.empty(); }

size_t CountOf(const CheckResult& result, Verdict verdict, bool rules) {
  return static_cast<size_t>(std::count_if(result.findings.begin(), result.findings.end(), [&](const Finding& finding) {
    return finding.verdict == verdict && IsRule(finding) == rules;
  }));
}

// What keeps the runs from being held against each other.
std::optional<Mismatch> Preventing(const Comparison& comparison) {
  if (const Mismatch* mismatch = PreventingMismatch(comparison)) return *mismatch;
  const auto is_common = [](const ChangeRow& row) {
    return row.kind == RowKind::kOp && row.presence == Presence::kBoth;
  };
  if (std::any_of(comparison.rows.begin(), comparison.rows.end(), is_common)) return std::nullopt;
  return Mismatch{"the op set", "another one without a common op", "what it is", true};
}

// Whether so many tests could have come to "regressed" at all with so many runs.
bool CanProve(const Comparison& comparison, size_t tests, const CompareOptions& options) {
  const size_t base = comparison.base_runs.size(), next = comparison.next_runs.size();
  if (options.single_run_decides && std::min(base, next) == 1) return true;
  return CanReach(base, next, std::max<size_t>(tests, 1), options.alpha);
}

// Step time is decided by a test of its own, ops by Holm's over all of them.
bool HasPower(const Comparison& comparison, const CompareOptions& options) {
  return CanProve(comparison, comparison.step_time ? 1 : comparison.gated, options);
}

// `few_runs`: that ops can't be told is no news, and said otherwise.
std::string Summary(const CheckResult& result, bool few_runs) {
  std::vector<std::string> parts;
  const size_t broken = CountOf(result, Verdict::kRegressed, true);
  const size_t regressed = CountOf(result, Verdict::kRegressed, false);
  const size_t suspect = CountOf(result, Verdict::kSuspect, false);
  const size_t improved = CountOf(result, Verdict::kImproved, false);
  const size_t untold = CountOf(result, Verdict::kInconclusive, true);
  const auto compared = static_cast<size_t>(
      std::count_if(result.findings.begin(), result.findings.end(), [](const Finding& f) { return !IsRule(f); }));
  const size_t unproven = few_runs ? 0 : CountOf(result, Verdict::kInconclusive, false);
  if (regressed > 0) parts.push_back(fmt::format("{} regressed", regressed));
  if (broken > 0) parts.push_back(Counted(broken, "breach of a rule", "breaches of rules"));
  if (suspect > 0) parts.push_back(fmt::format("{} suspect", suspect));
  if (untold > 0) parts.push_back(Counted(untold, "rule that can't be told", "rules that can't be told"));
  if (improved > 0) parts.push_back(fmt::format("{} improved", improved));
  if (unproven > 0) {
    parts.push_back(fmt::format("{} of {} not proven either way", unproven,
                                Counted(compared, "compared time", "compared times")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

class Checker {
 public:
  Checker(std::span<const RunProfile> base, std::span<const RunProfile> next, const RuleSet& rules)
      : base_(base), next_(next), rules_(rules) {}

  Result<CheckResult> Check() && {
    if (Status bad = Prepare()) return *bad;
    JudgeContext context{base_, next_, result_.comparison ? &*result_.comparison : nullptr,
                         prevents_ ? &*prevents_ : nullptr};
    for (const Rule& rule : rules_.rules) Take(JudgeRule(rule, context));
    if (context.comparison != nullptr) Take(JudgeComparison(context, rules_.compare));
    std::stable_sort(result_.findings.begin(), result_.findings.end(),
                     [](const Finding& a, const Finding& b) { return Badness(a) < Badness(b); });
    Decide();
    return std::move(result_);
  }

 private:
  Status Prepare() {
    if (next_.empty()) return Usage("there is no new run to check");
    if (Status bad = CheckRules(rules_, !base_.empty())) return bad;
    if (!base_.empty()) {
      Result<Comparison> comparison = Compare(base_, next_, rules_.compare);
      if (!comparison) return comparison.error();
      result_.comparison = std::move(*comparison);
      prevents_ = Preventing(*result_.comparison);
    }
    for (const RunProfile& run : base_) result_.base_runs.push_back(run.label);
    for (const RunProfile& run : next_) {
      result_.next_runs.push_back(run.label);
      result_.damaged = result_.damaged || run.damaged;
    }
    return kOk;
  }

  void Take(std::vector<Finding> findings) {
    std::move(findings.begin(), findings.end(), std::back_inserter(result_.findings));
  }

  void Decide() {
    const bool failed = std::any_of(result_.findings.begin(), result_.findings.end(),
                                    [](const Finding& f) { return f.verdict == Verdict::kRegressed; });
    const std::string why = failed ? std::string() : WhyInconclusive();
    result_.outcome = failed ? Outcome::kFailed : why.empty() ? Outcome::kPassed : Outcome::kInconclusive;
    const char* word = failed ? "failed" : why.empty() ? "passed" : "inconclusive";
    std::vector<std::string> parts;
    if (why.empty()) {
      const std::string reservation = failed ? std::string() : Reservation();
      const bool few_runs = result_.comparison && !HasPower(*result_.comparison, rules_.compare);
      for (std::string part : {Summary(result_, few_runs), reservation}) {
        if (!part.empty()) parts.push_back(std::move(part));
      }
      if (parts.empty()) parts.emplace_back(base_.empty() ? "no rule is broken" : "nothing changed for the worse");
    } else {
      parts.push_back(why);
    }
    result_.statement = fmt::format("{}: {}", word, fmt::join(parts, "; "));
    if (result_.damaged) result_.statement += "; the new runs could not be read whole";
  }

  // "" where the check decided something. Rules against the base that could be decided are a decision, whatever the
  // comparison came to; so is a comparison in which nothing is beyond the limits, although too few runs can't prove
  // that nothing changed.
  std::string WhyInconclusive() const {
    for (const Finding& finding : result_.findings) {
      if (finding.verdict == Verdict::kInconclusive && IsRule(finding)) return finding.message;
    }
    if (!result_.comparison) return {};
    if (prevents_) return CannotCompare(*prevents_);
    if (BaseIsForRules()) return {};
    // What more evidence could prove is no reason to pass.
    const auto suspect = std::find_if(result_.findings.begin(), result_.findings.end(), [this](const Finding& finding) {
      return finding.verdict == Verdict::kSuspect &&
             !CanProve(*result_.comparison, finding.op ? result_.comparison->gated : 1, rules_.compare);
    });
    if (suspect == result_.findings.end()) return {};
    return fmt::format("{} suspect, but {} can't tell change from chance, {} a side could; {}",
                       CountOf(result_, Verdict::kSuspect, false), RunsText(), RunsThatProve(), suspect->message);
  }

  // Whoever gives rules against the base has said what decides.
  bool BaseIsForRules() const {
    return std::any_of(rules_.rules.begin(), rules_.rules.end(),
                       [](const Rule& rule) { return rule.relative_to_base; });
  }

  // What passed only because nothing is beyond the limits says so.
  std::string Reservation() const {
    if (!result_.comparison || BaseIsForRules() || HasPower(*result_.comparison, rules_.compare)) return {};
    return fmt::format(
        "nothing is slower beyond the limits and the noise of the runs; {} can't prove more, {} a side could",
        RunsText(), RunsThatProve());
  }

  std::string RunsText() const { return fmt::format("{}+{} runs", base_.size(), next_.size()); }

  size_t RunsThatProve() const {
    return std::max(result_.comparison->runs_needed, RunsNeeded(1, rules_.compare.alpha));
  }

  std::span<const RunProfile> base_, next_;
  const RuleSet& rules_;
  std::optional<Mismatch> prevents_;
  CheckResult result_;
};

}  // namespace

std::vector<Finding> JudgeComparison(const JudgeContext& context, const CompareOptions& options) {
  if (context.prevents != nullptr) {
    Finding finding;
    finding.metric = "parity";
    finding.verdict = Verdict::kInconclusive;
    finding.message = CannotCompare(*context.prevents);
    return {std::move(finding)};
  }
  const Comparison& comparison = *context.comparison;
  std::vector<Finding> findings;
  if (comparison.step_time) {
    findings.push_back(FindingOf(*comparison.step_time, "step time", "step time", false, options));
  }
  for (const ChangeRow& row : comparison.rows) {
    if (!row.gated || row.self.verdict == Verdict::kNotGated) continue;
    const bool is_op = row.kind == RowKind::kOp;
    std::string name = is_op                        ? NameForPeople(row.key)
                       : row.kind == RowKind::kIdle ? "idle time"
                                                    : "unattributed device time";
    if (!row.base_name.empty()) name += fmt::format(", before {}", row.base_name);
    if (row.presence == Presence::kNew) name += ", new";
    if (row.presence == Presence::kGone) name += ", gone";
    Finding finding = FindingOf(row.self, comparison.per_step ? "self time per step" : "self time", name,
                                comparison.per_step, options);
    if (row.occurrences.delta != 0) {
      finding.message +=
          fmt::format("; ran {} times, before {}", QuantityText(row.occurrences.next_median, MetricUnit::kCount),
                      QuantityText(row.occurrences.base_median, MetricUnit::kCount));
    }
    if (is_op) finding.op = row.key;
    finding.share_of_step = row.share_of_step;
    findings.push_back(std::move(finding));
  }
  return findings;
}

Status CheckRules(const RuleSet& rules, bool has_base) {
  if (has_base) return kOk;
  if (rules.rules.empty()) return Usage("there is nothing to check: neither a baseline nor a rule is given");
  for (const Rule& rule : rules.rules) {
    if (rule.relative_to_base) return Usage(fmt::format("rule \"{}\": needs a baseline, and none is given", rule.text));
  }
  return kOk;
}

Result<CheckResult> Check(std::span<const RunProfile> base, std::span<const RunProfile> next, const RuleSet& rules) {
  return Checker(base, next, rules).Check();
}

}  // namespace tfprof::compare
