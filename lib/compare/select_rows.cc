#include "compare/select_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "base/patterns.h"

namespace tfprof::compare {
namespace {

// By its name on either side, or its type where it has none (a sum by type).
bool MatchAny(const Patterns& patterns, const ChangeRow& row) {
  if (row.key.op_name.empty() && !row.key.op_type.empty()) return patterns.Match(row.key.op_type);
  return patterns.Match(row.key.op_name) || (!row.base_name.empty() && patterns.Match(row.base_name));
}

// What appeared from nothing changed more than anything that was there before.
double RelativeSize(const ChangeRow& row) {
  if (row.self.relative) return std::abs(*row.self.relative);
  return row.self.delta == 0 ? 0 : HUGE_VAL;
}

double ValueOf(const ChangeRow& row, ChangeColumn column) {
  switch (column) {
    case ChangeColumn::kRelative:
      return RelativeSize(row);
    case ChangeColumn::kBase:
      return row.self.base_median;
    case ChangeColumn::kNew:
      return row.self.next_median;
    case ChangeColumn::kShare:
      return row.share_of_change;
    default:
      return std::abs(row.self.delta);
  }
}

// The rows come in the default order, which decides between equal ones.
void Sort(const ChangeOrder& order, std::vector<const ChangeRow*>* rows) {
  const auto less = [&](const ChangeRow* a, const ChangeRow* b) {
    if (order.column == ChangeColumn::kName) return a->key.op_name < b->key.op_name;
    if (order.column == ChangeColumn::kType) return a->key.op_type < b->key.op_type;
    return ValueOf(*a, order.column) < ValueOf(*b, order.column);
  };
  std::stable_sort(rows->begin(), rows->end(),
                   [&](const ChangeRow* a, const ChangeRow* b) { return order.descending ? less(b, a) : less(a, b); });
}

void AddTo(const ChangeRow& row, OtherRows* others) {
  ++others->rows;
  others->base_self_ps += row.self.base_median;
  others->next_self_ps += row.self.next_median;
  others->base_total_ps += row.total.base_median;
  others->next_total_ps += row.total.next_median;
  others->base_occurrences += row.occurrences.base_median;
  others->next_occurrences += row.occurrences.next_median;
  others->share_of_change += row.share_of_change;
}

}  // namespace

SelectedRows SelectRows(const std::vector<ChangeRow>& rows, const RowSelection& selection) {
  const Patterns include(selection.include), exclude(selection.exclude);
  SelectedRows selected;
  uint64_t ops = 0, kept = 0;
  for (const ChangeRow& row : rows) {
    if (selection.side && row.key.side != *selection.side) continue;
    if (row.kind == RowKind::kOp) {
      ++ops;
      if ((!include.empty() && !MatchAny(include, row)) || MatchAny(exclude, row)) continue;
      ++kept;
    } else if (row.kind == RowKind::kIdle && !selection.idle) {
      continue;
    }
    selected.rows.push_back(&row);
  }
  if (kept == 0) selected.none_of = ops;
  selected.total = selected.rows.size();
  Sort(selection.order, &selected.rows);
  if (selection.limit == 0) return selected;
  std::map<trace::Side, uint64_t> shown;
  std::map<trace::Side, OtherRows> others;
  std::erase_if(selected.rows, [&](const ChangeRow* row) {
    if (row->kind != RowKind::kOp || shown[row->key.side]++ < selection.limit) return false;
    AddTo(*row, &others[row->key.side]);
    return true;
  });
  for (const trace::Side side : {trace::Side::kDevice, trace::Side::kHost}) {
    const auto at = others.find(side);
    if (at == others.end()) continue;
    at->second.side = side;
    selected.others.push_back(at->second);
  }
  return selected;
}

}  // namespace tfprof::compare
