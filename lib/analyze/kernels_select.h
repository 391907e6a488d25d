// Which kernel rows are shown: --by, --include, --exclude, --limit.
//
// By kernel, launches of one kernel are one row, whatever their geometry and op; by op, all kernels of an op are. Filters
// look at what a row prints: by launch at the kernel's name and the op's, else at the key alone (RE2, anywhere in the
// name). Rows that a limit cuts are summed in `others`; shares stay those of all kernels.
#pragma once

#include <string>
#include <vector>

#include "analyze/kernels.h"
#include "base/diagnostics.h"

namespace tfprof::analyze {

struct KernelSelection {
  KernelsBy by = KernelsBy::kLaunch;
  std::vector<std::string> include, exclude;  // patterns that compile
  uint64_t limit = 0;                         // 0: all
};

// In place. Adds `rows-limited` if rows were cut.
void SelectKernels(const KernelSelection& selection, KernelsResult* result, Diagnostics* diagnostics);

}  // namespace tfprof::analyze
