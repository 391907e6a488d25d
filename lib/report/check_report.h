// What `check` prints: the verdict of a CheckResult as a document, for people, for machines and for CI systems.
//
// One verdict, many renderings: none of them decides anything. JSON is pinned by schemas/check-1.schema.json; the
// formats of CI systems (check_problems.h) are whole documents of their own.
#pragma once

#include <string>
#include <vector>

#include "compare/check.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/write.h"

namespace tfprof::report {

struct CheckReportOptions {
  compare::CompareOptions compare;
  std::vector<std::string> next, baselines;  // as typed
  std::string rules_file;                    // as typed; "": none
  std::vector<std::string> fail_if;          // as typed
  bool inconclusive_fails = false;           // the user has an inconclusive check count as a failed one
  Unit unit = Unit::kAuto;
};

// A machine name of what a finding came to: those of the comparison (compare::VerdictName), and "passed" or
// "broken_rule" of a rule.
std::string_view VerdictId(const compare::Finding& finding);
std::string_view OutcomeId(compare::Outcome outcome);  // "passed", "failed", "inconclusive"

// Refers to `result`, `context` and `options`.
Document CheckDocument(const compare::CheckResult& result, const ReportContext& context,
                       const CheckReportOptions& options, Format format);

}  // namespace tfprof::report
