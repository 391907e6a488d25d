#include "report/check_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compare/matching.h"

namespace tfprof::report {

using compare::Finding;
using compare::Verdict;

namespace {

std::optional<ProblemLevel> LevelOf(const Finding& finding, bool open_fails) {
  if (finding.verdict == Verdict::kRegressed) return ProblemLevel::kError;
  if (!IsOpen(finding)) return std::nullopt;
  return open_fails ? ProblemLevel::kError : ProblemLevel::kWarning;
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

// Fingerprints of one report, none of them twice: names of ops may hold anything, and hashes may meet.
class Fingerprints {
 public:
  std::string Make(const std::string& identity) {
    size_t& alike = alike_[identity];
    while (true) {
      std::string made = HashText(alike == 0 ? identity : fmt::format("{}\n{}", identity, alike));
      ++alike;
      if (made_.insert(made).second) return made;
    }
  }

 private:
  std::map<std::string, size_t> alike_;
  std::set<std::string> made_;
};

Problem DamageOf(const CheckReport& report) {
  Problem problem;
  problem.level = ProblemLevel::kWarning;
  problem.rule = "perf/quality";
  problem.description = "The new runs must be readable as a whole.";
  problem.title = "the new runs are damaged";
  problem.message = "the new runs could not be read whole; the verdict is about what could be read";
  problem.path = RelativePath(report.options.next.empty() ? std::string() : report.options.next.front());
  return problem;
}

}  // namespace

bool IsOpen(const Finding& finding) {
  if (finding.verdict == Verdict::kSuspect) return true;
  return finding.verdict == Verdict::kInconclusive && (!finding.rule_id.empty() || finding.metric == "parity");
}

bool FailsInconclusive(const CheckReport& report) {
  return report.result.outcome == compare::Outcome::kInconclusive && report.options.inconclusive_fails;
}

std::vector<Problem> ProblemsOf(const CheckReport& report) {
  const CheckReportOptions& options = report.options;
  const std::string new_run = options.next.empty() ? std::string() : options.next.front();
  std::vector<Problem> problems;
  Fingerprints fingerprints;
  for (const Finding& finding : report.result.findings) {
    const std::optional<ProblemLevel> level = LevelOf(finding, FailsInconclusive(report));
    if (!level) continue;
    const ProblemKind kind = KindOf(finding);
    Problem problem;
    problem.level = *level;
    problem.rule = kind.rule;
    problem.description = kind.description;
    problem.title = kind.title;
    problem.message = finding.message;
    if (finding.op) problem.op_name = finding.op->op_name.empty() ? finding.op->op_type : finding.op->op_name;
    const bool is_rule = !finding.rule_id.empty();
    const bool in_file = is_rule && finding.line > 0;
    problem.has_place = in_file || !is_rule;
    problem.path = RelativePath(in_file                      ? options.rules_file
                                : !options.baselines.empty() ? options.baselines.front()
                                                             : new_run);
    if (in_file) problem.line = finding.line;
    problem.fingerprint = fingerprints.Make(IdentityOf(finding, kind.rule));
    problems.push_back(std::move(problem));
  }
  if (report.result.damaged) {
    problems.push_back(DamageOf(report));
    problems.back().fingerprint = fingerprints.Make(problems.back().rule);
  }
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.level < b.level; });
  return problems;
}

}  // namespace tfprof::report
