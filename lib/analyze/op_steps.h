// Self time and occurrences of each op in each step: what comparisons of runs rest on.
//
// Times are picoseconds. A moment of a lane belongs to the op that began last there (self_time.h) and to one step at
// most, so that Σ self_ps over the steps + outside_self_ps is the op table's Σ self. Steps of one name on several hosts
// are one step: its self times are summed over the hosts, its total is the longest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/ops_result.h"

namespace tfprof::analyze {

struct StepTime {
  std::string name;      // as `steps` prints it
  std::string host;      // the only one that has it; "" when several do
  int64_t start_ps = 0;  // as StepRow's (of the first host that has it)
  int64_t total_ps = 0;  // as `steps` gives it
  bool cut = false;      // at an edge of the trace of some host, which may have cut it
};

struct OpStepsResult {
  struct Op {
    Side side = Side::kHost;
    std::string op_type, op_name;
    std::vector<int64_t> self_ps;      // by step; 0 where it did not run
    std::vector<int64_t> occurrences;  // likewise; an event counts in the step in which it begins
  };
  std::vector<StepTime> steps;  // in order of their starts
  std::vector<Op> ops;          // device before host, then by type and name
  int64_t outside_self_ps = 0;  // of all ops, in no step
};

}  // namespace tfprof::analyze
