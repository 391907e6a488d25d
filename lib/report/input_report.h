// The document of `input`: is training waiting for input, and what the host does for it; schemas/input-1.schema.json.
#pragma once

#include "analyze/input_analysis.h"
#include "analyze/ops_result.h"
#include "analyze/steps_result.h"
#include "analyze/tf_data_result.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"

namespace tfprof::report {

struct InputReportOptions {
  Unit unit = Unit::kAuto;  // of times in sentences
};

// Reads from `ops` as long as it lives; the rest is copied.
Document InputDocument(const analyze::OpsResult& ops, const analyze::StepsResult& steps,
                       const analyze::TfDataResult& tf_data, const ReportContext& context,
                       const InputReportOptions& options);

}  // namespace tfprof::report
