#include "report/overview_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "analyze/overview.h"
#include "report/step_time.h"

namespace tfprof::report {

using analyze::Compat;
using analyze::OpsResult;
using analyze::OpsRow;
using analyze::Overview;
using analyze::OverviewShares;
using analyze::Side;
using analyze::StepRow;
using analyze::StepsResult;

namespace {

Value OrNull(const std::optional<double>& value) { return value ? Value(*value) : Value(); }

bool HasDevice(const StepsResult& steps) {
  return steps.compat != Compat::kNone || std::any_of(steps.rows.begin(), steps.rows.end(),
                                                      [](const StepRow& r) { return r.device_idle_ps.has_value(); });
}

// Mean of a column over the steps in µs; none where it can't be told.
std::optional<double> MeanUs(const StepsResult& steps, const analyze::StepColumn& column) {
  const bool told = steps.compat != Compat::kNone || column.told_by == analyze::ToldBy::kHost ||
                    (column.told_by == analyze::ToldBy::kDevice && HasDevice(steps));
  if (steps.rows.empty() || !told) return std::nullopt;
  double sum = 0;
  for (const StepRow& row : steps.rows) sum += static_cast<double>(column.ps(row)) / 1e6;
  return sum / static_cast<double>(steps.rows.size());
}

Value BreakdownValue(const StepsResult& steps) {
  Value::Object object;
  for (const analyze::StepColumn& column : analyze::StepColumns()) {
    object.push_back({std::string(column.id), OrNull(MeanUs(steps, column))});
  }
  return object;
}

Value PercentValue(const OverviewShares& shares, bool strict) {
  Value::Object object = {{"device_idle_time_percent", OrNull(shares.device_idle)},
                          {"host_idle_time_percent", OrNull(shares.host_idle)},
                          {"device_tf_op_percent", OrNull(shares.device_tf_op)},
                          {"host_tf_op_percent", OrNull(shares.host_tf_op)},
                          {"host_op_time_eager_percent", OrNull(shares.host_eager)},
                          {"device_op_time_eager_percent", OrNull(shares.device_eager)},
                          {"device_compute_16bit_percent", OrNull(shares.compute_16bit)},
                          {"device_compute_32bit_percent", OrNull(shares.compute_32bit)}};
  if (!strict) return object;
  object.push_back({"device_compute_8bit_percent", OrNull(shares.compute_8bit)});
  object.push_back({"device_compute_unknown_percent", OrNull(shares.compute_unknown)});
  return object;
}

TablePtr TopOpsTable(const Overview& overview) {
  auto ops = std::make_shared<std::vector<const OpsRow*>>(overview.top_ops);
  auto table = std::make_shared<Table>();
  table->columns = {MakeColumn("op_name", "Op name", Kind::kText), MakeColumn("op_type", "Op type", Kind::kText),
                    MakeColumn("self_fraction", "Share", Kind::kFraction),
                    MakeColumn("cumulative_fraction", "Cumulative", Kind::kFraction),
                    MakeColumn("flop_rate", "GFLOP/s", Kind::kNumber)};
  table->columns[0].least_width = 16;
  table->columns[0].readable_width = 38;
  table->columns[1].least_width = 8;
  table->columns[1].readable_width = 8;
  table->columns[2].bar = true;
  table->columns[4].leave_out = 1;
  table->rows = ops->size();
  table->read = [ops](size_t index, Row* row) {
    const OpsRow& op = *(*ops)[index];
    row->kind = RowKind::kPlain;
    row->cells = {std::string_view(op.op_name), std::string_view(op.op_type), op.self_fraction, op.cumulative_fraction,
                  op.roofline ? Cell(op.roofline->measured_flop_rate) : Cell(Missing())};
  };
  return table;
}

// Files without a host's name (timelines of several steps, say) are taken for those of one.
uint64_t HostCount(const ReportContext& context) {
  std::vector<std::string> hosts;
  for (const InputInfo& input : context.inputs) {
    if (!input.host.empty()) hosts.push_back(input.host);
  }
  std::sort(hosts.begin(), hosts.end());
  const auto named = static_cast<uint64_t>(std::unique(hosts.begin(), hosts.end()) - hosts.begin());
  return std::max<uint64_t>(named, context.inputs.empty() ? 0 : 1);
}

Value EnvironmentValue(const StepsResult& steps, const ReportContext& context) {
  return Value::Object{{"hosts", HostCount(context)},
                       {"devices", steps.devices},
                       {"device_type", steps.device_type},
                       {"steps", static_cast<uint64_t>(steps.rows.size())}};
}

Value RecommendationsValue(const Overview& overview) {
  Value::Array array;
  for (const analyze::Recommendation& advice : overview.recommendations) {
    array.push_back(Value::Object{{"kind", advice.kind}, {"text", advice.text}});
  }
  return array;
}

// The parts of a step that are not 0, largest first.
std::string PartsText(const StepsResult& steps, Unit unit) {
  std::vector<std::pair<double, std::string_view>> parts;
  double all = 0;
  for (const analyze::StepColumn& column : analyze::StepColumns()) {
    const double us = MeanUs(steps, column).value_or(0);
    all += us;
    if (us > 0) parts.push_back({us, column.label});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (const auto& [us, label] : parts) {
    texts.push_back(
        fmt::format("{} {} ({})", label, TimeText(static_cast<int128>(us * 1e6), unit), PercentText(us / all)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

Facts FactsOf(const Overview& overview, const StepsResult& steps, const ReportContext& context, Unit unit) {
  Facts facts;
  const auto add = [&](const char* name, std::string text) { facts.lines.push_back({name, {std::move(text)}}); };
  add("Step time", StepTimeText(steps, unit));
  if (!steps.rows.empty()) add("Made of", PartsText(steps, unit));
  add("Run", fmt::format("{}, {}{}", CountText(HostCount(context), "host", "hosts"),
                         steps.devices == 0 ? "no device" : CountText(steps.devices, "device", "devices"),
                         steps.devices == 0 ? "" : " (" + steps.device_type + ")"));
  const auto percent = [&](const char* name, const std::optional<double>& share) {
    if (share) add(name, PercentText(*share / 100));
  };
  const OverviewShares& shares = overview.shares;
  percent("Device idle", shares.device_idle);
  percent("Ops run eagerly, of host time", shares.host_eager);
  percent("Device compute in 8 bit", shares.compute_8bit);
  percent("Device compute in 16 bit", shares.compute_16bit);
  percent("Device compute in 32 bit", shares.compute_32bit);
  percent("Device compute of unknown width", shares.compute_unknown);
  return facts;
}

}  // namespace

Document OverviewDocument(const OpsResult& ops, const StepsResult& steps, const ReportContext& context,
                          const OverviewReportOptions& options) {
  const bool strict = steps.compat == Compat::kNone;
  const Overview overview = analyze::MakeOverview(ops, steps);
  Document document;
  document.records = TopOpsTable(overview);
  Value::Object& json = document.json;
  json = OpenDocument("overview", context);
  if (!strict) json.push_back({"compat", steps.compat == Compat::kLegacy ? "legacy" : "xprof"});
  json.push_back({"step_ms", StepTimeValue(steps)});
  json.push_back({"breakdown", BreakdownValue(steps)});
  json.push_back({"percent", PercentValue(overview.shares, strict)});
  json.push_back({"top_ops_side", analyze::SideName(overview.top_side)});
  json.push_back({"top_ops", document.records});
  json.push_back({"bottleneck", overview.verdict.bottleneck});
  json.push_back({"statement", overview.verdict.statement});
  json.push_back({"recommendations", RecommendationsValue(overview)});
  json.push_back({"environment", EnvironmentValue(steps, context)});
  CloseDocument(context, &json);

  document.blocks.push_back(Title{overview.verdict.statement.empty() ? "Overview" : overview.verdict.statement, ""});
  document.blocks.push_back(FactsOf(overview, steps, context, options.unit));
  if (!overview.top_ops.empty()) {
    document.blocks.push_back(
        Tables{{{fmt::format("Top ops of the {}", overview.top_side == Side::kDevice ? "device" : "host"),
                 "shares of op time", document.records}}});
  }
  Paragraph foot;
  for (const analyze::Recommendation& advice : overview.recommendations) foot.sentences.push_back({advice.text});
  if (!strict) foot.sentences.push_back({"Figures and sentences as XProf's (--compat).", Tone::kQuiet});
  foot.sentences.push_back(DataQuality(context.diagnostics));
  document.blocks.push_back(std::move(foot));
  return document;
}

}  // namespace tfprof::report
