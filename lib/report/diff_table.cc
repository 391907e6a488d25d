#include "report/diff_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "report/number.h"

namespace tfprof::report {

using compare::Change;
using compare::ChangeRow;
using compare::CompareBy;
using compare::Comparison;
using compare::OtherRows;
using compare::Presence;
using compare::SelectedRows;
using trace::Side;

namespace {

Cell Us(double ps) { return ps / kPsPerUs; }
Cell OrMissing(const std::optional<double>& value) { return value ? Cell(*value) : Cell(Missing()); }
Cell Low(const Change& change) { return change.interval ? Cell(change.interval->low) : Cell(Missing()); }
Cell High(const Change& change) { return change.interval ? Cell(change.interval->high) : Cell(Missing()); }
Cell TextOrMissing(const std::string& text) { return text.empty() ? Cell(Missing()) : Cell(std::string_view(text)); }
std::string_view SideName(Side side) { return side == Side::kDevice ? "Device" : "Host"; }

struct MachineColumn {
  std::string_view id;
  Kind kind;
  bool of_others;  // their sum has it
  Cell (*get)(const ChangeRow& row);
};

constexpr MachineColumn kMachineColumns[] = {
    {"kind", Kind::kText, false, [](const ChangeRow& r) -> Cell { return RowKindName(r.kind); }},
    {"side", Kind::kText, true, [](const ChangeRow& r) -> Cell { return SideName(r.key.side); }},
    {"op_type", Kind::kText, false, [](const ChangeRow& r) -> Cell { return std::string_view(r.key.op_type); }},
    {"op_name", Kind::kText, true, [](const ChangeRow& r) -> Cell { return std::string_view(r.key.op_name); }},
    {"base_name", Kind::kText, false, [](const ChangeRow& r) -> Cell { return TextOrMissing(r.base_name); }},
    {"presence", Kind::kText, false, [](const ChangeRow& r) -> Cell { return PresenceName(r.presence); }},
    {"base_self_us", Kind::kTime, true, [](const ChangeRow& r) -> Cell { return Us(r.self.base_median); }},
    {"new_self_us", Kind::kTime, true, [](const ChangeRow& r) -> Cell { return Us(r.self.next_median); }},
    {"self_change_us", Kind::kTime, true, [](const ChangeRow& r) -> Cell { return Us(r.self.delta); }},
    {"self_change_fraction", Kind::kFraction, true,
     [](const ChangeRow& r) -> Cell { return OrMissing(r.self.relative); }},
    {"self_change_low", Kind::kFraction, false, [](const ChangeRow& r) -> Cell { return Low(r.self); }},
    {"self_change_high", Kind::kFraction, false, [](const ChangeRow& r) -> Cell { return High(r.self); }},
    {"p", Kind::kNumber, false, [](const ChangeRow& r) -> Cell { return OrMissing(r.self.p); }},
    {"p_holm", Kind::kNumber, false, [](const ChangeRow& r) -> Cell { return OrMissing(r.self.p_holm); }},
    {"verdict", Kind::kText, false, [](const ChangeRow& r) -> Cell { return compare::VerdictName(r.self.verdict); }},
    {"reason", Kind::kText, false, [](const ChangeRow& r) -> Cell { return std::string_view(r.self.reason); }},
    {"gated", Kind::kBoolean, false, [](const ChangeRow& r) -> Cell { return r.gated; }},
    {"share_of_change", Kind::kFraction, true, [](const ChangeRow& r) -> Cell { return r.share_of_change; }},
    {"share_of_step", Kind::kFraction, false, [](const ChangeRow& r) -> Cell { return r.share_of_step; }},
    {"base_total_us", Kind::kTime, true, [](const ChangeRow& r) -> Cell { return Us(r.total.base_median); }},
    {"new_total_us", Kind::kTime, true, [](const ChangeRow& r) -> Cell { return Us(r.total.next_median); }},
    {"total_change_us", Kind::kTime, true, [](const ChangeRow& r) -> Cell { return Us(r.total.delta); }},
    {"total_change_fraction", Kind::kFraction, true,
     [](const ChangeRow& r) -> Cell { return OrMissing(r.total.relative); }},
    {"base_occurrences", Kind::kNumber, true, [](const ChangeRow& r) -> Cell { return r.occurrences.base_median; }},
    {"new_occurrences", Kind::kNumber, true, [](const ChangeRow& r) -> Cell { return r.occurrences.next_median; }},
    {"occurrences_change", Kind::kNumber, true, [](const ChangeRow& r) -> Cell { return r.occurrences.delta; }},
};

void SetMedians(double base, double next, Change* change) {
  change->base_median = base;
  change->next_median = next;
  change->delta = next - base;
  if (base != 0) change->relative = change->delta / base;
}

ChangeRow RowOfOthers(const OtherRows& others, CompareBy by) {
  ChangeRow row;
  row.key.side = others.side;
  const std::string noun(CompareByName(by));
  row.key.op_name = fmt::format("others ({})", CountText(others.rows, noun, noun + "s"));
  SetMedians(others.base_self_ps, others.next_self_ps, &row.self);
  SetMedians(others.base_total_ps, others.next_total_ps, &row.total);
  SetMedians(others.base_occurrences, others.next_occurrences, &row.occurrences);
  row.share_of_change = others.share_of_change;
  return row;
}

// The rows that one table shows, with the texts that only people need.
struct PeopleRow {
  const ChangeRow* row = nullptr;
  bool others = false;
  std::string name, count, note;
};

struct PeopleColumn {
  std::string_view id, label;
  Kind kind;
  int leave_out;
  bool is_change, others;  // the sum of others has it
  Cell (*get)(const PeopleRow& row);
};

constexpr PeopleColumn kPeopleColumns[] = {
    {"name", "Op", Kind::kText, 0, false, true, [](const PeopleRow& r) -> Cell { return std::string_view(r.name); }},
    {"op_type", "Type", Kind::kText, 3, false, false,
     [](const PeopleRow& r) -> Cell { return std::string_view(r.row->key.op_type); }},
    {"base_self_us", "Base", Kind::kTime, 0, false, true,
     [](const PeopleRow& r) -> Cell { return Us(r.row->self.base_median); }},
    {"new_self_us", "New", Kind::kTime, 0, false, true,
     [](const PeopleRow& r) -> Cell { return Us(r.row->self.next_median); }},
    {"self_change_us", "Change", Kind::kTime, 0, true, true,
     [](const PeopleRow& r) -> Cell { return Us(r.row->self.delta); }},
    {"self_change_fraction", "Of base", Kind::kFraction, 1, true, true,
     [](const PeopleRow& r) -> Cell { return OrMissing(r.row->self.relative); }},
    {"share_of_change", "Share", Kind::kFraction, 4, false, true,
     [](const PeopleRow& r) -> Cell { return r.row->share_of_change; }},
    {"count", "Count", Kind::kText, 5, false, true,
     [](const PeopleRow& r) -> Cell { return std::string_view(r.count); }},
    {"p_holm", "p", Kind::kNumber, 2, false, false,
     [](const PeopleRow& r) -> Cell { return OrMissing(r.row->self.p_holm); }},
    {"verdict", "Verdict", Kind::kText, 0, false, false,
     [](const PeopleRow& r) -> Cell {
       return r.row->gated ? Cell(compare::VerdictName(r.row->self.verdict)) : Cell(Missing());
     }},
    {"note", "Note", Kind::kText, 0, false, false, [](const PeopleRow& r) -> Cell { return std::string_view(r.note); }},
};

bool IsShown(const PeopleColumn& column, const Comparison& comparison, const std::vector<PeopleRow>& rows) {
  if (column.id == "p_holm" || column.id == "verdict") return HasVerdicts(comparison);
  if (column.id == "op_type") return comparison.by == CompareBy::kOp;
  if (column.id == "count") return comparison.by != CompareBy::kStep;
  if (column.id == "share_of_change") return comparison.by != CompareBy::kStep;
  if (column.id != "note") return true;
  return std::any_of(rows.begin(), rows.end(), [](const PeopleRow& row) { return !row.note.empty(); });
}

std::string NameOf(const ChangeRow& row, CompareBy by) {
  if (row.kind != compare::RowKind::kOp) return row.key.op_name;
  const std::string& name = by == CompareBy::kType ? row.key.op_type : row.key.op_name;
  return name.empty() ? "(none)" : name;
}

std::string CountOf(double count) {
  const double rounded = std::round(count);
  if (std::abs(count - rounded) < 1e-9 && rounded >= 0 && rounded < 1e15) {
    return GroupedText(static_cast<uint64_t>(rounded));
  }
  return fmt::format("{:.4g}", count);
}

std::string CountsOf(const Change& occurrences) {
  if (occurrences.base_median == 0 && occurrences.next_median == 0) return {};
  const std::string base = CountOf(occurrences.base_median), next = CountOf(occurrences.next_median);
  return base == next ? next : fmt::format("{} → {}", base, next);
}

std::string NoteOf(const ChangeRow& row) {
  if (row.presence == Presence::kNew) return "new";
  if (row.presence == Presence::kGone) return "gone";
  return row.base_name.empty() ? std::string() : fmt::format("was {}", row.base_name);
}

PeopleRow RowForPeople(const ChangeRow& row, CompareBy by) {
  return {&row, false, NameOf(row, by), CountsOf(row.occurrences), NoteOf(row)};
}

Column ColumnFor(const PeopleColumn& source, CompareBy by) {
  Column column;
  column.id = source.id;
  column.label = source.label;
  if (source.id == "name" && by != CompareBy::kOp) {
    column.label = CompareByName(by);
    column.label[0] = static_cast<char>(column.label[0] - 'a' + 'A');
  }
  column.kind = source.kind;
  column.leave_out = source.leave_out;
  column.is_change = source.is_change;
  column.bar = source.id == "share_of_change";
  if (source.id == "name" || source.id == "note") {
    column.least_width = 12;
    column.readable_width = source.id == "name" ? 34 : 16;
  } else if (source.id == "op_type") {
    column.least_width = 8;
    column.readable_width = 8;
  }
  return column;
}

}  // namespace

std::string_view RowKindName(compare::RowKind kind) {
  switch (kind) {
    case compare::RowKind::kIdle:
      return "idle";
    case compare::RowKind::kUnattributed:
      return "unattributed";
    case compare::RowKind::kOp:
      break;
  }
  return "op";
}

std::string_view PresenceName(Presence presence) {
  return presence == Presence::kNew ? "new" : presence == Presence::kGone ? "gone" : "both";
}

std::string_view CompareByName(CompareBy by) {
  switch (by) {
    case CompareBy::kType:
      return "type";
    case CompareBy::kScope:
      return "scope";
    case CompareBy::kKernel:
      return "kernel";
    case CompareBy::kStep:
      return "step";
    case CompareBy::kOp:
      break;
  }
  return "op";
}

bool HasVerdicts(const Comparison& comparison) {
  return comparison.base_runs.size() > 1 && comparison.next_runs.size() > 1;
}

TablePtr MakeDiffRecords(const Comparison& comparison, const SelectedRowsPtr& selected) {
  auto others = std::make_shared<std::vector<ChangeRow>>();
  for (const OtherRows& rows : selected->others) others->push_back(RowOfOthers(rows, comparison.by));
  auto table = std::make_shared<Table>();
  Column rank;
  rank.id = "rank";
  rank.kind = Kind::kInteger;
  table->columns.push_back(rank);
  for (const MachineColumn& source : kMachineColumns) {
    Column column;
    column.id = source.id;
    column.kind = source.kind;
    table->columns.push_back(column);
  }
  table->rows = selected->rows.size() + others->size();
  table->read = [selected, others](size_t index, Row* row) {
    const size_t shown = selected->rows.size();
    const bool is_others = index >= shown;
    const ChangeRow& source = is_others ? (*others)[index - shown] : *selected->rows[index];
    row->kind = is_others ? RowKind::kOthers : RowKind::kPlain;
    row->cells.clear();
    row->cells.push_back(is_others ? Cell(Missing()) : Cell(static_cast<uint64_t>(index + 1)));
    for (const MachineColumn& column : kMachineColumns) {
      row->cells.push_back(is_others && !column.of_others ? Cell(Missing()) : column.get(source));
    }
  };
  return table;
}

TablePtr MakeDiffTable(const Comparison& comparison, const SelectedRowsPtr& selected, Side side) {
  struct State {
    std::vector<PeopleRow> rows;
    std::vector<const PeopleColumn*> columns;
    ChangeRow others;
    SelectedRowsPtr selected;
  };
  auto state = std::make_shared<State>();
  state->selected = selected;
  for (const ChangeRow* row : selected->rows) {
    if (row->key.side == side) state->rows.push_back(RowForPeople(*row, comparison.by));
  }
  for (const OtherRows& others : selected->others) {
    if (others.side != side) continue;
    state->others = RowOfOthers(others, comparison.by);
    state->rows.push_back({&state->others, true, state->others.key.op_name, CountsOf(state->others.occurrences), {}});
  }
  if (state->rows.empty()) return nullptr;
  auto table = std::make_shared<Table>();
  for (const PeopleColumn& column : kPeopleColumns) {
    if (!IsShown(column, comparison, state->rows)) continue;
    state->columns.push_back(&column);
    table->columns.push_back(ColumnFor(column, comparison.by));
  }
  table->rows = state->rows.size();
  table->read = [state](size_t index, Row* row) {
    const PeopleRow& source = state->rows[index];
    row->kind = source.others                               ? RowKind::kOthers
                : source.row->kind != compare::RowKind::kOp ? RowKind::kMuted
                                                            : RowKind::kPlain;
    row->cells.clear();
    for (const PeopleColumn* column : state->columns) {
      row->cells.push_back(source.others && !column->others ? Cell(Missing()) : column->get(source));
    }
  };
  return table;
}

}  // namespace tfprof::report
