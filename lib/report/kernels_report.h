// The document of `kernels`: GPU kernels by launch, by kernel or by op, in the contract of
// schemas/kernels-1.schema.json. Times are microseconds; the people's table leaves out launch geometry first.
#pragma once

#include "analyze/kernels.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"

namespace tfprof::report {

// Reads from `result` as long as it lives.
Document KernelsDocument(const analyze::KernelsResult& result, const ReportContext& context, Unit unit);

}  // namespace tfprof::report
