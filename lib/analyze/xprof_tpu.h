// Device ops of a TPU core as XProf counts them (reference: op_stats.md §4).
//
// Ops of a line nest by containment; a parent loses the time of its direct children, also of those that are no op. Events
// that overlap a parent partly stand beside it. The window is that of the op lines and of those that only widen it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analyze/xprof_op_set.h"
#include "trace/xprof_events.h"

namespace tfprof::analyze {

class XprofTpuPlane {
 public:
  void BeginLine(bool only_window) { only_window_ = only_window; }
  void Add(std::span<const trace::XprofEvent> events, const trace::XprofNames& names);
  void EndLine(const trace::XprofNames& names);
  // Adds the plane to `device` and forgets it.
  void Finish(const trace::XprofNames& names, XprofOpSet* device);

 private:
  struct Open {
    uint64_t begin_ps, end_ps, children_ps;
    uint32_t op;
    uint64_t occurrences;
  };
  struct Counted {
    uint32_t op;  // the first with that program and symbol
    uint64_t occurrences = 0, time_ps = 0, self_ps = 0;
  };

  void PopTop(const trace::XprofNames& names);

  bool only_window_ = false;
  std::vector<Open> stack_;
  std::map<std::pair<uint64_t, uint64_t>, size_t> index_;  // (program, symbol) → place in counted_
  std::vector<Counted> counted_;                           // in order of first appearance
  uint64_t first_ps_ = std::numeric_limits<uint64_t>::max(), last_ps_ = 0;
};

}  // namespace tfprof::analyze
