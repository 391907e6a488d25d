// The document of `ops`: the op table of an OpsResult, in the contract of schemas/ops-1.schema.json.
//
// For people each side has its table under a heading, and plain sentences below on busy and idle time, time that no op
// claims, what the shares are of, and data quality. CSV in a compatible mode by op and with the default columns is the
// official one, byte for byte (reference: csv.md); everything else is written from our own rows.
#pragma once

#include <optional>

#include "analyze/ops_result.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"
#include "report/ops_columns.h"
#include "report/run_shape.h"

namespace tfprof::report {

struct OpsReportOptions {
  OpsColumnChoice columns;        // of ChooseOpsColumns
  std::optional<RunShape> shape;  // tells the headings how many devices and hosts there are
  Unit unit = Unit::kAuto;        // of times in sentences
};

// Reads from `result` as long as it lives; the context is copied.
Document OpsDocument(const analyze::OpsResult& result, const ReportContext& context, const OpsReportOptions& options);

// The members of `totals`; the device's have unattributed_us.
Value TotalsValue(const analyze::OpsResult& result);

}  // namespace tfprof::report
