// How long a step takes, in sentences and for JSON: the same in `steps`, `overview` and the summary.
//
// The median stands first: the mean is mostly that of the first step, which traces, compiles or fills caches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/steps_result.h"
#include "report/document.h"
#include "report/number.h"

namespace tfprof::report {

// Median, range and mean over the steps, and the slowest if it stands out; or that there is no step.
std::string StepTimeText(const analyze::StepsResult& steps, Unit unit);

// `{mean, stddev, min, p50, max}` in milliseconds; stddev is null for one step, all are where there is none.
Value StepTimeValue(const analyze::StepsResult& steps);

// A sentence for each step far above the median (by three deviations of the median kind, and by a fifth).
std::vector<Sentence> OutlierSentences(const analyze::StepsResult& steps, Unit unit);

// What lies in no step, where it matters: strict results only.
std::optional<Sentence> OutsideOfSteps(const analyze::StepsResult& steps, Unit unit);

}  // namespace tfprof::report
