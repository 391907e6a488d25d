// The rows of a comparison as tables: one for machines, and for people one for each side.
//
// Times are per step or of the whole run, as the comparison says; medians over the runs of a side. With several runs on
// both sides people see verdicts too: one run a side can't have any.
#pragma once

#include <optional>

#include "compare/comparison.h"
#include "compare/select_rows.h"
#include "report/table.h"

namespace tfprof::report {

// Tables refer to the comparison that the rows are of, and share the selection.
using SelectedRowsPtr = std::shared_ptr<const compare::SelectedRows>;

// All rows, and where it was cut the rows of the others.
TablePtr MakeDiffRecords(const compare::Comparison& comparison, const SelectedRowsPtr& selected);
// Those of one side; null: there is none.
TablePtr MakeDiffTable(const compare::Comparison& comparison, const SelectedRowsPtr& selected, trace::Side side);

bool HasVerdicts(const compare::Comparison& comparison);

// "op", "idle", "unattributed"; "both", "new", "gone"; "op", "type", "scope", "kernel", "step".
std::string_view RowKindName(compare::RowKind kind);
std::string_view PresenceName(compare::Presence presence);
std::string_view CompareByName(compare::CompareBy by);

}  // namespace tfprof::report
