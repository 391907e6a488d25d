// The op table as a value: what `ops` prints, before any format is chosen.
//
// Times are picoseconds. Rows are sorted (device before host; each side by the sort column) and carry their rank.
// The meaning of every number is in docs/numbers.md; the columns are those of TensorBoard's TensorFlow Stats page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/lane.h"

namespace tfprof::analyze {

using int128 = __int128;  // sums of picoseconds; CMake keeps -Wpedantic off for it

using trace::Side;
inline std::string_view SideName(Side side) { return side == Side::kDevice ? "Device" : "Host"; }

enum class OpsBy { kOp, kType, kScope, kHost, kDevice, kLane };
enum class Compat { kNone, kXprof, kLegacy };

// Roofline columns; filled in compat modes only (reference: op_stats.md §5). Rates in GFLOP/s and GiB/s.
struct Roofline {
  double measured_flop_rate = 0;
  double model_flop_rate = 0;
  double measured_memory_bw = 0;
  double operational_intensity = 0;
  double gpu_tensorcore_utilization = 0;
  std::string bound_by = "Unknown";
};

// Durations of single events of a row; filled when asked for (`want_distribution`). Quantiles within 1 %.
struct Distribution {
  int64_t min_ps = 0, max_ps = 0;
  double p50_ps = 0, p90_ps = 0, p99_ps = 0;
};

// What of a row lies in steps, divided by how many of these there are; filled when asked for (`want_step_means`).
struct PerStep {
  double self_ps = 0;
  double occurrences = 0;
};

struct OpsRow {
  int rank = 0;  // from 1, running on from device to host; 0 for the row of the others
  Side side = Side::kHost;
  std::string key;      // value of the --by field; empty when by op
  std::string op_type;  // "" only where the key says all
  std::string op_name;
  uint64_t occurrences = 0;
  int128 total_ps = 0;
  int128 self_ps = 0;
  double self_fraction = 0;        // of the row's own side
  double cumulative_fraction = 0;  // likewise
  bool eager = false;
  bool idle = false;  // the IDLE row of its side
  std::optional<Distribution> distribution;
  std::optional<PerStep> per_step;  // none: there are no steps, or it is idle
  std::optional<Roofline> roofline;
};

struct SideTotals {
  uint64_t lanes = 0;
  int128 span_ps = 0, busy_ps = 0, sum_self_ps = 0, idle_ps = 0;
  int128 unattributed_ps = 0;  // device only
};

// Rows that were cut by a limit or a filter on size, summed; `rows` tells how many.
struct OthersRow {
  uint64_t rows = 0;
  uint64_t occurrences = 0;
  int128 total_ps = 0, self_ps = 0;
  double self_fraction = 0;
};

struct OpsResult {
  OpsBy by = OpsBy::kOp;
  Compat compat = Compat::kNone;
  bool include_idle = true;
  bool has_gpu = false;  // compat CSV: the TensorCore column is there
  std::vector<OpsRow> rows;
  uint64_t total_rows = 0;  // before the limit
  uint64_t none_of_ops = 0;  // so many there were, and no pattern of the selection left one
  std::optional<OthersRow> others_device, others_host;
  SideTotals device, host;
};

}  // namespace tfprof::analyze
