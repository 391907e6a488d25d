// What of a verdict a CI system is told, and how each of them wants to be told.
//
// A problem is a finding that somebody should look at: a rule broken or an op regressed (error), a suspect, or
// something that can't be told (warning; an error where that makes the check fail). Its fingerprint comes from what it
// is about, never from numbers, so that the same problem is the same alert in the next run; two problems of one report
// never share one. It lies in the file of rules, or in the baseline, or in the new run: a profile has no source lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/byte_sink.h"
#include "report/check_report.h"

namespace tfprof::report {

enum class ProblemLevel : uint8_t { kError, kWarning };

struct Problem {
  ProblemLevel level = ProblemLevel::kError;
  std::string rule;         // id of the user's rule, or "perf/op-regression", "perf/step-regression", …
  std::string description;  // of the rule: one sentence
  std::string title;        // a few words
  std::string message;      // one sentence with the numbers
  std::string op_name;      // "": not of one op
  bool has_place = true;    // false: a rule of the command line; the path is one for those that can't do without
  std::string path;         // as typed, without a leading "./"
  size_t line = 1;
  std::string fingerprint;  // 16 hexadecimal digits
};

struct CheckReport {
  const compare::CheckResult& result;
  const ReportContext& context;
  const CheckReportOptions& options;
};

// Whether a check that came to no decision may have this finding to thank for it: a suspect, or a rule or a parity
// that can't be told. That an op can't be told from one run or two is no problem of that op.
bool IsOpen(const compare::Finding& finding);
// Whether an inconclusive verdict is a failure to whoever asked.
bool FailsInconclusive(const CheckReport& report);

// Worst first.
std::vector<Problem> ProblemsOf(const CheckReport& report);

// JUnit XML as Jenkins, GitLab and GitHub's actions read it: a test case for each finding.
void WriteJunit(const CheckReport& report, ByteSink* sink);
// Workflow commands of GitHub Actions. It shows ten annotations of a kind for a step and drops the rest without a word,
// so at most nine are written and one that tells how many more there are.
void WriteGithub(const CheckReport& report, ByteSink* sink);
// SARIF 2.1.0 (OASIS).
void WriteSarif(const CheckReport& report, ByteSink* sink);
// GitLab's code quality report.
void WriteGitlab(const CheckReport& report, ByteSink* sink);
// For a step summary or a comment: far below GitHub's limit of 1 MiB, whatever the names.
void WriteCheckMarkdown(const CheckReport& report, ByteSink* sink);

}  // namespace tfprof::report
