#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report/check_problems.h"
#include "report/check_text.h"
#include "report/display.h"
#include "report/markdown.h"

namespace tfprof::report {

using compare::Finding;
using compare::Verdict;

namespace {

constexpr size_t kMostRows = 20, kMostLabels = 20;
constexpr size_t kNameWidth = 200, kSentenceWidth = 1000;

std::string Shown(std::string_view text, size_t width) { return MarkdownText(ElideMiddle(Displayable(text), width)); }

bool IsWorthARow(const Finding& finding) {
  if (!finding.rule_id.empty()) return finding.verdict != Verdict::kUnchanged;
  return finding.verdict == Verdict::kRegressed || finding.verdict == Verdict::kSuspect ||
         finding.verdict == Verdict::kImproved;
}

std::string RowOf(const Finding& finding) {
  const FindingTexts texts = TextsOf(finding);
  const auto cell = [](const std::string& text) { return text.empty() ? std::string() : Shown(text, kNameWidth); };
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", texts.verdict, cell(texts.what), cell(texts.base),
                     cell(texts.next), cell(texts.change), cell(texts.p), cell(texts.rule));
}

void AppendRuns(const char* side, const std::vector<std::string>& runs, std::string* out) {
  *out += fmt::format("- {}: {} run{}", side, runs.size(), runs.size() == 1 ? "" : "s");
  const size_t shown = std::min(runs.size(), kMostLabels);
  for (size_t i = 0; i < shown; ++i) *out += (i == 0 ? " – " : ", ") + Shown(runs[i], kNameWidth);
  if (shown < runs.size()) *out += fmt::format(" and {} more", runs.size() - shown);
  *out += '\n';
}

void AppendDetails(const CheckReport& report, std::string* out) {
  const compare::CheckResult& result = report.result;
  *out += "\n<details><summary>What was compared, and how it was decided</summary>\n\n";
  AppendRuns("base", result.base_runs, out);
  AppendRuns("new", result.next_runs, out);
  for (const Sentence& sentence : DecisionSentences(report)) {
    out->append("- ").append(Shown(sentence.text, kSentenceWidth)).append("\n");
  }
  const size_t unchanged = CountOfVerdict(result, Verdict::kUnchanged);
  const size_t open = CountOfVerdict(result, Verdict::kInconclusive);
  *out += fmt::format("- {} unchanged or kept, {} that can't be told\n", unchanged, open);
  // A command in a fence: the longest run of backticks in it decides how long the fence is.
  const std::string command = Displayable(CommandOf(report.options));
  std::string fence = "```";
  while (command.find(fence) != std::string::npos) fence += '`';
  *out += fmt::format("\n{}sh\n{}\n{}\n\n</details>\n", fence, ElideMiddle(command, 10 * kSentenceWidth), fence);
}

}  // namespace

void WriteCheckMarkdown(const CheckReport& report, ByteSink* sink) {
  const compare::CheckResult& result = report.result;
  const char* sign = result.outcome == compare::Outcome::kPassed   ? "✅"
                     : result.outcome == compare::Outcome::kFailed ? "❌"
                                                                   : "⚠️";
  std::string out =
      fmt::format("## {} tfprof-analyze check\n\n**{}**\n", sign, Shown(result.statement, kSentenceWidth));
  for (const std::string& sentence : Explanations(result)) {
    out.append("\n").append(Shown(sentence, kSentenceWidth)).append("\n");
  }
  size_t rows = 0, left_out = 0;
  for (const Finding& finding : result.findings) {
    if (!IsWorthARow(finding)) continue;
    if (rows == kMostRows) {
      ++left_out;
      continue;
    }
    if (rows++ == 0) {
      out += "\n| verdict | what | base | new | change | p | rule |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n";
    }
    out += RowOf(finding);
  }
  if (left_out > 0) out += fmt::format("\nand {} more; the JSON report has them all\n", left_out);
  AppendDetails(report, &out);
  sink->Append(out);
}

}  // namespace tfprof::report
