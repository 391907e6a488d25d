// Whether something eager may reach an op: the cheap look that spares most files the event graph.
//
// What can be below an EagerExecute lies within it in time on its line, or is linked to what does. A compiled training
// step runs no op there and links nothing from there, so while its lanes are read anyway this finds out that no op is
// eager.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "formats/xplane/event.h"
#include "formats/xplane/event_kind.h"
#include "formats/xplane/event_scan.h"
#include "formats/xplane/layout.h"
#include "formats/xplane/xprof_stats.h"

namespace tfprof::xplane {

// What may be eager in a file, or lead to it: merged over lines, planes and threads.
struct EagerHints {
  bool reaches_op = false;                        // an op, a launch or an executor lies within an eager EagerExecute
  std::set<std::pair<uint64_t, uint64_t>> flows;  // (context type, id) made within one; processes may differ

  void Merge(const EagerHints& other) {
    reaches_op = reaches_op || other.reaches_op;
    flows.insert(other.flows.begin(), other.flows.end());
  }
};

class EagerReach {
 public:
  explicit EagerReach(const Plane& plane, trace::NumberSlots numbers = trace::NumberSlots::kTyped);

  // Whether a plane can hold an EagerExecute at all.
  static bool Concerns(const Plane& plane);

  const StatFilter& filter() const { return stats_.filter(); }
  void StartLine(const Line& line) {
    line_ = &line;
    open_ = false;
  }
  // Events of the line in file order, with the stats of filter().
  void See(const EventBlock& block) {
    if (!open_ && !HoldsEagerExecute(block)) return;
    for (size_t i = 0; i < block.size; ++i) See(block[i]);
  }
  void See(const Event& event) {
    const bool eager =
        std::find(eager_execute_ids_.begin(), eager_execute_ids_.end(), event.metadata_id) != eager_execute_ids_.end();
    if (eager || (open_ && WrappingBegin(*line_, event) <= eager_end_ps_)) Look(event);
  }
  const EagerHints& hints() const { return hints_; }

 private:
  // Without a branch for each event: nearly every block of a compiled step holds none.
  bool HoldsEagerExecute(const EventBlock& block) const {
    bool found = false;
    for (const int64_t id : eager_execute_ids_) {
      for (size_t i = 0; i < block.size; ++i) found |= block.metadata_id[i] == id;
    }
    return found;
  }
  void Look(const Event& event);

  const Plane& plane_;
  XprofStats stats_;
  const std::vector<int64_t> eager_execute_ids_;
  std::vector<EventKind> kinds_;  // by metadata index; made when first needed
  const Line* line_ = nullptr;
  bool open_ = false;
  uint64_t eager_end_ps_ = 0;
  EagerHints hints_;
};

// Whether any event takes one of the flows.
bool AnyEventTakes(const Layout& layout, const EagerHints& hints,
                   trace::NumberSlots numbers = trace::NumberSlots::kTyped);

}  // namespace tfprof::xplane
