// The document of `baseline show` (and of what `save` and `add` wrote): the runs that a baseline holds, in the contract
// of schemas/baseline-runs-1.schema.json. The baseline itself is compare::WriteBaseline's.
#pragma once

#include <string>

#include "compare/baseline.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"

namespace tfprof::report {

// `name`: of the file. Reads from `baseline` as long as it lives.
Document BaselineDocument(const compare::Baseline& baseline, const std::string& name, const ReportContext& context,
                          Unit unit);

}  // namespace tfprof::report
