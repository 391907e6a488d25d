// Sentences that say which few ops make up a change: the first thing a person wants to read.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"

namespace tfprof::compare {

// `comparison` is complete but for `explained`. None where nothing changed.
std::vector<std::string> Explain(const Comparison& comparison);

}  // namespace tfprof::compare
