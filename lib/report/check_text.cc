#include "report/check_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "compare/metrics.h"
#include "report/shell_word.h"

namespace tfprof::report {

using compare::Finding;
using compare::MetricUnit;
using compare::RelativeText;
using compare::Verdict;

namespace {

MetricUnit UnitOf(const Finding& finding) {
  for (const MetricUnit unit :
       {MetricUnit::kMicroseconds, MetricUnit::kCount, MetricUnit::kBytes, MetricUnit::kFraction}) {
    if (compare::UnitId(unit) == finding.unit) return unit;
  }
  return MetricUnit::kWord;
}

std::string VerdictText(const Finding& finding) {
  if (finding.broken_rule) return "broken rule";
  if (!finding.rule_id.empty() && finding.verdict == Verdict::kUnchanged) return "passed";
  // A person reads "inconclusive" as a fault of the op; it is one of too few runs.
  if (finding.rule_id.empty() && finding.verdict == Verdict::kInconclusive) return "can't tell";
  return std::string(compare::VerdictName(finding.verdict));
}

}  // namespace

FindingTexts TextsOf(const Finding& finding) {
  FindingTexts texts;
  texts.verdict = VerdictText(finding);
  texts.what = finding.metric;
  if (finding.op) texts.what = finding.op->op_name.empty() ? finding.op->op_type : finding.op->op_name;
  texts.rule = finding.rule_text;
  if (finding.unit.empty()) return texts;
  const MetricUnit unit = UnitOf(finding);
  if (finding.value) texts.next = compare::QuantityText(*finding.value, unit);
  if (!finding.change) return texts;
  const compare::Change& change = *finding.change;
  texts.base = compare::QuantityText(change.base_median, unit);
  texts.next = compare::QuantityText(change.next_median, unit);
  if (change.relative) texts.change = RelativeText(*change.relative);
  if (change.interval) {
    texts.interval = fmt::format("{} … {}", RelativeText(change.interval->low), RelativeText(change.interval->high));
  }
  const std::optional<double> p = change.p_holm ? change.p_holm : change.p;
  if (p) texts.p = fmt::format("{:.2g}", *p);
  return texts;
}

size_t CountOfVerdict(const compare::CheckResult& result, Verdict verdict) {
  return static_cast<size_t>(std::count_if(result.findings.begin(), result.findings.end(),
                                           [&](const Finding& finding) { return finding.verdict == verdict; }));
}

std::vector<Sentence> DecisionSentences(const CheckReport& report) {
  std::vector<Sentence> sentences;
  if (!report.result.comparison) return sentences;
  const compare::Comparison& comparison = *report.result.comparison;
  for (const compare::Mismatch& mismatch : comparison.parity) {
    sentences.push_back(
        {fmt::format("Not alike: {} is {} in the base and {} now.", mismatch.what, mismatch.base, mismatch.next),
         Tone::kWarning});
  }
  const compare::CompareOptions& limits = report.options.compare;
  sentences.push_back(
      {fmt::format("Regressed is what takes more than {} and more than {:g} % of a step longer, with p ≤ {:g} after "
                   "Holm's adjustment over {} op{} that {} {:g} % of a step or more.",
                   RelativeText(limits.max_increase), limits.min_delta * 100, limits.alpha, comparison.gated,
                   comparison.gated == 1 ? "" : "s", comparison.gated == 1 ? "holds" : "hold", limits.min_share * 100),
       Tone::kQuiet});
  if (!comparison.decidable) {
    sentences.push_back({fmt::format("To prove that an op changed, {} runs a side are needed; there are {}+{}.",
                                     comparison.runs_needed, comparison.base_runs.size(), comparison.next_runs.size()),
                         Tone::kQuiet});
  }
  return sentences;
}

std::vector<std::string> Explanations(const compare::CheckResult& result) {
  if (!result.comparison) return {};
  const auto& parity = result.comparison->parity;
  const bool comparable =
      std::none_of(parity.begin(), parity.end(), [](const compare::Mismatch& m) { return m.prevents_verdict; });
  return comparable ? result.comparison->explained : std::vector<std::string>();
}

std::string CommandOf(const CheckReportOptions& options) {
  std::string command("tfprof-analyze check");
  const auto add = [&command](std::string_view flag, const std::string& word) {
    command.append(flag).append(ShellWord(word));
  };
  for (const std::string& run : options.next) add(" ", run);
  for (const std::string& baseline : options.baselines) add(" --baseline ", baseline);
  if (!options.rules_file.empty()) add(" --rules ", options.rules_file);
  for (const std::string& rule : options.fail_if) add(" --fail-if ", rule);
  if (options.inconclusive_fails) command += " --on-inconclusive fail";
  return command;
}

}  // namespace tfprof::report
