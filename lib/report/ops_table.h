// The rows of an OpsResult as tables: ours, for machines and for people, and the official ones of --compat.
#pragma once

#include <vector>

#include "analyze/ops_result.h"
#include "report/ops_columns.h"
#include "report/table.h"

namespace tfprof::report {

enum class Audience { kMachines, kPeople };

// Tables read from `result`, which must outlive them. The rows of `sides` follow each other; the row of the others, if
// there is one, is the last of its side and has no rank, type or cumulative share.
TablePtr MakeOpsTable(const analyze::OpsResult& result, const OpsColumnChoice& columns, Audience audience,
                      std::vector<analyze::Side> sides);

// The columns and values of TensorBoard's (legacy) and XProf's CSV of the op table; labels are the official header
// (reference: csv.md §2). A row of the others isn't there: the official table has none.
TablePtr MakeCompatOpsTable(const analyze::OpsResult& result);

}  // namespace tfprof::report
