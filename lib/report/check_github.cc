#include <fmt/format.h>

#include <string>

#include "report/check_problems.h"
#include "report/display.h"

namespace tfprof::report {
namespace {

constexpr size_t kMostOfAKind = 9;
constexpr size_t kMostBytesOfAName = 2000;  // a line of a log, not a page

// What the runner would take for its own: https://github.com/actions/toolkit writes the same. Control characters and
// line ends of names are spelled out before, so a message is one line.
std::string Escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : Displayable(text)) {
    if (c == '%') {
      out += "%25";
    } else if (c == ':' && property) {
      out += "%3A";
    } else if (c == ',' && property) {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Shortened(std::string_view text) {
  if (text.size() <= kMostBytesOfAName) return std::string(text);
  return std::string(text.substr(0, kMostBytesOfAName)) + "…";
}

std::string Annotation(std::string_view kind, const std::string& title, const std::string& message,
                       const Problem* where) {
  std::string line = fmt::format("::{} title={}", kind, Escaped("tfprof-analyze: " + Shortened(title), true));
  if (where != nullptr && where->has_place && !where->path.empty()) {
    line += fmt::format(",file={},line={}", Escaped(where->path, true), where->line);
  }
  return line + "::" + Escaped(Shortened(message), false) + "\n";
}

std::string_view KindOf(const CheckReport& report) {
  switch (report.result.outcome) {
    case compare::Outcome::kFailed:
      return "error";
    case compare::Outcome::kInconclusive:
      return FailsInconclusive(report) ? "error" : "warning";
    case compare::Outcome::kPassed:
      break;
  }
  return "notice";
}

}  // namespace

void WriteGithub(const CheckReport& report, ByteSink* sink) {
  const std::string_view statement_kind = KindOf(report);
  sink->Append(Annotation(statement_kind, std::string("check ") + std::string(OutcomeId(report.result.outcome)),
                          report.result.statement, nullptr));
  const std::vector<Problem> problems = ProblemsOf(report);
  for (const ProblemLevel level : {ProblemLevel::kError, ProblemLevel::kWarning}) {
    const std::string_view kind = level == ProblemLevel::kError ? "error" : "warning";
    size_t written = kind == statement_kind ? 1 : 0, left_out = 0;
    for (const Problem& problem : problems) {
      if (problem.level != level) continue;
      if (written == kMostOfAKind) {
        ++left_out;
        continue;
      }
      ++written;
      sink->Append(Annotation(kind, problem.title, problem.message, &problem));
    }
    if (left_out > 0) {
      sink->Append(Annotation(kind, fmt::format("and {} more", left_out),
                              fmt::format("and {} more; the other reports of this check have them all", left_out),
                              nullptr));
    }
  }
}

}  // namespace tfprof::report
