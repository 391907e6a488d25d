#include "report/ops_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "report/number.h"

namespace tfprof::report {

using analyze::OpsBy;
using analyze::OpsResult;
using analyze::OpsRow;
using analyze::Side;

namespace {

// One table's rows: those of the result, with a row for the others at the end of each side that has one.
struct OpsRows {
  struct Range {
    size_t begin, end;             // rows of the result
    std::optional<OpsRow> others;  // after them
    size_t size() const { return end - begin + (others ? 1 : 0); }
  };

  const OpsResult* result = nullptr;
  std::vector<const OpsColumn*> columns;
  Audience audience = Audience::kMachines;
  std::vector<Range> ranges;

  void Read(size_t index, Row* row) const;
};

OpsRow RowOfOthers(const analyze::OthersRow& others, Side side, OpsBy by) {
  OpsRow row;
  row.side = side;
  const std::string name =
      fmt::format("others ({})", CountText(others.rows, ByName(by), fmt::format("{}s", ByName(by))));
  (by == OpsBy::kOp ? row.op_name : row.key) = name;
  row.occurrences = others.occurrences;
  row.total_ps = others.total_ps;
  row.self_ps = others.self_ps;
  row.self_fraction = others.self_fraction;
  return row;
}

// What a sum of rows doesn't have.
bool IsOfSingleRows(const OpsColumn& column) {
  return column.id == "op_type" || column.id == "eager" || column.id.find("cumulative") != std::string_view::npos;
}

// What idle time doesn't have; machines get the 0 of the contract.
bool IsOfEvents(const OpsColumn& column) {
  return column.id == "occurrences" || column.time_group == TimeGroup::kSingleEvents;
}

void OpsRows::Read(size_t index, Row* row) const {
  const Range* range = ranges.data();
  while (index >= range->size()) index -= (range++)->size();
  const bool is_others = index == range->end - range->begin;
  const OpsRow& source = is_others ? *range->others : result->rows[range->begin + index];
  row->kind = is_others ? RowKind::kOthers : (source.idle ? RowKind::kMuted : RowKind::kPlain);
  row->cells.clear();
  for (const OpsColumn* column : columns) {
    const bool blank =
        (is_others && IsOfSingleRows(*column)) || (audience == Audience::kPeople && source.idle && IsOfEvents(*column));
    row->cells.push_back(blank ? Cell(Missing()) : column->get(source));
    if (audience == Audience::kPeople && column->id == OpsColumn::kKeyId && source.key.empty()) {
      row->cells.back() = std::string_view("(none)");
    }
  }
}

Column ColumnFor(const OpsColumn& source, OpsBy by) {
  Column column;
  column.id = OpsColumnId(source, by);
  column.label = source.label;
  if (source.id == OpsColumn::kKeyId) {
    column.label = column.id;
    column.label[0] = static_cast<char>(column.label[0] - 'a' + 'A');
  }
  column.kind = source.kind;
  column.time_group = source.time_group;
  column.bar = source.id == "self_fraction";
  column.leave_out = source.leave_out;
  if (source.id == "op_name" || source.id == OpsColumn::kKeyId) {
    column.least_width = 16;
    column.readable_width = 34;
  } else if (source.id == "op_type") {
    column.least_width = 8;
    column.readable_width = 8;
  }
  return column;
}

}  // namespace

TablePtr MakeOpsTable(const OpsResult& result, const OpsColumnChoice& columns, Audience audience,
                      std::vector<Side> sides) {
  auto rows = std::make_shared<OpsRows>();
  rows->result = &result;
  rows->audience = audience;
  auto table = std::make_shared<Table>();
  for (const std::string& id : audience == Audience::kPeople ? columns.people : columns.machine) {
    const OpsColumn* column = FindOpsColumn(id, result.by);
    rows->columns.push_back(column);
    table->columns.push_back(ColumnFor(*column, result.by));
    const auto& requested = columns.requested;
    if (std::find(requested.begin(), requested.end(), id) != requested.end()) table->columns.back().leave_out = 0;
  }
  const auto is_host = [](const OpsRow& row) { return row.side == Side::kHost; };
  const auto first_host =
      static_cast<size_t>(std::find_if(result.rows.begin(), result.rows.end(), is_host) - result.rows.begin());
  for (const Side side : sides) {
    const bool host = side == Side::kHost;
    OpsRows::Range range{host ? first_host : 0, host ? result.rows.size() : first_host, std::nullopt};
    if (const auto& others = host ? result.others_host : result.others_device) {
      range.others = RowOfOthers(*others, side, result.by);
    }
    table->rows += range.size();
    rows->ranges.push_back(std::move(range));
  }
  table->read = [rows](size_t index, Row* row) { rows->Read(index, row); };
  return table;
}

}  // namespace tfprof::report
