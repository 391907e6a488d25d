#include "report/check_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "compare/matching.h"

namespace tfprof::report {

using compare::Finding;
using compare::Verdict;

namespace {

std::optional<ProblemLevel> LevelOf(const Finding& finding) {
  switch (finding.verdict) {
    case Verdict::kRegressed:
      return ProblemLevel::kError;
    case Verdict::kSuspect:
      return ProblemLevel::kWarning;
    case Verdict::kInconclusive:
      // That an op can't be told from one run or two is no problem of that op.
      if (finding.rule_id.empty() && finding.metric != "parity") return std::nullopt;
      return ProblemLevel::kWarning;
    default:
      return std::nullopt;
  }
}

struct ProblemKind {
  std::string rule, description, title;
};

ProblemKind KindOf(const Finding& finding) {
  if (!finding.rule_id.empty()) {
    const std::string description = "Fails if " + finding.rule_text;
    if (finding.verdict == Verdict::kInconclusive) return {finding.rule_id, description, "rule can't be told"};
    return {finding.rule_id, description, "broken rule"};
  }
  const char* verb = finding.verdict == Verdict::kSuspect ? "suspect" : "regressed";
  if (finding.metric == "parity") return {"perf/parity", "Both sides must be comparable.", "runs can't be compared"};
  if (finding.metric == "step time") {
    return {"perf/step-regression", "A step must not take longer than in the baseline.",
            fmt::format("step time {}", verb)};
  }
  return {"perf/op-regression", "No op must take longer than in the baseline.",
          fmt::format("{} {}", finding.op ? finding.op->op_name : finding.metric, verb)};
}

std::string RelativePath(std::string path) {
  while (path.starts_with("./")) path.erase(0, 2);
  return path;
}

// FNV-1a of 64 bits: nobody has to be kept from making two alike.
std::string HashText(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::string IdentityOf(const Finding& finding, const std::string& rule) {
  std::string identity = rule + '\n' + finding.metric;
  if (finding.op) {
    identity += finding.op->side == trace::Side::kHost ? "\nhost\n" : "\ndevice\n";
    identity += finding.op->op_type + '\n' + compare::NormalName(finding.op->op_name);
  }
  return identity;
}

Problem DamageOf(const CheckReport& report) {
  Problem problem;
  problem.level = ProblemLevel::kWarning;
  problem.rule = "perf/quality";
  problem.description = "The new runs must be readable as a whole.";
  problem.title = "the new runs are damaged";
  problem.message = "the new runs could not be read whole; the verdict is about what could be read";
  problem.path = RelativePath(report.options.next.empty() ? std::string() : report.options.next.front());
  problem.fingerprint = HashText(problem.rule);
  return problem;
}

}  // namespace

std::vector<Problem> ProblemsOf(const CheckReport& report) {
  const CheckReportOptions& options = report.options;
  const std::string new_run = options.next.empty() ? std::string() : options.next.front();
  std::vector<Problem> problems;
  std::map<std::string, size_t> seen;
  for (const Finding& finding : report.result.findings) {
    const std::optional<ProblemLevel> level = LevelOf(finding);
    if (!level) continue;
    const ProblemKind kind = KindOf(finding);
    Problem problem;
    problem.level = *level;
    problem.rule = kind.rule;
    problem.description = kind.description;
    problem.title = kind.title;
    problem.message = finding.message;
    if (finding.op) problem.op_name = finding.op->op_name.empty() ? finding.op->op_type : finding.op->op_name;
    const bool in_file = !finding.rule_id.empty() && !options.rules_file.empty();
    problem.path = RelativePath(in_file                      ? options.rules_file
                                : !options.baselines.empty() ? options.baselines.front()
                                                             : new_run);
    if (in_file) problem.line = std::max<size_t>(finding.line, 1);
    std::string identity = IdentityOf(finding, kind.rule);
    const size_t before = seen[identity]++;
    if (before > 0) identity += fmt::format("\n{}", before);
    problem.fingerprint = HashText(identity);
    problems.push_back(std::move(problem));
  }
  if (report.result.damaged) problems.push_back(DamageOf(report));
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.level < b.level; });
  return problems;
}

}  // namespace tfprof::report
