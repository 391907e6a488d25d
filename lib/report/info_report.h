// The document of `info`: what is in each file — planes, lanes, counts, spans, and texts the profiler stored — in the
// contract of schemas/info-1.schema.json.
//
// Times are from the trace's start, as --time counts; what no event tells is null. CSV, TSV and JSON Lines have one record a plane.
#pragma once

#include <cstddef>
#include <vector>

#include "analyze/inventory.h"
#include "report/document.h"
#include "report/envelope.h"

namespace tfprof::report {

struct InfoReportOptions {
  size_t lanes_per_plane = 8;  // shown to people: those with most events, the others summed; 0: all
};

// Reads from `files` as long as it lives; the context is copied.
Document InfoDocument(const std::vector<analyze::FileInventory>& files, const ReportContext& context,
                      const InfoReportOptions& options = {});

}  // namespace tfprof::report
