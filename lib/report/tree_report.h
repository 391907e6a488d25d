// The document of `tree`: an op tree, in the contract of schemas/tree-1.schema.json.
//
// For people one table, the names behind tree lines, with the columns of the sides that have time; below it what the
// shares are of and what the columns mean. `launched_device_us` is null where no file tells who launched what.
#pragma once

#include <optional>

#include "analyze/op_tree.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"
#include "report/run_shape.h"

namespace tfprof::report {

struct TreeReportOptions {
  std::optional<analyze::Side> side;  // as selected
  RunShape shape;
  Unit unit = Unit::kAuto;  // of times in sentences
};

// "scope", "call", "type".
std::string_view TreeByName(analyze::TreeBy by);

// `ops` tells the totals that the tree adds up to. Both must outlive the document; the context is copied.
Document TreeDocument(const analyze::TreeResult& tree, const analyze::OpsResult& ops, const ReportContext& context,
                      const TreeReportOptions& options);

}  // namespace tfprof::report
