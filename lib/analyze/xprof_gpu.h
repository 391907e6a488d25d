// Device ops of a GPU plane as XProf counts them (reference: op_stats.md §3).
//
// Every kernel of a framework op counts in full, under `op/kernel`; kernels of an HLO instruction that follow each other in
// one group of a line are a batch. Nothing nests or overlaps: streams add up. The window is that of the offsets alone.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analyze/xprof_op_set.h"
#include "trace/xprof_events.h"

namespace tfprof::analyze {

class XprofGpuPlane {
 public:
  void Add(std::span<const trace::XprofEvent> events, const trace::XprofNames& names);
  void EndLine(const trace::XprofNames& names);
  // Adds the plane to `device` and forgets it.
  void Finish(XprofOpSet* device);

 private:
  // Kernels of one HLO instruction; what they do not add up is that of the first, flops and bytes are those told last.
  struct Batch {
    uint32_t op = trace::XprofEvent::kNone;
    bool eager = false;
    int64_t group = 0;
    uint64_t occurrences = 0, time_ps = 0, flops = 0, bytes = 0;
  };

  void AddToBatch(const trace::XprofEvent& event, const trace::XprofNames& names);
  void Flush(const trace::XprofNames& names);
  void Enter(const Batch& counted, const trace::XprofNames& names);

  XprofOpSet ops_;
  std::vector<XprofOpSet::Entry*> entries_;  // by op
  Batch batch_;
  uint64_t op_ps_ = 0;
  int64_t first_ps_ = std::numeric_limits<int64_t>::max(), last_ps_ = 0;
};

}  // namespace tfprof::analyze
