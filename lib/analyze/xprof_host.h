// Self time of host ops as XProf computes it, with all that it loses (reference: op_stats.md §2.2, §2.3).
//
// All begins and ends of a line are taken in order of time, equal times in order of the file, and run over a stack. An end
// pops what lies above its own begin, for good; an end whose begin is gone empties the stack. So ops that end together
// with their parent, identical spans and overlapping ones are lost, and often their ancestors too.
// A line whose events are in order takes memory for its open events only; any other is held and sorted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/xprof_op_set.h"
#include "trace/xprof_events.h"

namespace tfprof::analyze {

class XprofHostPlane {
 public:
  void BeginLine(bool in_order);
  void Add(std::span<const trace::XprofEvent> events);
  void EndLine();
  // Adds the plane to `host` and forgets it.
  void Finish(const trace::XprofNames& names, XprofOpSet* host);

  uint64_t lanes() const { return lanes_; }  // lines with op events so far

 private:
  struct Open {
    uint32_t number;  // of the event on its line
    uint64_t begin_ps, children_ps;
  };
  struct End {
    uint64_t time_ps;
    uint32_t number;
    uint32_t op;
    bool eager;
  };
  static bool IsLater(const End& a, const End& b) {
    return a.time_ps != b.time_ps ? a.time_ps > b.time_ps : a.number > b.number;
  }
  struct Record {
    uint64_t time_ps = 0, self_ps = 0, occurrences = 0;
    bool eager = false;
  };

  void Stream(const trace::XprofEvent& event, uint32_t number);
  void PassEndsUntil(uint64_t time_ps);
  void PassEnd(const End& end);
  void RunHeld();

  std::vector<Record> records_;   // by op
  std::vector<uint32_t> order_;   // ops in order of their first count; kNone stands for IDLE
  bool idle_in_order_ = false;
  uint64_t lanes_ = 0, total_ps_ = 0, op_ps_ = 0;

  // The line that is open.
  bool in_order_ = true;
  uint32_t next_number_ = 0;
  std::vector<Open> stack_;
  std::vector<End> ends_;  // a heap: the earliest end of a begun event first; equal ends in file order
  std::vector<trace::XprofEvent> held_;
  uint64_t first_ps_ = 0, last_ps_ = 0, line_op_ps_ = 0;
};

}  // namespace tfprof::analyze
