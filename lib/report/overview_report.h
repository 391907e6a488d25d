// The document of `overview`: step time and what it went into, input-bound or not, top ops, run environment, advice
// that names the number it rests on; schemas/overview-1.schema.json.
//
// Strict: what the files can't tell is null. Compat: XProf's figures, 0 where it shows 0. Reference: other_tools.md §5,
// §10.
#pragma once

#include <optional>
#include <string>

#include "analyze/ops_result.h"
#include "analyze/steps_result.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"

namespace tfprof::report {

struct OverviewReportOptions {
  Unit unit = Unit::kAuto;  // of times in sentences
};

// `ops`: all rows, shares without idle. Reads from it as long as it lives; the rest is copied.
Document OverviewDocument(const analyze::OpsResult& ops, const analyze::StepsResult& steps,
                          const ReportContext& context, const OverviewReportOptions& options);

}  // namespace tfprof::report
