#include "report/steps_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/input_analysis.h"
#include "analyze/sample_statistics.h"
#include "report/step_time.h"

namespace tfprof::report {

using analyze::Compat;
using analyze::SampleStatistics;
using analyze::StepKind;
using analyze::StepRow;
using analyze::StepsResult;

namespace {

struct Measure {
  std::string_view id, label;
  std::function<std::optional<uint64_t>(const StepRow&)> ps;
};

bool HasDevice(const StepsResult& result) {
  return result.compat != Compat::kNone || std::any_of(result.rows.begin(), result.rows.end(),
                                                       [](const StepRow& r) { return r.device_idle_ps.has_value(); });
}

// Total, parts, idle: the columns that hold a duration.
std::vector<Measure> Measures(const StepsResult& result) {
  std::vector<Measure> measures = {{"total_us", "step", [](const StepRow& r) { return std::optional(r.total_ps); }}};
  const bool device = HasDevice(result);
  for (const analyze::StepColumn& column : analyze::StepColumns()) {
    const bool told = result.compat != Compat::kNone || column.told_by == analyze::ToldBy::kHost ||
                      (column.told_by == analyze::ToldBy::kDevice && device);
    measures.push_back({column.id, column.label, [told, &column](const StepRow& r) {
                          return told ? std::optional(column.ps(r)) : std::nullopt;
                        }});
  }
  measures.push_back({"device_idle_us", "device idle", [](const StepRow& r) { return r.device_idle_ps; }});
  return measures;
}

std::vector<double> ValuesOf(const StepsResult& result, const Measure& measure) {
  std::vector<double> values;
  for (const StepRow& row : result.rows) {
    if (const std::optional<uint64_t> ps = measure.ps(row)) values.push_back(static_cast<double>(*ps));
  }
  return values;
}

Column TimeColumn(std::string_view id, std::string_view label, int leave_out = 0) {
  Column column;
  column.id = id;
  column.label = label;
  column.kind = Kind::kTime;
  column.leave_out = leave_out;
  return column;
}

Column TextColumn(std::string_view id, std::string_view label) {
  Column column;
  column.id = id;
  column.label = label;
  return column;
}

std::string Capitalised(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

TablePtr Records(const StepsResult& result) {
  auto table = std::make_shared<Table>();
  table->columns = {TextColumn("name", "Step"), TextColumn("host", "Host"), TimeColumn("start_us", "Start")};
  auto measures = std::make_shared<std::vector<Measure>>(Measures(result));
  for (const Measure& measure : *measures) table->columns.push_back(TimeColumn(measure.id, measure.label));
  Column cut;
  cut.id = "perhaps_incomplete";
  cut.kind = Kind::kBoolean;
  table->columns.push_back(cut);
  table->rows = result.rows.size();
  table->read = [&result, measures](size_t index, Row* row) {
    const StepRow& step = result.rows[index];
    row->kind = RowKind::kPlain;
    row->cells = {std::string_view(step.name), std::string_view(step.host), Picoseconds{step.start_ps}};
    for (const Measure& measure : *measures) {
      const std::optional<uint64_t> ps = measure.ps(step);
      row->cells.push_back(ps ? Cell(Picoseconds{*ps}) : Cell(Missing()));
    }
    row->cells.push_back(step.perhaps_incomplete);
  };
  return table;
}

// For people: without columns that hold nothing.
TablePtr PeopleTable(const StepsResult& result) {
  auto table = std::make_shared<Table>();
  const bool hosts = std::any_of(result.rows.begin(), result.rows.end(),
                                 [&](const StepRow& r) { return r.host != result.rows.front().host; });
  table->columns = {TextColumn("name", result.kind == StepKind::kCall ? "Call" : "Step")};
  if (hosts) table->columns.push_back(TextColumn("host", "Host"));
  table->columns.push_back(TimeColumn("start_us", "Start", 1));
  auto measures = std::make_shared<std::vector<Measure>>();
  for (Measure& measure : Measures(result)) {
    const std::vector<double> values = ValuesOf(result, measure);
    if (std::all_of(values.begin(), values.end(), [](double ps) { return ps == 0; })) continue;
    table->columns.push_back(TimeColumn(measure.id, Capitalised(measure.label)));
    measures->push_back(std::move(measure));
  }
  const bool cut =
      std::any_of(result.rows.begin(), result.rows.end(), [](const StepRow& r) { return r.perhaps_incomplete; });
  if (cut) table->columns.push_back(TextColumn("note", "Note"));
  table->rows = result.rows.size();
  table->read = [&result, measures, hosts, cut](size_t index, Row* row) {
    const StepRow& step = result.rows[index];
    row->kind = RowKind::kPlain;
    row->cells = {std::string_view(step.name)};
    if (hosts) row->cells.push_back(std::string_view(step.host));
    row->cells.push_back(Picoseconds{step.start_ps});
    for (const Measure& measure : *measures) {
      const std::optional<uint64_t> ps = measure.ps(step);
      row->cells.push_back(ps ? Cell(Picoseconds{*ps}) : Cell(Missing()));
    }
    if (cut) row->cells.push_back(std::string_view(step.perhaps_incomplete ? "perhaps cut" : ""));
  };
  return table;
}

constexpr size_t kSparklineWidth = 24;

// The values in order, each of at most 24 groups by its mean, as bars from 0 to the largest.
std::string Sparkline(const std::vector<double>& values) {
  constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const size_t width = std::min(kSparklineWidth, values.size());
  std::vector<double> means;
  for (size_t i = 0; i < width; ++i) {
    const size_t from = i * values.size() / width, to = (i + 1) * values.size() / width;
    double sum = 0;
    for (size_t k = from; k < to; ++k) sum += values[k];
    means.push_back(sum / static_cast<double>(to - from));
  }
  const double most = means.empty() ? 0 : *std::max_element(means.begin(), means.end());
  std::string line;
  for (const double mean : means)
    line += kBars[most > 0 ? std::min<size_t>(7, static_cast<size_t>(mean / most * 8)) : 0];
  return line;
}

struct SummaryLine {
  std::string label, sparkline;
  SampleStatistics statistics;
};

TablePtr SummaryTable(const StepsResult& result) {
  auto lines = std::make_shared<std::vector<SummaryLine>>();
  for (const Measure& measure : Measures(result)) {
    const std::vector<double> values = ValuesOf(result, measure);
    if (std::all_of(values.begin(), values.end(), [](double ps) { return ps == 0; })) continue;
    lines->push_back({std::string(measure.label), Sparkline(values), analyze::StatisticsOf(values)});
  }
  auto table = std::make_shared<Table>();
  table->columns = {TextColumn("part", "Part"), TimeColumn("mean", "Mean"),     TimeColumn("stddev", "Stddev", 1),
                    TimeColumn("min", "Min"),   TimeColumn("p50", "P50", 3),    TimeColumn("p95", "P95", 2),
                    TimeColumn("max", "Max"),   TextColumn("trend", "In order")};
  table->rows = lines->size();
  table->read = [lines](size_t index, Row* row) {
    const SummaryLine& line = (*lines)[index];
    const SampleStatistics& s = line.statistics;
    row->kind = RowKind::kPlain;
    const auto us = [](double ps) { return Cell(ps / 1e6); };
    row->cells = {std::string_view(line.label),
                  us(s.mean),
                  s.stddev ? us(*s.stddev) : Cell(Missing()),
                  us(s.min),
                  us(s.p50),
                  us(s.p95),
                  us(s.max),
                  std::string_view(line.sparkline)};
  };
  return table;
}

// With several hosts: which took longest for a step, on average.
std::optional<Sentence> SlowestHost(const StepsResult& result, Unit unit) {
  std::vector<std::pair<std::string_view, std::vector<double>>> hosts;
  for (const StepRow& row : result.rows) {
    if (hosts.empty() || hosts.back().first != row.host) hosts.push_back({row.host, {}});
    hosts.back().second.push_back(static_cast<double>(row.total_ps));
  }
  if (hosts.size() < 2) return std::nullopt;
  std::pair<std::string_view, double> slowest, fastest{"", INFINITY};
  for (const auto& [host, totals] : hosts) {
    const double mean = analyze::StatisticsOf(totals).mean;
    if (mean > slowest.second) slowest = {host, mean};
    if (mean < fastest.second) fastest = {host, mean};
  }
  return Sentence{fmt::format("Slowest host: {}, {} a step on average; fastest: {}, {}.", slowest.first,
                              TimeText(static_cast<int128>(slowest.second), unit), fastest.first,
                              TimeText(static_cast<int128>(fastest.second), unit))};
}

std::string_view KindName(StepKind kind) {
  return kind == StepKind::kStep ? "step" : kind == StepKind::kCall ? "call" : "none";
}

Paragraph Foot(const StepsResult& result, const ReportContext& context, Unit unit) {
  Paragraph foot;
  if (result.rows.empty()) {
    foot.sentences.push_back(
        {"The files mark no step, and hold no call of a function in their place: step times can't be told.",
         Tone::kPlain});
  } else if (result.compat != Compat::kNone) {
    foot.sentences.push_back({"Numbers as XProf computes them (--compat).", Tone::kQuiet});
    if (result.left_out > 0) {
      foot.sentences.push_back(
          {fmt::format("XProf leaves out {}: the first and the last.", CountText(result.left_out, "step", "steps")),
           Tone::kQuiet});
    }
  } else {
    if (result.kind == StepKind::kCall) {
      foot.sentences.push_back(
          {"The program marks no steps; these are its function calls and groups of device work.", Tone::kWarning});
    }
    foot.sentences.push_back(
        {"A moment counts once: for the device where it works, then for input, then for the host.", Tone::kQuiet});
    if (!HasDevice(result)) {
      foot.sentences.push_back({"The files hold no work of a device for these steps.", Tone::kPlain});
    }
    if (std::optional<Sentence> outside = OutsideOfSteps(result, unit)) foot.sentences.push_back(std::move(*outside));
    if (const std::optional<Sentence> slowest = SlowestHost(result, unit)) foot.sentences.push_back(*slowest);
    for (Sentence& sentence : OutlierSentences(result, unit)) foot.sentences.push_back(std::move(sentence));
  }
  foot.sentences.push_back(DataQuality(context.diagnostics));
  return foot;
}

Value StatisticsValue(std::vector<double> values) {
  if (values.empty()) return Value();
  for (double& value : values) value /= 1e6;
  const SampleStatistics s = analyze::StatisticsOf(std::move(values));
  return Value::Object{{"mean", s.mean}, {"stddev", s.stddev ? Value(*s.stddev) : Value()},
                       {"min", s.min},   {"p50", s.p50},
                       {"p95", s.p95},   {"max", s.max}};
}

// What the steps leave out; null where nothing was measured.
Value CoverageValue(const StepsResult& result) {
  const analyze::StepCoverage& coverage = result.coverage;
  if (result.compat != Compat::kNone || coverage.trace_ps == 0) return Value();
  return Value::Object{{"trace_us", Picoseconds{coverage.trace_ps}},
                       {"in_steps_us", Picoseconds{coverage.in_steps_ps}},
                       {"between_us", Picoseconds{coverage.between_ps}},
                       {"work_outside_us", Picoseconds{coverage.work_outside_ps}}};
}

}  // namespace

Value StepSummaryValue(const StepsResult& result) {
  Value::Object summary;
  for (const Measure& measure : Measures(result)) {
    summary.push_back({std::string(measure.id), StatisticsValue(ValuesOf(result, measure))});
  }
  return summary;
}

Document StepsDocument(const StepsResult& result, const ReportContext& context, const StepsReportOptions& options) {
  Document document;
  document.records = Records(result);
  Value::Object& json = document.json;
  json = OpenDocument("steps", context);
  if (result.compat != Compat::kNone) json.push_back({"compat", result.compat == Compat::kLegacy ? "legacy" : "xprof"});
  json.push_back({"kind", KindName(result.kind)});
  json.push_back({"rows", document.records});
  json.push_back({"summary", StepSummaryValue(result)});
  json.push_back({"coverage", CoverageValue(result)});
  CloseDocument(context, &json);

  if (!result.rows.empty()) {
    const bool calls = result.kind == StepKind::kCall;
    document.blocks.push_back(
        Tables{{{calls ? "Calls" : "Steps", fmt::format("{}", result.rows.size()), PeopleTable(result)}}});
    document.blocks.push_back(Tables{{{"Parts", calls ? "over all calls" : "over all steps", SummaryTable(result)}}});
  }
  document.blocks.push_back(Foot(result, context, options.unit));
  return document;
}

}  // namespace tfprof::report
