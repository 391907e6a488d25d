// How long a step takes, in a sentence and for JSON: the same in `overview` and in the summary.
#pragma once

#include <string>

#include "analyze/steps_result.h"
#include "report/document.h"
#include "report/number.h"

namespace tfprof::report {

// Mean, deviation and range over the steps; or that there is no step.
std::string StepTimeText(const analyze::StepsResult& steps, Unit unit);

// `{mean, stddev, min, max}` in milliseconds; stddev is null for one step, all are where there is none.
Value StepTimeValue(const analyze::StepsResult& steps);

}  // namespace tfprof::report
