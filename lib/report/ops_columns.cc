#include "report/ops_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/nearest.h"
#include "base/units.h"
#include "report/number.h"

namespace tfprof::report {

using analyze::Distribution;
using analyze::OpsBy;
using analyze::OpsRow;
using analyze::PerStep;
using analyze::Roofline;
using analyze::Side;

namespace {

Cell StepMean(const OpsRow& row, double PerStep::*member, double unit) {
  return row.per_step ? Cell((*row.per_step).*member / unit) : Missing();
}

Cell Average(__int128 sum_ps, uint64_t occurrences) {
  return occurrences == 0 ? 0.0 : static_cast<double>(sum_ps) / kPsPerUs / static_cast<double>(occurrences);
}

Cell FractionOn(Side side, const OpsRow& row, double fraction) { return row.side == side ? fraction : 0.0; }

Cell Exact(const OpsRow& row, int64_t Distribution::*member) {
  return row.distribution ? Cell(Picoseconds{(*row.distribution).*member}) : Missing();
}
Cell Quantile(const OpsRow& row, double Distribution::*member) {
  return row.distribution ? Cell((*row.distribution).*member / kPsPerUs) : Missing();
}
Cell RooflineCell(const OpsRow& row, double Roofline::*member) {
  return row.roofline ? Cell((*row.roofline).*member) : Missing();
}

constexpr auto kDefault = OpsColumn::Presence::kDefault;
constexpr auto kOnRequest = OpsColumn::Presence::kOnRequest;
constexpr auto kAny = OpsColumn::Grouping::kAny;
constexpr auto kOpOnly = OpsColumn::Grouping::kOpOnly;
constexpr auto kKeyOnly = OpsColumn::Grouping::kKeyOnly;
constexpr std::string_view kKeyId = OpsColumn::kKeyId;
constexpr auto kSingle = TimeGroup::kSingleEvents;
constexpr std::string_view kSelfPerStep = "self_per_step_us", kOccurrencesPerStep = "occurrences_per_step";

// In the order of the JSON contract; what is there on request comes after it.
constexpr std::array kColumns = {
    OpsColumn{"rank", "#", "", "place in the table, running on from device to host", Kind::kInteger, kDefault, kAny,
              [](const OpsRow& r) { return r.rank == 0 ? Cell(Missing()) : Cell(static_cast<uint64_t>(r.rank)); }, 1},
    OpsColumn{"side", "Side", "", "where it ran: Device or Host", Kind::kText, kDefault, kAny,
              [](const OpsRow& r) { return Cell(analyze::SideName(r.side)); }},
    OpsColumn{kKeyId, "", "", "what the rows are grouped by", Kind::kText, kDefault, kKeyOnly,
              [](const OpsRow& r) { return Cell(std::string_view(r.key)); }, 9},
    OpsColumn{"op_type", "Type", "", "type of the op, such as Conv2D", Kind::kText, kDefault, kOpOnly,
              [](const OpsRow& r) { return Cell(std::string_view(r.op_type)); }, 8, 2},
    OpsColumn{"op_name", "Name", "", "name of the op", Kind::kText, kDefault, kOpOnly,
              [](const OpsRow& r) { return Cell(std::string_view(r.op_name)); }, 9},
    OpsColumn{"occurrences", "Count", "", "how often it ran", Kind::kInteger, kDefault, kAny,
              [](const OpsRow& r) { return Cell(r.occurrences); }, 6},
    OpsColumn{"total_us", "Total", "us", "accumulated time, with the ops it calls", Kind::kTime, kDefault, kAny,
              [](const OpsRow& r) { return Cell(Picoseconds{r.total_ps}); }, 5, 1},
    OpsColumn{"avg_us", "Avg", "us", "total / occurrences", Kind::kTime, kDefault, kAny,
              [](const OpsRow& r) { return Average(r.total_ps, r.occurrences); }, 7, 3, kSingle},
    OpsColumn{"self_us", "Self", "us", "time of its own, without the ops it calls", Kind::kTime, kDefault, kAny,
              [](const OpsRow& r) { return Cell(Picoseconds{r.self_ps}); }, 4},
    OpsColumn{"avg_self_us", "Avg self", "us", "self / occurrences", Kind::kTime, kDefault, kAny,
              [](const OpsRow& r) { return Average(r.self_ps, r.occurrences); }, 0, 3, kSingle},
    OpsColumn{"device_self_fraction", "Device share", "0..1", "share of the device's self time; 0 for host rows",
              Kind::kFraction, kDefault, kAny,
              [](const OpsRow& r) { return FractionOn(Side::kDevice, r, r.self_fraction); }},
    OpsColumn{"device_cumulative_fraction", "Device cum.", "0..1", "sum of the shares up to this row", Kind::kFraction,
              kDefault, kAny, [](const OpsRow& r) { return FractionOn(Side::kDevice, r, r.cumulative_fraction); }},
    OpsColumn{"host_self_fraction", "Host share", "0..1", "share of the host's self time; 0 for device rows",
              Kind::kFraction, kDefault, kAny,
              [](const OpsRow& r) { return FractionOn(Side::kHost, r, r.self_fraction); }},
    OpsColumn{"host_cumulative_fraction", "Host cum.", "0..1", "sum of the shares up to this row", Kind::kFraction,
              kDefault, kAny, [](const OpsRow& r) { return FractionOn(Side::kHost, r, r.cumulative_fraction); }},
    OpsColumn{"eager", "Eager", "", "whether it was run eagerly, outside a tf.function", Kind::kBoolean, kDefault, kAny,
              [](const OpsRow& r) { return Cell(r.eager); }},
    OpsColumn{"self_fraction", "Share", "0..1", "share of its own side's self time", Kind::kFraction, kOnRequest, kAny,
              [](const OpsRow& r) { return Cell(r.self_fraction); }, 2},
    OpsColumn{"cumulative_fraction", "Cum.", "0..1", "sum of the shares of its own side up to this row",
              Kind::kFraction, kOnRequest, kAny, [](const OpsRow& r) { return Cell(r.cumulative_fraction); }, 3, 4},
    OpsColumn{"min_us", "Min", "us", "shortest single event", Kind::kTime, kOnRequest, kAny,
              [](const OpsRow& r) { return Exact(r, &Distribution::min_ps); }, 0, 0, kSingle},
    OpsColumn{"max_us", "Max", "us", "longest single event", Kind::kTime, kOnRequest, kAny,
              [](const OpsRow& r) { return Exact(r, &Distribution::max_ps); }, 0, 0, kSingle},
    OpsColumn{"p50_us", "p50", "us", "median of the single events, within 1 %", Kind::kTime, kOnRequest, kAny,
              [](const OpsRow& r) { return Quantile(r, &Distribution::p50_ps); }, 0, 0, kSingle},
    OpsColumn{"p90_us", "p90", "us", "90 % of the single events are no longer, within 1 %", Kind::kTime, kOnRequest,
              kAny, [](const OpsRow& r) { return Quantile(r, &Distribution::p90_ps); }, 0, 0, kSingle},
    OpsColumn{"p99_us", "p99", "us", "99 % of the single events are no longer, within 1 %", Kind::kTime, kOnRequest,
              kAny, [](const OpsRow& r) { return Quantile(r, &Distribution::p99_ps); }, 0, 0, kSingle},
    OpsColumn{kSelfPerStep, "Self/step", "us", "self time in steps, divided by how many steps there are", Kind::kTime,
              kOnRequest, kAny, [](const OpsRow& r) { return StepMean(r, &PerStep::self_ps, kPsPerUs); }, 0, 0, kSingle},
    OpsColumn{kOccurrencesPerStep, "Count/step", "", "occurrences in steps, divided by how many steps there are",
              Kind::kNumber, kOnRequest, kAny,
              [](const OpsRow& r) { return StepMean(r, &PerStep::occurrences, 1); }},
    OpsColumn{"measured_flop_rate", "GFLOP/s", "GFLOP/s", "measured rate (--compat)", Kind::kNumber, kOnRequest, kAny,
              [](const OpsRow& r) { return RooflineCell(r, &Roofline::measured_flop_rate); }},
    OpsColumn{"model_flop_rate", "Model GFLOP/s", "GFLOP/s", "rate by the model's own count (--compat)", Kind::kNumber,
              kOnRequest, kAny, [](const OpsRow& r) { return RooflineCell(r, &Roofline::model_flop_rate); }},
    OpsColumn{"measured_memory_bw", "GiB/s", "GiB/s", "measured memory bandwidth (--compat)", Kind::kNumber, kOnRequest,
              kAny, [](const OpsRow& r) { return RooflineCell(r, &Roofline::measured_memory_bw); }},
    OpsColumn{"operational_intensity", "FLOP/B", "FLOP/byte", "operations per byte (--compat)", Kind::kNumber,
              kOnRequest, kAny, [](const OpsRow& r) { return RooflineCell(r, &Roofline::operational_intensity); }},
    OpsColumn{"gpu_tensorcore_utilization", "TensorCore", "0..1",
              "share of its kernels' time on tensor cores (--compat)", Kind::kFraction, kOnRequest, kAny,
              [](const OpsRow& r) { return RooflineCell(r, &Roofline::gpu_tensorcore_utilization); }},
    OpsColumn{"bound_by", "Bound by", "", "what limits it (--compat)", Kind::kText, kOnRequest, kAny,
              [](const OpsRow& r) { return r.roofline ? Cell(std::string_view(r.roofline->bound_by)) : Missing(); }},
};

bool IsThere(const OpsColumn& column, OpsBy by) {
  return column.grouping == kAny || (column.grouping == kOpOnly) == (by == OpsBy::kOp);
}

// What people type for an id.
std::string_view WithoutAlias(std::string_view name, OpsBy by) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAliases = {
      {{"count", "occurrences"},
       {"share", "self_fraction"},
       {"cumulative", "cumulative_fraction"},
       {"cum", "cumulative_fraction"}}};
  for (const auto& [alias, id] : kAliases) {
    if (name == alias) return id;
  }
  if (name == "name") return by == OpsBy::kOp ? "op_name" : ByName(by);
  if (name == "type" && by == OpsBy::kOp) return "op_type";
  return name;
}

Error UnknownColumn(std::string_view name, OpsBy by) {
  std::vector<std::string> ids;
  for (const OpsColumn* column : AllOpsColumns(by)) ids.push_back(OpsColumnId(*column, by));
  std::vector<std::string_view> names(ids.begin(), ids.end());
  for (const std::string_view id : std::vector<std::string_view>(names)) {
    if (id.ends_with("_us")) names.push_back(id.substr(0, id.size() - 3));
  }
  const std::string_view nearest = NearestName(name, names);
  return {DiagCode::kUnreadableInput,
          nearest.empty() ? fmt::format("there is no column \"{}\"; the columns are {}", name, fmt::join(ids, ", "))
                          : fmt::format("there is no column \"{}\"; did you mean \"{}\"?", name, nearest)};
}

OpsColumnChoice DefaultColumns(OpsBy by) {
  OpsColumnChoice choice;
  std::vector<std::pair<int, std::string>> people;
  for (const OpsColumn& column : kColumns) {
    if (!IsThere(column, by)) continue;
    if (column.presence == kDefault) choice.machine.push_back(OpsColumnId(column, by));
    if (column.people > 0) people.emplace_back(column.people, OpsColumnId(column, by));
  }
  std::sort(people.begin(), people.end());
  for (auto& [place, id] : people) choice.people.push_back(std::move(id));
  return choice;
}

bool Contains(const std::vector<std::string>& ids, std::string_view id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// In the order asked for; what is added to the default stands before the texts, among the other numbers.
void AddForPeople(const std::string& id, bool whole_list, OpsBy by, std::vector<std::string>* ids) {
  const auto is_text = [by](const std::string& i) { return FindOpsColumn(i, by)->kind == Kind::kText; };
  const bool at_end = whole_list || is_text(id);
  ids->insert(at_end ? ids->end() : std::find_if(ids->begin(), ids->end(), is_text), id);
}

struct Request {
  char sign;  // '+', '-' or 0
  const OpsColumn* column;
};

Result<std::vector<Request>> ParseRequests(std::string_view text, OpsBy by) {
  std::vector<Request> requests;
  char sign = 0;  // holds for the names that follow: `+p50,p99`
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    std::string_view name = text.substr(at, comma - at);
    at = comma + 1;
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name.starts_with('+') || name.starts_with('-')) {
      sign = name.front();
      name.remove_prefix(1);
    }
    const OpsColumn* column = FindOpsColumn(name, by);
    if (column == nullptr) return UnknownColumn(name, by);
    requests.push_back({sign, column});
  }
  return requests;
}

}  // namespace

std::string_view ByName(OpsBy by) {
  switch (by) {
    case OpsBy::kType:
      return "type";
    case OpsBy::kScope:
      return "scope";
    case OpsBy::kHost:
      return "host";
    case OpsBy::kDevice:
      return "device";
    case OpsBy::kLane:
      return "lane";
    case OpsBy::kOp:
      break;
  }
  return "op";
}

std::string OpsColumnId(const OpsColumn& column, OpsBy by) {
  return std::string(column.id == kKeyId ? ByName(by) : column.id);
}

const OpsColumn* FindOpsColumn(std::string_view name, OpsBy by) {
  const std::string_view id = WithoutAlias(name, by);
  for (const OpsColumn& column : kColumns) {
    if (!IsThere(column, by)) continue;
    const std::string full = OpsColumnId(column, by);
    if (full == id || (full.ends_with("_us") && std::string_view(full).substr(0, full.size() - 3) == id))
      return &column;
  }
  return nullptr;
}

std::vector<const OpsColumn*> AllOpsColumns(OpsBy by) {
  std::vector<const OpsColumn*> columns;
  for (const OpsColumn& column : kColumns) {
    if (IsThere(column, by)) columns.push_back(&column);
  }
  return columns;
}

Result<OpsColumnChoice> ChooseOpsColumns(std::string_view text, OpsBy by) {
  OpsColumnChoice choice = DefaultColumns(by);
  if (text.empty()) return choice;
  Result<std::vector<Request>> requests = ParseRequests(text, by);
  if (!requests) return requests.error();
  const bool plain = requests->front().sign == 0;
  if (plain && requests->back().sign != 0) {
    return Error{DiagCode::kUnreadableInput,
                 "columns are either a whole list (a,b,c) or changes to the default (+a,-b), not both"};
  }
  const bool all_extra = std::all_of(requests->begin(), requests->end(),
                                     [](const Request& r) { return r.column->presence == kOnRequest; });
  choice.changed = true;
  const bool whole_list = plain && !all_extra;
  if (whole_list) {
    choice.machine.clear();
    choice.people.clear();
  }
  for (const Request& request : *requests) {
    const std::string id = OpsColumnId(*request.column, by);
    if (request.sign == '-') {
      std::erase(choice.machine, id);
      std::erase(choice.people, id);
      continue;
    }
    choice.requested.push_back(id);
    if (!Contains(choice.machine, id)) choice.machine.push_back(id);
    if (!Contains(choice.people, id)) AddForPeople(id, whole_list, by, &choice.people);
  }
  if (choice.machine.empty() || choice.people.empty()) {
    return Error{DiagCode::kUnreadableInput, "no column is left to print"};
  }
  for (const std::string& id : choice.machine) {
    const OpsColumn* column = FindOpsColumn(id, by);
    const bool step_mean = column->id == kSelfPerStep || column->id == kOccurrencesPerStep;
    choice.needs_step_means |= step_mean;
    choice.needs_distribution |= column->presence == kOnRequest && column->time_group == kSingle && !step_mean;
  }
  return choice;
}

}  // namespace tfprof::report
