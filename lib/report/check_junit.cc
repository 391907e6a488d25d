#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "report/check_problems.h"

namespace tfprof::report {

using compare::Finding;
using compare::Verdict;

namespace {

// Characters that XML 1.0 has, with those that mean something in it as entities. Line ends in attributes are spelled,
// or they would be read as spaces.
std::string Xml(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    text.remove_prefix(c.bytes);
    const bool control = c.code < 0x20 && c.code != '\t' && c.code != '\n' && c.code != '\r';
    if (!c.valid || control || c.code == 0xFFFE || c.code == 0xFFFF) {
      AppendUtf8(kReplacementCharacter, &out);
    } else if (c.code == '<') {
      out += "&lt;";
    } else if (c.code == '>') {
      out += "&gt;";
    } else if (c.code == '&') {
      out += "&amp;";
    } else if (c.code == '"') {
      out += "&quot;";
    } else if (c.code < 0x20) {
      out += fmt::format("&#{};", static_cast<unsigned>(c.code));
    } else {
      AppendUtf8(c.code, &out);
    }
  }
  return out;
}

// What came of a case. JUnit knows no "can't be told": a skipped test is one that decided nothing.
enum class End : uint8_t { kPassed, kFailed, kSkipped };

End EndOf(const Finding& finding, bool open_fails) {
  if (finding.verdict == Verdict::kRegressed) return End::kFailed;
  if (IsOpen(finding)) return open_fails ? End::kFailed : End::kSkipped;
  return finding.verdict == Verdict::kInconclusive ? End::kSkipped : End::kPassed;
}

struct Case {
  std::string class_name, name;
  double seconds = 0;
  End end = End::kPassed;
  std::string failure;  // its type
  std::string message;
};

std::string NameOf(const compare::OpKey& key) {
  return !key.op_name.empty() ? key.op_name : !key.op_type.empty() ? key.op_type : "(no name)";
}

Case CaseOf(const Finding& finding, bool open_fails) {
  Case test;
  test.end = EndOf(finding, open_fails);
  test.failure = finding.verdict != Verdict::kRegressed ? "inconclusive"
                 : finding.broken_rule                  ? "broken rule"
                                                        : "regression";
  test.message = finding.message;
  if (finding.unit == "us") {
    const double us = finding.change ? finding.change->next_median : finding.value.value_or(0);
    test.seconds = us / 1e6;
  }
  // An op of one type and name may run on both sides: a case's names together are its own.
  const std::string_view side = finding.op && finding.op->side == trace::Side::kDevice ? "device" : "host";
  if (!finding.rule_id.empty()) {
    test.class_name = "rule";
    test.name =
        finding.op ? fmt::format("{} ({} {})", finding.rule_text, side, NameOf(*finding.op)) : finding.rule_text;
  } else if (finding.op) {
    test.class_name = fmt::format("{}.{}", side, finding.op->op_type.empty() ? "op" : finding.op->op_type);
    test.name = NameOf(*finding.op);
  } else {
    test.class_name = "baseline";
    test.name = finding.metric;
  }
  return test;
}

// GitLab shows the body alone, Jenkins the attribute: the message stands in both.
std::string ElementOf(const Case& test) {
  const std::string message = Xml(test.message);
  switch (test.end) {
    case End::kFailed:
      return fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", test.failure, message, message);
    case End::kSkipped:
      return fmt::format("<skipped message=\"{}\"/>", message);
    case End::kPassed:
      break;
  }
  return fmt::format("<system-out>{}</system-out>", message);
}

// That a check came to no decision is a case of its own where no finding tells it: there was nothing to check.
std::vector<Case> CasesOf(const CheckReport& report) {
  const compare::CheckResult& result = report.result;
  const bool open_fails = FailsInconclusive(report);
  std::vector<Case> cases;
  for (const Finding& finding : result.findings) cases.push_back(CaseOf(finding, open_fails));
  const bool is_told = std::any_of(result.findings.begin(), result.findings.end(), IsOpen);
  if (result.outcome == compare::Outcome::kInconclusive && !is_told) {
    cases.push_back(
        {"check", "verdict", 0, open_fails ? End::kFailed : End::kSkipped, "inconclusive", result.statement});
  }
  return cases;
}

}  // namespace

void WriteJunit(const CheckReport& report, ByteSink* sink) {
  const compare::CheckResult& result = report.result;
  const std::vector<Case> cases = CasesOf(report);
  const auto count = [&](End end) {
    return std::count_if(cases.begin(), cases.end(), [end](const Case& test) { return test.end == end; });
  };
  const size_t errors = result.damaged ? 1 : 0;
  BufferedSink out(sink);
  out.text += fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"tfprof-analyze check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n"
      "    <properties>\n      <property name=\"outcome\" value=\"{}\"/>\n"
      "      <property name=\"version\" value=\"{}\"/>\n    </properties>\n",
      cases.size() + errors, count(End::kFailed), errors, count(End::kSkipped), OutcomeId(result.outcome),
      Xml(report.context.tool.version));
  for (const Case& test : cases) {
    out.text += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\">\n      {}\n    </testcase>\n",
                            Xml(test.class_name), Xml(test.name), test.seconds, ElementOf(test));
    if (!out.Pass()) return;
  }
  if (errors > 0) {
    const char* message = "the new runs could not be read whole; the verdict is about what could be read";
    out.text += fmt::format(
        "    <testcase classname=\"quality\" name=\"new runs\" time=\"0.000000000\">\n"
        "      <error type=\"damage\" message=\"{}\">{}</error>\n    </testcase>\n",
        message, message);
  }
  out.text += fmt::format("    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>\n", Xml(result.statement));
}

}  // namespace tfprof::report
