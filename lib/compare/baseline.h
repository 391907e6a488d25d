// A baseline: the profiles of runs that were good, in one small text file (JSON, one op a line, sorted, so that two
// branches can be merged). `schemas/baseline-1.schema.json` pins it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compare/run_profile.h"

namespace tfprof::compare {

struct Baseline {
  std::vector<RunProfile> runs;  // oldest first
};

// An Error names what is wrong and where: no JSON, another schema, a field missing or of another type.
Result<Baseline> ParseBaseline(std::string_view text);
std::string WriteBaseline(const Baseline& baseline);

}  // namespace tfprof::compare
