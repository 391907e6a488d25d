// The document of `tfprof-analyze PATH`: one screen that says what was run on what, where the time went, whether the
// data can be trusted, and what to ask next (schemas/summary-1.schema.json).
//
// Shares are of a side's op time, without idle, which has a sentence of its own. CSV, TSV and JSON Lines have one
// record a top op.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analyze/inventory.h"
#include "analyze/op_tree.h"
#include "analyze/ops_result.h"
#include "analyze/steps_result.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"

namespace tfprof::report {

// A flag that every command takes, as typed: --NAME VALUE.
struct InputFlag {
  std::string name, value;
};

struct SummaryReportOptions {
  // As typed, for the commands to run next.
  std::vector<std::string> input_args;
  std::vector<InputFlag> input_flags;           // which of the inputs were chosen: run, host, …
  std::vector<InputFlag> step_flags;            // which steps were chosen; `info` doesn't take these
  std::string time;                             // --time; "": all of it
  const analyze::StepsResult* steps = nullptr;  // null: they weren't looked for
  size_t top_ops = 5;                           // a side
  Unit unit = Unit::kAuto;
};

// `result` is an op table by op, sorted by self time; it, `files` and the steps must outlive the document.
// `scopes` is the tree by scope of the same ops.
Document SummaryDocument(const analyze::OpsResult& result, const analyze::TreeResult& scopes,
                         const std::vector<analyze::FileInventory>& files, const ReportContext& context,
                         const SummaryReportOptions& options);

}  // namespace tfprof::report
