#include "report/diff_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tfprof::report {

using compare::Change;
using compare::ChangeRow;
using compare::CompareBy;
using compare::Comparison;
using compare::Mismatch;
using compare::OtherRows;
using compare::Presence;
using compare::Verdict;
using trace::Side;

namespace {

constexpr uint64_t kTypesForPeople = 10;

Value OrNull(const std::optional<double>& value) { return value ? Value(*value) : Value(); }

Value MicrosecondsOf(const std::vector<double>& values_ps) {
  Value::Array values;
  for (const double ps : values_ps) values.push_back(ps / 1e6);
  return values;
}

// A time on both sides, with the value of each run.
Value ChangeValue(const Change& change) {
  return Value::Object{{"base_us", change.base_median / 1e6},
                       {"new_us", change.next_median / 1e6},
                       {"change_us", change.delta / 1e6},
                       {"change_fraction", OrNull(change.relative)},
                       {"change_low", change.interval ? Value(change.interval->low) : Value()},
                       {"change_high", change.interval ? Value(change.interval->high) : Value()},
                       {"confidence", change.interval ? Value(change.interval->confidence) : Value()},
                       {"p", OrNull(change.p)},
                       {"verdict", compare::VerdictName(change.verdict)},
                       {"reason", change.reason},
                       {"base_runs_us", MicrosecondsOf(change.base)},
                       {"new_runs_us", MicrosecondsOf(change.next)}};
}

Value TextsOf(const std::vector<std::string>& texts) {
  Value::Array values;
  for (const std::string& text : texts) values.push_back(text);
  return values;
}

Value ParityValue(const std::vector<Mismatch>& parity) {
  Value::Array values;
  for (const Mismatch& mismatch : parity) {
    values.push_back(Value::Object{{"what", mismatch.what},
                                   {"base", mismatch.base},
                                   {"new", mismatch.next},
                                   {"prevents_verdict", mismatch.prevents_verdict}});
  }
  return values;
}

Value OthersValue(const compare::SelectedRows& selected, Side side) {
  for (const OtherRows& others : selected.others) {
    if (others.side != side) continue;
    return Value::Object{{"rows", others.rows},
                         {"base_self_us", others.base_self_ps / 1e6},
                         {"new_self_us", others.next_self_ps / 1e6},
                         {"self_change_us", (others.next_self_ps - others.base_self_ps) / 1e6},
                         {"share_of_change", others.share_of_change}};
  }
  return Value();
}

std::string Capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string RunsText(const std::vector<std::string>& labels, std::string_view side) {
  if (labels.empty()) return fmt::format("no {} run", side);
  return labels.size() == 1 ? labels.front()
                            : CountText(labels.size(), std::string(side) + " run", std::string(side) + " runs");
}

// Writes headings and sentences of one comparison.
class DiffProse {
 public:
  DiffProse(const Comparison& comparison, const DiffReportOptions& options)
      : comparison_(comparison), options_(options) {}

  Title Head() const {
    return {fmt::format("{} → {}", RunsText(comparison_.base_runs, "base"), RunsText(comparison_.next_runs, "new")),
            fmt::format("{}; a change is new - base, so + is slower", comparison_.by == CompareBy::kStep ? "step times"
                                                                      : comparison_.per_step
                                                                          ? "self time per step"
                                                                          : "self time of the whole run")};
  }

  // What is wrong first, then what changed.
  Paragraph Top() const {
    Paragraph top;
    for (const Mismatch& mismatch : comparison_.parity) {
      top.sentences.push_back(
          {fmt::format("{} differs: base: {}; new: {}{}.", Capitalised(mismatch.what), mismatch.base, mismatch.next,
                       mismatch.prevents_verdict ? "; that alone explains any difference" : ""),
           Tone::kWarning});
    }
    const bool verdict = comparison_.step_time && HasVerdicts(comparison_);
    if (verdict) top.sentences.push_back(StepVerdict(*comparison_.step_time));
    for (const std::string& sentence : comparison_.explained) {
      if (verdict && sentence.starts_with("Step time ")) continue;  // said with its verdict
      top.sentences.push_back({sentence, Tone::kPlain});
    }
    if (comparison_.rows.empty()) {
      top.sentences.push_back({"There is nothing to compare.", Tone::kPlain});
    } else if (comparison_.explained.empty()) {
      top.sentences.push_back({"No op changed.", Tone::kPlain});
    }
    return top;
  }

  std::string Detail(Side side, const compare::SelectedRows& selected) const {
    if (comparison_.by == CompareBy::kStep) return "";
    uint64_t shown = 0, all = 0;
    for (const ChangeRow* row : selected.rows) shown += row->key.side == side && row->kind == compare::RowKind::kOp;
    all = shown;
    for (const OtherRows& others : selected.others) all += others.side == side ? others.rows : 0;
    const std::string noun(CompareByName(comparison_.by));
    const std::string counted = CountText(all, noun, noun + "s");
    return shown == all ? counted : fmt::format("{} of {}", GroupedText(shown), counted);
  }

  std::vector<Sentence> Foot(const compare::SelectedRows& selected) const {
    std::vector<Sentence> sentences;
    if (selected.none_of > 0) {
      sentences.push_back({fmt::format("--include and --exclude leave none of {}; patterns distinguish upper and "
                                       "lower case, (?i) in front of one makes it ignore that.",
                                       CountText(selected.none_of, "op", "ops")),
                           Tone::kWarning});
    }
    const bool side_rows = std::any_of(selected.rows.begin(), selected.rows.end(), [](const ChangeRow* row) {
      return row->kind != compare::RowKind::kOp;
    });
    if (side_rows && comparison_.per_step) {
      sentences.push_back({"Time without an op (IDLE, unattributed) is of the whole run, spread over all its steps: "
                           "--skip-steps doesn't change it.",
                           Tone::kQuiet});
    }
    const auto absent = std::count_if(comparison_.rows.begin(), comparison_.rows.end(),
                                      [](const ChangeRow& row) { return row.presence != Presence::kBoth; });
    if (absent > 0 && comparison_.by == CompareBy::kOp) {
      sentences.push_back(
          {"An op that is new and one that is gone may be one that was renamed or fused: the sums by type tell.",
           Tone::kQuiet});
    }
    if (comparison_.rows.empty() || comparison_.by == CompareBy::kStep) return sentences;
    if (HasVerdicts(comparison_)) {
      sentences.push_back(VerdictsRestOn());
    } else {
      sentences.push_back(
          {fmt::format("{}+{} runs can't tell a change from chance; {} a side can, for the {} "
                       "1 % of the time or more.",
                       comparison_.base_runs.size(), comparison_.next_runs.size(), comparison_.runs_needed,
                       CountText(comparison_.gated, "row that holds", "rows that hold")),
           Tone::kQuiet});
    }
    return sentences;
  }

 private:
  static Tone ToneOf(Verdict verdict) {
    return verdict == Verdict::kRegressed  ? Tone::kError
           : verdict == Verdict::kImproved ? Tone::kGood
           : verdict == Verdict::kSuspect  ? Tone::kWarning
                                           : Tone::kPlain;
  }

  Sentence StepVerdict(const Change& step) const {
    std::string text =
        fmt::format("Step time: {} -> {}", TimeText(static_cast<int128>(step.base_median), options_.unit),
                    TimeText(static_cast<int128>(step.next_median), options_.unit));
    if (step.relative) text += fmt::format(", {:+.1f} %", 100 * *step.relative);
    if (step.interval) {
      text += fmt::format(" [{:+.1f}, {:+.1f}]", 100 * step.interval->low, 100 * step.interval->high);
    }
    if (step.p) text += fmt::format(", p={:.3g}", *step.p);
    text += fmt::format(", n={}+{}: {}", step.base.size(), step.next.size(), compare::VerdictName(step.verdict));
    if (!step.reason.empty()) text += fmt::format(" ({})", step.reason);
    return {text + ".", ToneOf(step.verdict)};
  }

  Sentence VerdictsRestOn() const {
    std::string text =
        fmt::format("Verdicts: exact Mann-Whitney U over runs, p adjusted by Holm over the {} 1 % of the time or more.",
                    CountText(comparison_.gated, "row that holds", "rows that hold"));
    if (comparison_.decidable) return {std::move(text), Tone::kQuiet};
    return {fmt::format("{} With {}+{} runs none of them can be proven: it needs {} a side.", text,
                        comparison_.base_runs.size(), comparison_.next_runs.size(), comparison_.runs_needed),
            Tone::kWarning};
  }

  const Comparison& comparison_;
  const DiffReportOptions& options_;
};

void AddTables(const Comparison& comparison, const SelectedRowsPtr& selected, const DiffProse& prose,
               std::string_view suffix, std::vector<Block>* blocks) {
  Tables tables;
  for (const Side side : {Side::kDevice, Side::kHost}) {
    TablePtr table = MakeDiffTable(comparison, selected, side);
    if (table == nullptr) continue;
    const std::string name = comparison.by == CompareBy::kStep ? "Steps" : side == Side::kDevice ? "Device" : "Host";
    tables.sections.push_back({name + std::string(suffix), prose.Detail(side, *selected), std::move(table)});
  }
  if (!tables.sections.empty()) blocks->push_back(std::move(tables));
}

// Where ops came and went, the sums by type tell whether that is more than names.
void AddTypes(const Comparison& comparison, const DiffReportOptions& options, std::vector<Block>* blocks) {
  const bool moved = std::any_of(comparison.rows.begin(), comparison.rows.end(), [](const ChangeRow& row) {
    return row.kind == compare::RowKind::kOp && row.presence != Presence::kBoth;
  });
  if (comparison.by != CompareBy::kOp || !moved) return;
  auto by_type = std::make_shared<Comparison>();
  by_type->by = CompareBy::kType;
  by_type->per_step = comparison.per_step;
  by_type->base_runs = comparison.base_runs;
  by_type->next_runs = comparison.next_runs;
  by_type->rows = comparison.types;
  compare::RowSelection selection;
  selection.side = options.selection.side;
  selection.limit = kTypesForPeople;
  auto selected = std::make_shared<compare::SelectedRows>(compare::SelectRows(by_type->rows, selection));
  // The tables keep the rows that they refer to.
  const SelectedRowsPtr kept(selected.get(), [by_type, selected](const compare::SelectedRows*) {});
  AddTables(*by_type, kept, DiffProse(*by_type, options), ", by type", blocks);
}

}  // namespace

Document DiffDocument(const Comparison& comparison, const ReportContext& context, const DiffReportOptions& options) {
  const auto selected =
      std::make_shared<const compare::SelectedRows>(compare::SelectRows(comparison.rows, options.selection));
  Document document;
  document.records = MakeDiffRecords(comparison, selected);
  Value::Object& json = document.json;
  json = OpenDocument("diff", context);
  json.push_back({"by", CompareByName(comparison.by)});
  json.push_back({"per_step", comparison.per_step});
  json.push_back({"base_runs", TextsOf(comparison.base_runs)});
  json.push_back({"new_runs", TextsOf(comparison.next_runs)});
  json.push_back({"parity", ParityValue(comparison.parity)});
  json.push_back({"step_time", comparison.step_time ? ChangeValue(*comparison.step_time) : Value()});
  json.push_back({"explained", TextsOf(comparison.explained)});
  json.push_back({"gated", static_cast<uint64_t>(comparison.gated)});
  json.push_back({"runs_needed", static_cast<uint64_t>(comparison.runs_needed)});
  json.push_back({"rows", document.records});
  json.push_back({"others", Value::Object{{"host", OthersValue(*selected, Side::kHost)},
                                          {"device", OthersValue(*selected, Side::kDevice)}}});
  const auto types = std::make_shared<const compare::SelectedRows>(compare::SelectRows(comparison.types, {}));
  json.push_back({"types", MakeDiffRecords(comparison, types)});
  json.push_back({"returned", static_cast<uint64_t>(selected->rows.size())});
  json.push_back({"total", selected->total});
  json.push_back({"truncated", selected->rows.size() < selected->total});
  CloseDocument(context, &json);

  const DiffProse prose(comparison, options);
  document.blocks.push_back(prose.Head());
  document.blocks.push_back(prose.Top());
  AddTables(comparison, selected, prose, "", &document.blocks);
  AddTypes(comparison, options, &document.blocks);
  Paragraph foot{prose.Foot(*selected)};
  foot.sentences.push_back(DataQuality(context.diagnostics));
  document.blocks.push_back(std::move(foot));
  return document;
}

}  // namespace tfprof::report
