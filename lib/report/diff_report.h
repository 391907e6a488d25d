// The document of `diff`: two sides of runs compared, in the contract of schemas/diff-1.schema.json.
//
// For people: what differs between the sides although it should not, which few ops explain the change, the rows of each
// side, and what the verdicts rest on. Times are medians over the runs of a side, per step where all runs have steps.
#pragma once

#include "compare/comparison.h"
#include "compare/select_rows.h"
#include "report/diff_table.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"

namespace tfprof::report {

struct DiffReportOptions {
  compare::RowSelection selection;
  Unit unit = Unit::kAuto;  // of times in sentences
};

// Reads from `comparison` as long as it lives.
Document DiffDocument(const compare::Comparison& comparison, const ReportContext& context,
                      const DiffReportOptions& options);

}  // namespace tfprof::report
