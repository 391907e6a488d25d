// What one run is reduced to before it is compared: a small value that can be saved (baseline.h) and made again from
// a saved op table (saved_table.h). Never the trace itself.
//
// Times are picoseconds. A run of several hosts is one: self times are summed over hosts, a step lasts as long as on
// its slowest host. Per-step figures are medians over the steps that remain when warm-up is dropped; where the run has
// no steps (a saved table, a trace without markers) they are absent, never 0.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/lane.h"

namespace tfprof::compare {

struct OpKey {
  trace::Side side = trace::Side::kHost;
  std::string op_type, op_name;
  auto operator<=>(const OpKey&) const = default;
};

struct OpFigures {
  OpKey key;
  uint64_t occurrences = 0;  // of the whole run, as `ops` counts
  int64_t self_ps = 0, total_ps = 0;
  std::optional<double> self_per_step_ps;      // median over steps
  std::optional<double> occurrences_per_step;  // likewise
};

// Step times of the run, warm-up dropped.
struct StepFigures {
  uint64_t count = 0;
  uint64_t warm_up = 0;  // steps that were left out: the first ones, and those that an edge of the trace may have cut
  double mean_ps = 0, median_ps = 0, p95_ps = 0, min_ps = 0, max_ps = 0, stddev_ps = 0;
  bool marked = true;     // the program marked them; false: calls of functions stand in
  bool hold_work = true;  // false: more than half of all op time lies outside, so they don't tell how long a step takes
};

struct SideFigures {
  int64_t span_ps = 0, busy_ps = 0, idle_ps = 0, sum_self_ps = 0, unattributed_ps = 0;
  uint64_t lanes = 0;
};

// What must be equal for a comparison to mean something; "" and 0 where the source doesn't tell.
struct Environment {
  std::string kind;         // of the input, as `info` names it; "baseline", "op table"
  std::string device_type;  // "CPU", "GPU NVIDIA A100", "TPU v4"
  std::string framework;    // name and version, where the trace tells it
  uint64_t hosts = 0, devices = 0;
};

struct RunProfile {
  std::string label;  // as a user would name the run: the path as typed, or its name in the baseline
  Environment environment;
  std::vector<OpFigures> ops;  // sorted by key; without IDLE rows
  std::optional<StepFigures> steps;
  SideFigures host, device;
  std::vector<std::pair<std::string, uint64_t>> memory_peaks;  // allocator and bytes; empty: the trace doesn't tell
  std::optional<uint64_t> kernel_launches;                     // GPU kernels of the run
  std::optional<double> input_fraction;                        // of step time spent waiting for input, 0 to 1
  std::string bottleneck;                                      // "host", "both", "device", "unknown"; "": not told
  bool damaged = false;                                        // something couldn't be read
  std::vector<std::pair<std::string, uint64_t>> diagnostics;   // code and count
};

}  // namespace tfprof::compare
