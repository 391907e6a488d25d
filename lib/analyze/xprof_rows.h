// From XProf's op metrics to the rows of its page (reference: op_stats.md §3.1, §5).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "analyze/ops_result.h"
#include "analyze/xprof_op_set.h"
#include "trace/xprof_events.h"

namespace tfprof::analyze {

// XProf shows no more rows than this on a side, IDLE included.
inline constexpr size_t kXprofRows = 500;

// Device ops (kernels, HLO instructions) as framework ops, by what their provenance names. Occurrences are the most of any
// member, the eager flag is the last one's.
XprofOpSet RegroupByFrameworkOp(const XprofOpSet& device);

// What the roofline columns of a side need beside its ops.
struct XprofRooflineInput {
  trace::XprofPeaks peaks;
  std::map<std::string, double> tensor_core_share;  // by op name; device only
};

// Rows of a side, sorted and cut, without ranks. `ops` is the set after regrouping.
std::vector<OpsRow> MakeXprofRows(const XprofOpSet& ops, Side side, bool include_idle, const XprofRooflineInput& input,
                                  size_t most_rows = kXprofRows);

}  // namespace tfprof::analyze
