// The figures of the overview: shares of the op table, and advice; made from the results of `ops` and `steps`.
//
// Strict: empty where the files can't tell. Compat: XProf's, with 0 where it shows 0. Reference: other_tools.md §5,
// §10.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/input_analysis.h"
#include "analyze/ops_result.h"
#include "analyze/steps_result.h"

namespace tfprof::analyze {

// In percent.
struct OverviewShares {
  std::optional<double> device_idle, host_idle;
  std::optional<double> device_tf_op, host_tf_op;                                     // of the occurrences of ops
  std::optional<double> host_eager, device_eager;                                     // of op time
  std::optional<double> compute_8bit, compute_16bit, compute_32bit, compute_unknown;  // of device compute time
};
OverviewShares SharesOfRun(const OpsResult& ops, const StepsResult& steps);

struct Recommendation {
  std::string_view
      kind;  // "input", "kernel_launch", "all_other", "collectives", "precision", "eager", "top_op", "step_coverage"
  std::string text;
};

struct Overview {
  OverviewShares shares;
  InputVerdict verdict;
  Side top_side = Side::kDevice;       // of top_ops: the host's where no device had ops (strict)
  std::vector<const OpsRow*> top_ops;  // at most 10, by self time
  std::vector<Recommendation> recommendations;
};
// `ops`: all rows, shares without idle. The overview refers to them.
Overview MakeOverview(const OpsResult& ops, const StepsResult& steps);

}  // namespace tfprof::analyze
