#include <utility>

#include "report/check_problems.h"
#include "report/json.h"

namespace tfprof::report {

void WriteGitlab(const CheckReport& report, ByteSink* sink) {
  Value::Array issues;
  for (const Problem& problem : ProblemsOf(report)) {
    issues.push_back(Value::Object{
        {"description", problem.message},
        {"check_name", problem.rule},
        {"fingerprint", problem.fingerprint},
        {"severity", problem.level == ProblemLevel::kError ? "major" : "minor"},
        {"location",
         Value::Object{{"path", problem.path}, {"lines", Value::Object{{"begin", uint64_t{problem.line}}}}}}});
  }
  WriteJsonArray(issues, sink);
}

}  // namespace tfprof::report
