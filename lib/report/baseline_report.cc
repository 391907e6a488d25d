#include "report/baseline_report.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <vector>

#include "compare/statistics.h"

namespace tfprof::report {

using compare::RunProfile;

namespace {

struct RunColumn {
  std::string_view id, label;
  Kind kind;
  int leave_out;
  Cell (*get)(const RunProfile& run);
};

Cell StepUs(const RunProfile& run, double compare::StepFigures::*figure) {
  return run.steps ? Cell((*run.steps).*figure / 1e6) : Cell(Missing());
}

constexpr RunColumn kColumns[] = {
    {"label", "Run", Kind::kText, 0, [](const RunProfile& r) -> Cell { return std::string_view(r.label); }},
    {"kind", "Kind", Kind::kText, 3, [](const RunProfile& r) -> Cell { return std::string_view(r.environment.kind); }},
    {"device_type", "Device", Kind::kText, 2,
     [](const RunProfile& r) -> Cell { return std::string_view(r.environment.device_type); }},
    {"hosts", "Hosts", Kind::kInteger, 4, [](const RunProfile& r) -> Cell { return r.environment.hosts; }},
    {"devices", "Devices", Kind::kInteger, 4, [](const RunProfile& r) -> Cell { return r.environment.devices; }},
    {"steps", "Steps", Kind::kInteger, 0, [](const RunProfile& r) -> Cell { return r.steps ? r.steps->count : 0; }},
    {"median_step_us", "Step", Kind::kTime, 0,
     [](const RunProfile& r) -> Cell { return StepUs(r, &compare::StepFigures::median_ps); }},
    {"host_self_us", "Host self", Kind::kTime, 1,
     [](const RunProfile& r) -> Cell { return Picoseconds{r.host.sum_self_ps}; }},
    {"device_self_us", "Device self", Kind::kTime, 1,
     [](const RunProfile& r) -> Cell { return Picoseconds{r.device.sum_self_ps}; }},
    {"ops", "Ops", Kind::kInteger, 0, [](const RunProfile& r) -> Cell { return uint64_t{r.ops.size()}; }},
    {"damaged", "Damaged", Kind::kBoolean, 5, [](const RunProfile& r) -> Cell { return r.damaged; }},
};

TablePtr MakeTable(const compare::Baseline& baseline) {
  auto table = std::make_shared<Table>();
  for (const RunColumn& source : kColumns) {
    Column column;
    column.id = source.id;
    column.label = source.label;
    column.kind = source.kind;
    column.leave_out = source.leave_out;
    if (source.id == "label") column.least_width = 16;
    table->columns.push_back(column);
  }
  table->rows = baseline.runs.size();
  table->read = [&baseline](size_t index, Row* row) {
    row->kind = RowKind::kPlain;
    row->cells.clear();
    for (const RunColumn& column : kColumns) row->cells.push_back(column.get(baseline.runs[index]));
  };
  return table;
}

std::string SpreadText(const compare::Baseline& baseline, Unit unit) {
  std::vector<double> steps;
  for (const RunProfile& run : baseline.runs) {
    if (run.steps) steps.push_back(run.steps->median_ps);
  }
  if (steps.empty()) return "No run tells of steps: figures are those of whole runs.";
  const double median = compare::Median(steps);
  std::string text = fmt::format("Median step time: {}", TimeText(static_cast<int128>(median), unit));
  if (steps.size() < 3 || median <= 0) return text + ".";
  return text +
         fmt::format("; between runs it strays by {} (1.4826 x MAD).", PercentText(compare::ScaledMad(steps) / median));
}

}  // namespace

Document BaselineDocument(const compare::Baseline& baseline, const std::string& name, const ReportContext& context,
                          Unit unit) {
  Document document;
  document.records = MakeTable(baseline);
  Value::Object& json = document.json;
  json = OpenDocument("baseline-runs", context);
  json.push_back({"rows", document.records});
  CloseDocument(context, &json);
  document.blocks.push_back(Tables{{{name, CountText(baseline.runs.size(), "run", "runs"), document.records}}});
  Paragraph foot;
  foot.sentences.push_back({SpreadText(baseline, unit), Tone::kPlain});
  foot.sentences.push_back(DataQuality(context.diagnostics));
  document.blocks.push_back(std::move(foot));
  return document;
}

}  // namespace tfprof::report
