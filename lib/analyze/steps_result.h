// Steps as a value: what `steps` prints, and what `input` and `overview` conclude from.
//
// Times are picoseconds. Rows are in order of hosts, then of groups. Reference: other_tools.md §3, §10.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/ops_result.h"
#include "analyze/step_activity.h"
#include "analyze/step_coverage.h"

namespace tfprof::analyze {

// What the rows are.
enum class StepKind : uint8_t {
  kNone,  // there is none
  kStep,  // the program marked them
  kCall,  // calls of functions, or groups of work on a device: the file has no step markers
};

struct StepRow {
  std::string name, host;
  uint32_t file = 0;
  int64_t group = 0;
  int64_t start_ps = 0;  // strict: from the trace's start, if the reader was asked for it; else from the file's base
  uint64_t total_ps = 0;
  int64_t host_from_ps = 0, host_to_ps = 0;  // strict: of the host's markers; without any, the step
  StepParts parts;
  std::optional<uint64_t> device_idle_ps;  // no device did anything for the step; empty: the file has no device work
  bool perhaps_incomplete = false;         // the trace may have cut it: no marker of the host's bounds it at that edge

  uint64_t of(StepActivity activity) const { return parts.of(activity); }
  uint64_t compute_ps() const { return of(StepActivity::kCompute16) + of(StepActivity::kCompute32); }
  uint64_t input_ps() const { return of(StepActivity::kWaitInput) + of(StepActivity::kHostToDevice); }
  uint64_t host_compute_ps() const { return of(StepActivity::kHostCompute); }
};

// Device compute time by the width that a kernel's name or shapes tell.
struct Precision {
  uint64_t bits8_ps = 0, bits16_ps = 0, bits32_ps = 0, unknown_ps = 0;
  uint64_t known_ps() const { return bits8_ps + bits16_ps + bits32_ps; }
  void Add(const Precision& other) {
    bits8_ps += other.bits8_ps;
    bits16_ps += other.bits16_ps;
    bits32_ps += other.bits32_ps;
    unknown_ps += other.unknown_ps;
  }
};

struct StepsResult {
  Compat compat = Compat::kNone;
  StepKind kind = StepKind::kNone;
  bool has_gpu = false, has_tpu = false;
  uint64_t devices = 0;
  std::string device_type = "CPU";  // of the first device
  std::vector<StepRow> rows;
  std::vector<uint64_t>
      slowest_ps;         // step times of a run of several hosts as XProf sums them up; else those of the rows
  uint64_t left_out = 0;  // steps that XProf doesn't show (compat)
  Precision precision;
  StepCoverage coverage;                // strict only
  std::optional<double> enqueue_ratio;  // of the time between two enqueues of a thread, that which the first took
};

}  // namespace tfprof::analyze
