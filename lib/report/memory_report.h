// The document of `memory`: each allocator's peak, what was alive then, and its use over time, in the contract of
// schemas/memory-1.schema.json. Bytes are bytes and times microseconds; rows (CSV, JSON Lines) are what was alive at the
// peaks, with the host and the id of the allocator.
#pragma once

#include "analyze/memory.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"

namespace tfprof::report {

// Reads from `result` as long as it lives.
Document MemoryDocument(const analyze::MemoryResult& result, const ReportContext& context, Unit unit);

}  // namespace tfprof::report
