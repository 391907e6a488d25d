// The words of a verdict for people, shared by the table and by Markdown.
#pragma once

#include <string>
#include <vector>

#include "report/check_problems.h"
#include "report/document.h"

namespace tfprof::report {

// The cells of a finding; "" where there is nothing to tell.
struct FindingTexts {
  std::string verdict;     // "regressed", "broken rule"
  std::string what;        // op, or metric
  std::string base, next;  // with unit
  std::string change;      // `+12.3 %`
  std::string interval;    // `+9.8 … +15.1 %`
  std::string p;           // adjusted, where it was
  std::string rule;        // as typed, or the limit of the comparison
};
FindingTexts TextsOf(const compare::Finding& finding);

size_t CountOfVerdict(const compare::CheckResult& result, compare::Verdict verdict);

// What differs between the sides, and by which limits was decided.
std::vector<Sentence> DecisionSentences(const CheckReport& report);

// Which ops make up the change of step time; none where the sides can't be compared.
std::vector<std::string> Explanations(const compare::CheckResult& result);

// What to type to see the verdict again.
std::string CommandOf(const CheckReportOptions& options);

}  // namespace tfprof::report
