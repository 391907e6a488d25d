#include "compare/saved_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/delimited_text.h"
#include "compare/profile_of_run.h"

namespace tfprof::compare {
namespace {

using Json = nlohmann::json;

constexpr size_t kHeadBytes = 4096;
constexpr std::string_view kSchemaFamily = "tfprof-analyze/";
constexpr std::string_view kOpsSchema = "tfprof-analyze/ops/v1";
constexpr double kMostPs = 9.2e18;
constexpr double kShareSlack = 1e-6;   // shares are printed with fewer digits than they have
constexpr size_t kOfficialRows = 500;  // of a side: TensorBoard and XProf cut there

Error Bad(std::string_view name, std::string message) {
  return {DiagCode::kUnreadableInput, fmt::format("{}: {}", name, message)};
}

std::string_view WithoutMark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

// Whole picoseconds, as they were before they were printed as decimal microseconds.
std::optional<int64_t> PsOfUs(double us) {
  const double ps = std::round(us * 1e6);
  if (!(ps >= 0 && ps <= kMostPs)) return std::nullopt;
  return static_cast<int64_t>(ps);
}

uint64_t CountOf(double number) { return static_cast<uint64_t>(std::clamp(number, 0.0, kMostPs)); }

void AddUpTo(int64_t ps, int64_t* sum) {
  if (__builtin_add_overflow(*sum, ps, sum)) *sum = INT64_MAX;
}

// The figures of a row, from whichever format.
struct SavedRow {
  std::string side, op_type, op_name;
  double occurrences = 0, total_us = 0, self_us = 0;
  std::optional<double> self_fraction;  // of all rows of the side before any were left out
};

// Collects rows into a profile.
class Table {
 public:
  explicit Table(std::string_view name) : name_(name) {}

  Status Add(const SavedRow& row, std::string_view where) {
    OpFigures op;
    const bool device = row.side == "Device";
    if (!device && row.side != "Host") {
      return Bad(name_, fmt::format("{}: \"{}\" is no side; it is Host or Device", where, row.side));
    }
    op.key = {device ? trace::Side::kDevice : trace::Side::kHost, row.op_type, row.op_name};
    const std::optional<int64_t> total = PsOfUs(row.total_us), self = PsOfUs(row.self_us);
    if (!total || !self || !(row.occurrences >= 0 && row.occurrences <= kMostPs)) {
      return Bad(name_, fmt::format("{}: a time or count is negative or too large", where));
    }
    op.total_ps = *total;
    op.self_ps = *self;
    op.occurrences = static_cast<uint64_t>(row.occurrences);
    SideFigures& side = device ? profile_.device : profile_.host;
    ++(device ? device_rows_ : host_rows_);
    if (row.self_fraction) (device ? device_share_ : host_share_) += *row.self_fraction;
    tells_shares_ &= row.self_fraction.has_value();
    if (row.op_type == "IDLE" && row.op_name == "IDLE") {
      AddUpTo(op.self_ps, &side.idle_ps);
      return kOk;
    }
    AddUpTo(op.self_ps, &side.sum_self_ps);
    profile_.ops.push_back(std::move(op));
    return kOk;
  }

  void NotePart(uint64_t rows, Diagnostics* diagnostics) const {
    diagnostics->Add(
        DiagCode::kPartialTable,
        fmt::format("{}: the table was saved without all of its rows (--limit, --include and the like, or TensorBoard's "
                    "500); ops that it lacks look new or gone",
                    name_),
        rows);
  }

  // Shares stay those of the whole table when rows are chosen, so what remains doesn't add up to 1.
  bool LacksShares() const {
    const auto lacks = [](double share, const SideFigures& side) {
      return side.sum_self_ps > 0 && share < 1 - kShareSlack;
    };
    return tells_shares_ && ((device_rows_ > 0 && lacks(device_share_, profile_.device)) ||
                             (host_rows_ > 0 && lacks(host_share_, profile_.host)));
  }

  RunProfile Finish(SavedKind kind) && {
    profile_.label = name_;
    profile_.environment.kind = SavedKindName(kind);
    SortOps(&profile_.ops);
    return std::move(profile_);
  }

  RunProfile& profile() { return profile_; }
  size_t most_rows() const { return std::max(device_rows_, host_rows_); }

 private:
  std::string name_;
  RunProfile profile_;
  size_t device_rows_ = 0, host_rows_ = 0;
  double device_share_ = 0, host_share_ = 0;
  bool tells_shares_ = true;  // all rows so far do
};

// Members of a document, of the type that is needed; what is missing is named once.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}

  std::string Text(const char* key) {
    const auto at = object_.find(key);
    if (at != object_.end() && at->is_string()) return at->get<std::string>();
    Miss(key);
    return {};
  }
  double Number(const char* key) {
    const auto at = object_.find(key);
    if (at != object_.end() && at->is_number()) return at->get<double>();
    Miss(key);
    return 0;
  }
  const std::string& missing() const { return missing_; }

 private:
  void Miss(const char* key) {
    if (missing_.empty()) missing_ = key;
  }
  const Json& object_;
  std::string missing_;
};

Status ReadTotals(const Json& totals, const char* side, SideFigures* figures) {
  const auto at = totals.find(side);
  if (at == totals.end() || !at->is_object()) return kOk;
  Fields fields(*at);
  const auto ps = [&](const char* key) { return at->contains(key) ? PsOfUs(fields.Number(key)).value_or(0) : 0; };
  *figures = {ps("span_us"), ps("busy_us"), ps("idle_us"), ps("sum_self_us"), ps("unattributed_us"), 0};
  if (at->contains("lanes")) figures->lanes = CountOf(fields.Number("lanes"));
  if (fields.missing().empty()) return kOk;
  return Error{DiagCode::kUnreadableInput, fmt::format("totals.{}.{} is no number", side, fields.missing())};
}

void TakeDiagnostics(const Json& document, RunProfile* profile) {
  const auto list = document.find("diagnostics");
  if (list == document.end() || !list->is_array()) return;
  for (const Json& item : *list) {
    if (!item.is_object()) continue;
    Fields fields(item);
    const std::string code = fields.Text("code"), severity = fields.Text("severity");
    if (!code.empty()) profile->diagnostics.emplace_back(code, CountOf(fields.Number("count")));
    if (severity == "error") profile->damaged = true;
  }
}

Result<RunProfile> ParseOpsJson(std::string_view text, std::string_view name, Diagnostics* diagnostics) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) return Bad(name, "the op table is no whole JSON document; it may be cut off");
  Fields head(document);
  const std::string schema = head.Text("schema"), by = head.Text("by");
  if (schema != kOpsSchema) {
    return Bad(name, fmt::format("it has the schema \"{}\"; this version reads \"{}\"", schema, kOpsSchema));
  }
  if (by != "op") return Bad(name, fmt::format("the table was saved --by {}; save it by op", by));
  const auto rows = document.find("rows");
  if (rows == document.end() || !rows->is_array()) return Bad(name, "the op table has no rows");
  Table table(name);
  size_t place = 0;
  for (const Json& json : *rows) {
    const std::string where = fmt::format("row {}", ++place);
    if (!json.is_object()) return Bad(name, fmt::format("{} is no object", where));
    Fields fields(json);
    SavedRow row{fields.Text("side"),          fields.Text("op_type"),    fields.Text("op_name"),
                 fields.Number("occurrences"), fields.Number("total_us"), fields.Number("self_us"), {}};
    const auto share = json.find(row.side == "Device" ? "device_self_fraction" : "host_self_fraction");
    if (share != json.end() && share->is_number()) row.self_fraction = share->get<double>();
    if (!fields.missing().empty()) {
      return Bad(name, fmt::format("{}: there is no {}, or it is of another type; save the table without --columns",
                                   where, fields.missing()));
    }
    if (Status bad = table.Add(row, where)) return *bad;
  }
  const bool lacks_shares = table.LacksShares();
  RunProfile& profile = table.profile();
  if (const auto totals = document.find("totals"); totals != document.end() && totals->is_object()) {
    if (Status bad = ReadTotals(*totals, "host", &profile.host)) return Bad(name, bad->message);
    if (Status bad = ReadTotals(*totals, "device", &profile.device)) return Bad(name, bad->message);
  }
  const auto truncated = document.find("truncated");
  if (truncated != document.end() && truncated->is_boolean() && truncated->get<bool>()) {
    Fields counts(document);
    table.NotePart(CountOf(std::max(1.0, counts.Number("total") - counts.Number("returned"))), diagnostics);
  } else if (lacks_shares) {
    table.NotePart(1, diagnostics);
  }
  TakeDiagnostics(document, &profile);
  return std::move(table).Finish(SavedKind::kOpsJson);
}

// Where the columns that count stand.
struct Columns {
  std::optional<size_t> rank, side, op_type, op_name, occurrences, total, self, device_share, host_share;
};

struct ColumnName {
  std::string_view name;
  std::optional<size_t> Columns::*column;
};
// Ours, TensorBoard's of 2020 to 2025, XProf's.
constexpr std::array<ColumnName, 17> kColumnNames = {{{"rank", &Columns::rank},
                                                      {"side", &Columns::side},
                                                      {"op_type", &Columns::op_type},
                                                      {"op_name", &Columns::op_name},
                                                      {"occurrences", &Columns::occurrences},
                                                      {"total_us", &Columns::total},
                                                      {"self_us", &Columns::self},
                                                      {"device_self_fraction", &Columns::device_share},
                                                      {"host_self_fraction", &Columns::host_share},
                                                      {"Rank", &Columns::rank},
                                                      {"Host/device", &Columns::side},
                                                      {"Type", &Columns::op_type},
                                                      {"Operation", &Columns::op_name},
                                                      {"Operation Type", &Columns::op_type},
                                                      {"Operation Name", &Columns::op_name},
                                                      {"#Occurrences", &Columns::occurrences},
                                                      {"Total time (us)", &Columns::total}}};
constexpr std::string_view kOfficialSelf = "Total self-time (us)";

Result<Columns> FindColumns(const std::vector<std::string>& header, std::string_view name) {
  Columns columns;
  for (size_t i = 0; i < header.size(); ++i) {
    for (const ColumnName& known : kColumnNames) {
      if (header[i] == known.name) columns.*known.column = i;
    }
    if (header[i] == kOfficialSelf) columns.self = i;
  }
  const std::pair<const char*, bool> needed[] = {
      {"side", columns.side.has_value()},        {"op type", columns.op_type.has_value()},
      {"op name", columns.op_name.has_value()},  {"occurrences", columns.occurrences.has_value()},
      {"total time", columns.total.has_value()}, {"self time", columns.self.has_value()}};
  for (const auto& [what, there] : needed) {
    if (there) continue;
    return Bad(name, fmt::format("the table has no column for the {}; save it by op and with all columns", what));
  }
  return columns;
}

std::optional<double> NumberOf(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

Result<RunProfile> ParseCsv(std::string_view text, SavedKind kind, std::string_view name, Diagnostics* diagnostics) {
  DelimitedText lines(WithoutMark(text));
  std::vector<std::string> cells;
  if (!lines.Next(&cells)) return Bad(name, "the table has no header");
  const Result<Columns> found = FindColumns(cells, name);
  if (!found) return found.error();
  const Columns& columns = found.value();
  const size_t width = cells.size();
  Table table(name);
  bool part = false;
  while (lines.Next(&cells)) {
    const std::string where = fmt::format("line {}", lines.line());
    if (cells.size() != width) {
      return Bad(name, fmt::format("{}: it has {} fields, the header {}; the table may be cut off", where, cells.size(),
                                   width));
    }
    if (columns.rank && cells[*columns.rank].empty()) {  // the sum of the rows that were cut
      part = true;
      continue;
    }
    const auto number = [&](const std::optional<size_t>& at) { return NumberOf(cells[*at]); };
    const std::optional<double> occurrences = number(columns.occurrences), total = number(columns.total),
                                self = number(columns.self);
    if (!occurrences || !total || !self) return Bad(name, fmt::format("{}: a count or time is no number", where));
    SavedRow row{
        cells[*columns.side], cells[*columns.op_type], cells[*columns.op_name], *occurrences, *total, *self, {}};
    if (const auto& share = row.side == "Device" ? columns.device_share : columns.host_share) {
      row.self_fraction = number(share);
    }
    if (Status bad = table.Add(row, where)) return *bad;
  }
  part |= table.LacksShares();
  part |= kind == SavedKind::kTensorBoardCsv && table.most_rows() >= kOfficialRows;
  if (part) table.NotePart(1, diagnostics);
  if (lines.unclosed()) return Bad(name, "a quoted field doesn't end; the table is cut off");
  return std::move(table).Finish(kind);
}

// The name of one of our documents, from `"schema": "tfprof-analyze/NAME/v1"` at its beginning.
std::string_view DocumentName(std::string_view head) {
  const size_t key = head.find("\"schema\"");
  if (key == std::string_view::npos) return {};
  const size_t family = head.find(kSchemaFamily, key);
  if (family == std::string_view::npos || family > key + 40) return {};
  const std::string_view name = head.substr(family + kSchemaFamily.size());
  return name.substr(0, std::min(name.find_first_of("/\""), name.size()));
}

}  // namespace

SavedKind DetectSaved(std::string_view head) {
  head = WithoutMark(head.substr(0, kHeadBytes));
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return SavedKind::kNone;
  if (head[first] == '{') {
    const std::string_view name = DocumentName(head);
    // A baseline whose keys a tool has sorted; ParseBaseline looks for the schema in it.
    const size_t key = head.find_first_not_of(" \t\r\n", first + 1);
    if (name.empty() && key != std::string_view::npos && head.substr(key).starts_with("\"runs\"")) {
      return SavedKind::kBaseline;
    }
    if (name.empty()) return SavedKind::kNone;
    return name == "ops" ? SavedKind::kOpsJson : name == "baseline" ? SavedKind::kBaseline : SavedKind::kOtherDocument;
  }
  std::vector<std::string> header;
  DelimitedText lines(head);
  if (!lines.Next(&header)) return SavedKind::kNone;
  const auto has = [&](std::string_view name) { return std::find(header.begin(), header.end(), name) != header.end(); };
  if (has(kOfficialSelf)) return SavedKind::kTensorBoardCsv;
  return has("self_us") && has("occurrences") ? SavedKind::kOpsCsv : SavedKind::kNone;
}

std::string_view SavedKindName(SavedKind kind) {
  switch (kind) {
    case SavedKind::kOpsJson:
      return "op table (JSON)";
    case SavedKind::kOpsCsv:
      return "op table (CSV)";
    case SavedKind::kTensorBoardCsv:
      return "op table (TensorBoard's CSV)";
    case SavedKind::kBaseline:
      return "baseline";
    case SavedKind::kOtherDocument:
      return "another document";
    case SavedKind::kNone:
      break;
  }
  return "";
}

Result<RunProfile> ParseSavedTable(std::string_view text, SavedKind kind, std::string_view name,
                                   Diagnostics* diagnostics) {
  switch (kind) {
    case SavedKind::kOpsJson:
      return ParseOpsJson(WithoutMark(text), name, diagnostics);
    case SavedKind::kOpsCsv:
    case SavedKind::kTensorBoardCsv:
      return ParseCsv(text, kind, name, diagnostics);
    default:
      break;
  }
  return Bad(name, fmt::format("it holds the answer of `{}`; runs are compared by what `ops` saves",
                               DocumentName(text.substr(0, kHeadBytes))));
}

}  // namespace tfprof::compare
