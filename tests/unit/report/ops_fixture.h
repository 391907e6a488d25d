// Op tables made by hand for the tests of reports: rows by side, with ranks, shares and totals as the reducer makes
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/ops_result.h"

namespace tfprof {

inline constexpr __int128 kPsPerMicrosecond = 1'000'000;

struct RowSpec {
  analyze::Side side;
  std::string op_type, op_name;
  uint64_t occurrences;
  __int128 total_ps, self_ps;
};

inline RowSpec DeviceOp(std::string type, std::string name, uint64_t n, int64_t total_us, int64_t self_us) {
  return {analyze::Side::kDevice,     std::move(type), std::move(name), n, total_us * kPsPerMicrosecond,
          self_us * kPsPerMicrosecond};
}
inline RowSpec HostOp(std::string type, std::string name, uint64_t n, int64_t total_us, int64_t self_us) {
  return {analyze::Side::kHost,       std::move(type), std::move(name), n, total_us * kPsPerMicrosecond,
          self_us * kPsPerMicrosecond};
}
inline RowSpec Idle(analyze::Side side, int64_t us) {
  return {side, "IDLE", "IDLE", 0, us * kPsPerMicrosecond, us * kPsPerMicrosecond};
}

// Rows in the order given (device first, as the contract wants), ranked; shares are of all self time of the side.
inline analyze::OpsResult MakeResult(const std::vector<RowSpec>& specs) {
  analyze::OpsResult result;
  __int128 all[2] = {0, 0}, running[2] = {0, 0};
  for (const RowSpec& spec : specs) all[spec.side == analyze::Side::kHost] += spec.self_ps;
  for (const RowSpec& spec : specs) {
    const int side = spec.side == analyze::Side::kHost;
    analyze::SideTotals& totals = side == 1 ? result.host : result.device;
    totals.lanes = 1;
    totals.span_ps += spec.self_ps;
    analyze::OpsRow row;
    row.idle = spec.op_type == "IDLE";
    (row.idle ? totals.idle_ps : totals.sum_self_ps) += spec.self_ps;
    if (!row.idle) totals.busy_ps += spec.self_ps;
    row.rank = static_cast<int>(result.rows.size()) + 1;
    row.side = spec.side;
    row.op_type = spec.op_type;
    row.op_name = spec.op_name;
    row.occurrences = spec.occurrences;
    row.total_ps = spec.total_ps;
    row.self_ps = spec.self_ps;
    running[side] += spec.self_ps;
    if (all[side] > 0) {
      row.self_fraction = static_cast<double>(spec.self_ps) / static_cast<double>(all[side]);
      row.cumulative_fraction = static_cast<double>(running[side]) / static_cast<double>(all[side]);
    }
    result.rows.push_back(std::move(row));
  }
  result.total_rows = result.rows.size();
  return result;
}

// The worked example of the reference (csv.md §5).
inline analyze::OpsResult WorkedExample() {
  using analyze::Side;
  return MakeResult({Idle(Side::kDevice, 40), DeviceOp("MatMul", "a/MatMul", 1, 30, 30),
                     DeviceOp("Relu", "b/Relu", 1, 30, 30), HostOp("MatMul", "a/MatMul", 1, 10, 6),
                     HostOp("Cast", "c/Cast", 1, 4, 4), Idle(Side::kHost, 0)});
}

}  // namespace tfprof
