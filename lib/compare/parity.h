// Whether two sides may be held against each other at all: devices, hosts, framework, steps, ops.
//
// A mismatch that prevents a verdict is one that explains any difference by itself: another device, another number of
// devices or hosts, hardly an op in common, or runs of another length whose figures are not per step. The others are told.
#pragma once

#include <span>
#include <vector>

#include "compare/comparison.h"

namespace tfprof::compare {

// `rows` are the ops, matched. What a run doesn't tell is no mismatch.
std::vector<Mismatch> ParityOf(std::span<const RunProfile> base, std::span<const RunProfile> next, bool per_step,
                               const std::vector<ChangeRow>& rows);

}  // namespace tfprof::compare
