#include "report/ops_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "report/ops_table.h"

namespace tfprof::report {

using analyze::Compat;
using analyze::OpsBy;
using analyze::OpsResult;
using analyze::OpsRow;
using analyze::OthersRow;
using analyze::Side;
using analyze::SideTotals;

namespace {

Value AverageUs(__int128 sum_ps, uint64_t count) {
  return count == 0 ? 0.0 : static_cast<double>(sum_ps) / 1e6 / static_cast<double>(count);
}

Value OthersValue(const std::optional<OthersRow>& others) {
  if (!others) return Value();
  return Value::Object{{"rows", others->rows},
                       {"occurrences", others->occurrences},
                       {"total_us", Picoseconds{others->total_ps}},
                       {"avg_us", AverageUs(others->total_ps, others->occurrences)},
                       {"self_us", Picoseconds{others->self_ps}},
                       {"avg_self_us", AverageUs(others->self_ps, others->occurrences)},
                       {"self_fraction", others->self_fraction}};
}

Value::Object SideTotalsValue(const SideTotals& totals) {
  return {{"lanes", totals.lanes},
          {"span_us", Picoseconds{totals.span_ps}},
          {"busy_us", Picoseconds{totals.busy_ps}},
          {"sum_self_us", Picoseconds{totals.sum_self_ps}},
          {"idle_us", Picoseconds{totals.idle_ps}}};
}

double Ratio(__int128 part, __int128 whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// Writes headings and sentences; one object for all so that they agree in units.
class OpsProse {
 public:
  OpsProse(const OpsResult& result, const OpsReportOptions& options) : result_(result), options_(options) {}

  std::string Detail(Side side) const;
  std::vector<Sentence> Sentences(const std::vector<Side>& sides) const;

 private:
  std::string Time(__int128 ps) const { return TimeText(ps, options_.unit); }
  const SideTotals& TotalsOf(Side side) const { return side == Side::kDevice ? result_.device : result_.host; }
  std::string RowCount(Side side) const;
  bool PackedRows() const { return options_.shape && options_.shape->packed_rows; }
  std::string HostLanes() const {
    return PackedRows() ? CountText(result_.host.lanes, "row", "rows")
                        : CountText(result_.host.lanes, "thread", "threads");
  }
  std::string DeviceSentence() const;
  std::string OwnedUnknown() const;
  std::string HostSentence() const;
  std::string SharesSentence() const;

  const OpsResult& result_;
  const OpsReportOptions& options_;
};

// "312 ops", "10 of 312 ops".
std::string OpsProse::RowCount(Side side) const {
  const auto shown = static_cast<uint64_t>(std::count_if(
      result_.rows.begin(), result_.rows.end(), [side](const OpsRow& r) { return r.side == side && !r.idle; }));
  const auto& others = side == Side::kDevice ? result_.others_device : result_.others_host;
  const uint64_t all = shown + (others ? others->rows : 0);
  const std::string_view noun = ByName(result_.by);
  const std::string counted = CountText(all, noun, fmt::format("{}s", noun));
  return shown == all ? counted : fmt::format("{} of {}", GroupedText(shown), counted);
}

std::string OpsProse::Detail(Side side) const {
  const SideTotals& totals = TotalsOf(side);
  std::vector<std::string> parts;
  if (options_.shape && side == Side::kDevice && !options_.shape->devices.empty()) {
    parts.push_back(DevicesText(*options_.shape));
  }
  if (options_.shape && side == Side::kHost && options_.shape->hosts.size() > 1) {
    parts.push_back(CountText(options_.shape->hosts.size(), "host", "hosts"));
  }
  if (side == Side::kDevice) {
    parts.push_back(CountText(totals.lanes, "lane", "lanes"));
  } else {
    parts.push_back(HostLanes());
  }
  parts.push_back(RowCount(side));
  parts.push_back("span " + Time(totals.span_ps));
  if (result_.compat == Compat::kNone) parts.push_back("busy " + PercentText(Ratio(totals.busy_ps, totals.span_ps)));
  return fmt::format("{}", fmt::join(parts, " · "));
}

std::string OpsProse::DeviceSentence() const {
  const SideTotals& device = result_.device;
  const size_t devices = options_.shape ? options_.shape->devices.size() : 0;
  const std::string who =
      devices < 2 ? "Device"
                  : fmt::format("{}, sums over {}", DevicesText(*options_.shape), devices == 2 ? "both" : "all");
  std::string text = fmt::format("{}: busy {} of {} ({}), idle {} ({}).", who, Time(device.busy_ps),
                                 Time(device.span_ps), PercentText(Ratio(device.busy_ps, device.span_ps)),
                                 Time(device.idle_ps), PercentText(Ratio(device.idle_ps, device.span_ps)));
  if (device.sum_self_ps > device.busy_ps) {
    text += fmt::format(" Its streams overlap: op times add up to {}.", Time(device.sum_self_ps));
  }
  return text;
}

// Rows of type Unknown can be more than what no op claims; "": they aren't, or not all of them are there to see.
std::string OpsProse::OwnedUnknown() const {
  int128 unknown_ps = 0;
  for (const OpsRow& row : result_.rows) {
    if (row.side == Side::kDevice && row.op_type == "Unknown") unknown_ps += row.self_ps;
  }
  if (unknown_ps <= result_.device.unattributed_ps) return "";
  return fmt::format(", which also hold {} of HLO instructions whose kind the file doesn't tell",
                     Time(unknown_ps - result_.device.unattributed_ps));
}

std::string OpsProse::HostSentence() const {
  const SideTotals& host = result_.host;
  if (PackedRows()) {
    return fmt::format(
        "Host: {} in ops, packed into {} that are no threads; idle {}, when no row of a process has an op.",
        Time(host.sum_self_ps), HostLanes(), Time(host.idle_ps));
  }
  if (host.lanes == 1) {
    return fmt::format("Host: one thread, {} in ops, idle {} between them.", Time(host.sum_self_ps),
                       Time(host.idle_ps));
  }
  return fmt::format("Host: {} in ops over {} threads; idle {}, counted for each thread between its first and last op.",
                     Time(host.sum_self_ps), GroupedText(host.lanes), Time(host.idle_ps));
}

std::string OpsProse::SharesSentence() const {
  return result_.include_idle ? "Shares are of op time and idle together (--no-idle leaves idle out)."
                              : "Shares are of op time; idle is left out.";
}

std::vector<Sentence> OpsProse::Sentences(const std::vector<Side>& sides) const {
  std::vector<Sentence> sentences;
  if (result_.none_of_ops > 0) {
    sentences.push_back(
        {fmt::format("--include and --exclude leave none of {}; patterns distinguish upper and lower "
                     "case, (?i) in front of one makes it ignore that.",
                     CountText(result_.none_of_ops, ByName(result_.by), std::string(ByName(result_.by)) + "s")),
         Tone::kWarning});
  }
  if (sides.empty()) {
    if (sentences.empty()) sentences.push_back({"There is no op to show.", Tone::kPlain});
    return sentences;
  }
  if (result_.compat != Compat::kNone) {
    sentences.push_back(
        {"Numbers as XProf computes them (--compat); without it they are ours, which differ where its "
         "rules lose or double time.",
         Tone::kQuiet});
  } else {
    for (const Side side : sides) {
      sentences.push_back({side == Side::kDevice ? DeviceSentence() : HostSentence(), Tone::kPlain});
    }
    const SideTotals& device = result_.device;
    if (device.unattributed_ps > 0 && sides.front() == Side::kDevice) {
      sentences.push_back(
          {fmt::format("{} of the device's op time ({}) belongs to no framework op: rows of type Unknown{}.",
                       Time(device.unattributed_ps), PercentText(Ratio(device.unattributed_ps, device.sum_self_ps)),
                       OwnedUnknown()),
           Tone::kPlain});
    }
  }
  sentences.push_back({SharesSentence(), Tone::kQuiet});
  return sentences;
}

std::vector<Side> SidesWithRows(const OpsResult& result) {
  std::vector<Side> sides;
  for (const Side side : {Side::kDevice, Side::kHost}) {
    const bool any =
        std::any_of(result.rows.begin(), result.rows.end(), [side](const OpsRow& r) { return r.side == side; });
    if (any || (side == Side::kDevice ? result.others_device : result.others_host)) sides.push_back(side);
  }
  return sides;
}

}  // namespace

Value TotalsValue(const OpsResult& result) {
  Value::Object device = SideTotalsValue(result.device);
  device.push_back({"unattributed_us", Picoseconds{result.device.unattributed_ps}});
  return Value::Object{{"host", SideTotalsValue(result.host)}, {"device", std::move(device)}};
}

Document OpsDocument(const OpsResult& result, const ReportContext& context, const OpsReportOptions& options) {
  Document document;
  document.records = MakeOpsTable(result, options.columns, Audience::kMachines, {Side::kDevice, Side::kHost});
  const bool default_columns = !options.columns.changed;
  if (result.compat != Compat::kNone && result.by == OpsBy::kOp && default_columns) {
    const bool legacy = result.compat == Compat::kLegacy;
    document.csv_records = MakeCompatOpsTable(result);
    document.csv_dialect = {true, !legacy, true, !legacy, legacy ? "\r\n" : "\n"};
  }

  Value::Object& json = document.json;
  json = OpenDocument("ops", context);
  json.push_back({"include_idle", result.include_idle});
  json.push_back({"by", ByName(result.by)});
  if (result.compat != Compat::kNone) {
    json.push_back({"compat", result.compat == Compat::kLegacy ? "legacy" : "xprof"});
  }
  if (!default_columns) {
    Value::Array ids;
    for (const std::string& id : options.columns.machine) ids.push_back(id);
    json.push_back({"columns", std::move(ids)});
  }
  json.push_back({"rows", document.records});
  json.push_back({"others", Value::Object{{"host", OthersValue(result.others_host)},
                                          {"device", OthersValue(result.others_device)}}});
  json.push_back({"totals", TotalsValue(result)});
  const uint64_t returned = result.rows.size();
  json.push_back({"returned", returned});
  json.push_back({"total", result.total_rows});
  json.push_back({"truncated", returned < result.total_rows});
  CloseDocument(context, &json);

  const OpsProse prose(result, options);
  const std::vector<Side> sides = SidesWithRows(result);
  Tables tables;
  for (const Side side : sides) {
    tables.sections.push_back({std::string(analyze::SideName(side)), prose.Detail(side),
                               MakeOpsTable(result, options.columns, Audience::kPeople, {side})});
  }
  if (!sides.empty()) document.blocks.push_back(std::move(tables));
  Paragraph foot{prose.Sentences(sides)};
  foot.sentences.push_back(DataQuality(context.diagnostics));
  document.blocks.push_back(std::move(foot));
  return document;
}

}  // namespace tfprof::report
