// The document of `input`: is training waiting for input, and for which stage of it.
#pragma once

#include "analyze/tf_data_result.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"

namespace tfprof::report {

// The document refers to `tf_data`.
Document InputDocument(const analyze::TfDataResult& tf_data, const ReportContext& context, Unit unit);

}  // namespace tfprof::report
