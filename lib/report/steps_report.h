// The document of `steps`: a row for each step and what its time went into, in the contract of
// schemas/steps-1.schema.json.
//
// Strict: what the files can't tell is null (device columns where no device took part). Compat: 0, as XProf shows it.
#pragma once

#include "analyze/steps_result.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"

namespace tfprof::report {

struct StepsReportOptions {
  Unit unit = Unit::kAuto;  // of times in sentences
};

// Reads from `result` as long as it lives; the context is copied.
Document StepsDocument(const analyze::StepsResult& result, const ReportContext& context,
                       const StepsReportOptions& options);

// Means, deviations and quantiles over the steps, by column: an object for JSON.
Value StepSummaryValue(const analyze::StepsResult& result);

}  // namespace tfprof::report
