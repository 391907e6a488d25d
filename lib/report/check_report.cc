#include "report/check_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "report/check_problems.h"
#include "report/check_text.h"

namespace tfprof::report {

using compare::CheckResult;
using compare::Comparison;
using compare::Finding;
using compare::Outcome;
using compare::Verdict;

namespace {

// Ops of the comparison that came to nothing, which a page for people doesn't list one by one.
constexpr size_t kMostQuietRows = 5;

Column Text(std::string_view id, std::string_view label, size_t least_width = 0, int leave_out = 0) {
  Column column;
  column.id = id;
  column.label = label;
  column.least_width = least_width;
  column.leave_out = leave_out;
  return column;
}

Column Number(std::string_view id, Kind kind = Kind::kNumber) {
  Column column;
  column.id = column.label = id;
  column.kind = kind;
  return column;
}

std::string_view SideOf(const Finding& finding) {
  if (!finding.op) return "";
  return finding.op->side == trace::Side::kHost ? "Host" : "Device";
}

std::optional<double> NewOf(const Finding& finding) {
  return finding.change ? std::optional(finding.change->next_median) : finding.value;
}

// Records of machine formats: a row for each finding.
TablePtr Records(const CheckResult& result) {
  auto table = std::make_shared<Table>();
  table->columns = {Text("verdict", ""), Text("rule_id", ""),     Text("rule", ""),        Text("metric", ""),
                    Text("side", ""),    Text("op_type", ""),     Text("op_name", ""),     Text("unit", ""),
                    Number("base"),      Number("new"),           Number("limit"),         Number("delta"),
                    Number("relative"),  Number("interval_low"),  Number("interval_high"), Number("p"),
                    Number("p_holm"),    Number("share_of_step"), Text("message", "")};
  table->rows = result.findings.size();
  table->read = [&result](size_t index, Row* row) {
    const Finding& finding = result.findings[index];
    const compare::Change* change = finding.change ? &*finding.change : nullptr;
    const auto number = [](const std::optional<double>& value) { return value ? Cell(*value) : Cell(Missing()); };
    const auto text = [](std::string_view value) { return Cell(value); };
    const auto of_change = [&](auto member) { return change != nullptr ? Cell(change->*member) : Cell(Missing()); };
    const bool interval = change != nullptr && change->interval;
    row->kind = RowKind::kPlain;
    row->cells = {text(VerdictId(finding)),
                  text(finding.rule_id),
                  text(finding.rule_text),
                  text(finding.metric),
                  text(SideOf(finding)),
                  text(finding.op ? std::string_view(finding.op->op_type) : ""),
                  text(finding.op ? std::string_view(finding.op->op_name) : ""),
                  text(finding.unit),
                  of_change(&compare::Change::base_median),
                  number(NewOf(finding)),
                  number(finding.limit),
                  of_change(&compare::Change::delta),
                  change != nullptr ? number(change->relative) : Cell(Missing()),
                  interval ? Cell(change->interval->low) : Cell(Missing()),
                  interval ? Cell(change->interval->high) : Cell(Missing()),
                  change != nullptr ? number(change->p) : Cell(Missing()),
                  change != nullptr ? number(change->p_holm) : Cell(Missing()),
                  number(finding.share_of_step),
                  text(finding.message)};
  };
  return table;
}

Value OrNull(const std::optional<double>& value) { return value ? Value(*value) : Value(); }

Value Numbers(const std::vector<double>& values) {
  Value::Array array;
  for (const double value : values) array.push_back(value);
  return array;
}

Value Texts(const std::vector<std::string>& texts) {
  Value::Array array;
  for (const std::string& text : texts) array.push_back(text);
  return array;
}

Value FindingValue(const Finding& finding) {
  const std::optional<compare::Change>& change = finding.change;
  const auto word = [](std::string_view text) { return text.empty() ? Value() : Value(text); };
  Value interval;
  if (change && change->interval) {
    interval = Value::Object{
        {"low", change->interval->low}, {"high", change->interval->high}, {"confidence", change->interval->confidence}};
  }
  return Value::Object{{"verdict", VerdictId(finding)},
                       {"rule_id", word(finding.rule_id)},
                       {"rule", word(finding.rule_text)},
                       {"metric", finding.metric},
                       {"side", word(SideOf(finding))},
                       {"op_type", finding.op ? Value(finding.op->op_type) : Value()},
                       {"op_name", finding.op ? Value(finding.op->op_name) : Value()},
                       {"unit", word(finding.unit)},
                       {"base", change ? Value(change->base_median) : Value()},
                       {"new", OrNull(NewOf(finding))},
                       {"limit", OrNull(finding.limit)},
                       {"delta", change ? Value(change->delta) : Value()},
                       {"relative", change ? OrNull(change->relative) : Value()},
                       {"interval", std::move(interval)},
                       {"p", change ? OrNull(change->p) : Value()},
                       {"p_holm", change ? OrNull(change->p_holm) : Value()},
                       {"exact", change && change->exact},
                       {"share_of_step", OrNull(finding.share_of_step)},
                       {"base_values", Numbers(change ? change->base : std::vector<double>())},
                       {"new_values", Numbers(change ? change->next : std::vector<double>())},
                       {"message", finding.message}};
}

// Of the ratios of the gated ops that ran on both sides: one figure for how all of them moved.
std::optional<double> GeometricMean(const Comparison& comparison) {
  double logarithms = 0;
  size_t count = 0;
  for (const compare::ChangeRow& row : comparison.rows) {
    if (!row.gated || row.self.base_median <= 0 || row.self.next_median <= 0) continue;
    logarithms += std::log(row.self.next_median / row.self.base_median);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(logarithms / static_cast<double>(count)) - 1;
}

Value ComparisonValue(const CheckResult& result, const compare::CompareOptions& limits) {
  if (!result.comparison) return {};
  const Comparison& comparison = *result.comparison;
  Value::Array parity;
  for (const compare::Mismatch& mismatch : comparison.parity) {
    parity.push_back(Value::Object{{"what", mismatch.what},
                                   {"base", mismatch.base},
                                   {"new", mismatch.next},
                                   {"prevents_verdict", mismatch.prevents_verdict}});
  }
  return Value::Object{{"per_step", comparison.per_step},
                       {"gated", uint64_t{comparison.gated}},
                       {"runs_needed", uint64_t{comparison.runs_needed}},
                       {"geometric_mean_change", OrNull(GeometricMean(comparison))},
                       {"limits", Value::Object{{"alpha", limits.alpha},
                                                {"confidence", limits.confidence},
                                                {"max_increase", limits.max_increase},
                                                {"min_delta", limits.min_delta},
                                                {"min_share", limits.min_share},
                                                {"single_run_decides", limits.single_run_decides}}},
                       {"parity", std::move(parity)},
                       {"explained", Texts(comparison.explained)}};
}

Value::Object Json(const CheckReport& report) {
  const CheckResult& result = report.result;
  Value::Object json = OpenDocument("check", report.context);
  json.push_back({"outcome", OutcomeId(result.outcome)});
  json.push_back({"statement", result.statement});
  json.push_back({"damaged", result.damaged});
  json.push_back({"base_runs", Texts(result.base_runs)});
  json.push_back({"new_runs", Texts(result.next_runs)});
  json.push_back({"comparison", ComparisonValue(result, report.options.compare)});
  Value::Array findings;
  for (const Finding& finding : result.findings) findings.push_back(FindingValue(finding));
  json.push_back({"findings", std::move(findings)});
  CloseDocument(report.context, &json);
  return json;
}

bool IsQuiet(const Finding& finding) {
  return finding.rule_id.empty() && finding.metric != "step time" && finding.metric != "parity" &&
         (finding.verdict == Verdict::kUnchanged || finding.verdict == Verdict::kInconclusive);
}

TablePtr TableOf(std::shared_ptr<const std::vector<FindingTexts>> texts, bool rules) {
  auto table = std::make_shared<Table>();
  table->columns = {Text("verdict", "Verdict"), Text("what", rules ? "What" : "Op", 16), Text("base", "Base"),
                    Text("new", "New"), Text("change", "Change")};
  if (rules) {
    table->columns.push_back(Text("rule", "Fails if", 16));
  } else {
    table->columns.push_back(Text("interval", "Interval", 0, 2));
    table->columns.push_back(Text("p", "p", 0, 1));
  }
  table->rows = texts->size();
  table->read = [texts, rules](size_t index, Row* row) {
    const FindingTexts& cells = (*texts)[index];
    row->kind = RowKind::kPlain;
    const auto text = [](const std::string& cell) { return Cell(std::string_view(cell)); };
    row->cells = {text(cells.verdict), text(cells.what), text(cells.base), text(cells.next), text(cells.change)};
    if (rules) {
      row->cells.push_back(text(cells.rule));
    } else {
      row->cells.push_back(text(cells.interval));
      row->cells.push_back(text(cells.p));
    }
  };
  return table;
}

Tone ToneOf(Outcome outcome) {
  return outcome == Outcome::kPassed ? Tone::kGood : outcome == Outcome::kFailed ? Tone::kError : Tone::kWarning;
}

std::string RunsText(const std::vector<std::string>& runs) {
  if (runs.empty()) return "none";
  if (runs.size() == 1) return runs.front();
  return fmt::format("{} runs, {} … {}", runs.size(), runs.front(), runs.back());
}

// The sentences that a table can't hold: why a rule can't be told, and what a rule on words came to.
void AppendMessages(const CheckResult& result, Paragraph* paragraph) {
  for (const Finding& finding : result.findings) {
    const bool open_rule = !finding.rule_id.empty() && finding.verdict == Verdict::kInconclusive;
    const bool wordless = finding.broken_rule && finding.unit.empty();
    if (!open_rule && !wordless) continue;
    std::string text = finding.message;
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    paragraph->sentences.push_back({text + ".", wordless ? Tone::kError : Tone::kWarning});
  }
}

std::vector<Block> Blocks(const CheckReport& report) {
  const CheckResult& result = report.result;
  std::vector<Block> blocks;
  blocks.push_back(Paragraph{{{result.statement, ToneOf(result.outcome)}}});
  blocks.push_back(Facts{
      {{"base", {RunsText(result.base_runs), Tone::kPlain}}, {"new", {RunsText(result.next_runs), Tone::kPlain}}}});
  Paragraph explained;
  for (const std::string& sentence : Explanations(result)) explained.sentences.push_back({sentence, Tone::kPlain});
  AppendMessages(result, &explained);
  if (!explained.sentences.empty()) blocks.push_back(std::move(explained));

  auto rules = std::make_shared<std::vector<FindingTexts>>(), ops = std::make_shared<std::vector<FindingTexts>>();
  size_t quiet = 0;
  for (const Finding& finding : result.findings) {
    if (finding.rule_id.empty() && finding.metric == "parity") continue;
    if (IsQuiet(finding) && ++quiet > kMostQuietRows) continue;
    (finding.rule_id.empty() ? ops : rules)->push_back(TextsOf(finding));
  }
  if (!rules->empty()) blocks.push_back(Tables{{{"Rules", "", TableOf(rules, true)}}});
  if (!ops->empty()) {
    const bool per_step = result.comparison && result.comparison->per_step;
    blocks.push_back(
        Tables{{{"Against the base", per_step ? "self time per step" : "self time", TableOf(ops, false)}}});
  }
  Paragraph foot;
  if (quiet > kMostQuietRows) {
    foot.sentences.push_back(
        {fmt::format("And {} more that are unchanged or can't be told.", quiet - kMostQuietRows), Tone::kQuiet});
  }
  for (Sentence& sentence : DecisionSentences(report)) foot.sentences.push_back(std::move(sentence));
  foot.sentences.push_back(DataQuality(report.context.diagnostics));
  blocks.push_back(std::move(foot));
  return blocks;
}

}  // namespace

std::string_view VerdictId(const Finding& finding) {
  if (finding.broken_rule) return "broken_rule";
  if (!finding.rule_id.empty() && finding.verdict == Verdict::kUnchanged) return "passed";
  return compare::VerdictName(finding.verdict);
}

std::string_view OutcomeId(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kInconclusive:
      break;
  }
  return "inconclusive";
}

Document CheckDocument(const CheckResult& result, const ReportContext& context, const CheckReportOptions& options,
                       Format format) {
  const CheckReport report{result, context, options};
  Document document;
  const auto whole = [&](void (*write)(const CheckReport&, ByteSink*)) {
    document.whole = [&result, &context, &options, write](ByteSink* sink) {
      write(CheckReport{result, context, options}, sink);
    };
  };
  switch (format) {
    case Format::kJunit:
      whole(WriteJunit);
      return document;
    case Format::kGithub:
      whole(WriteGithub);
      return document;
    case Format::kSarif:
      whole(WriteSarif);
      return document;
    case Format::kGitlab:
      whole(WriteGitlab);
      return document;
    case Format::kMarkdown:
      whole(WriteCheckMarkdown);
      return document;
    default:
      break;
  }
  document.records = Records(result);
  document.json = Json(report);
  document.blocks = Blocks(report);
  return document;
}

}  // namespace tfprof::report
