// How much of a file's time its steps cover, and how much work lies outside of them.
//
// Where a program hands its work to other threads and goes on (JAX does), the markers of steps are over before the work
// begins; where it fetches input between two steps, waiting for input lies in none. Both are told by what this
// measures: ops of the host and events of devices against the steps, as unions of intervals. Times are picoseconds on
// the scale of TimeSpan. Memory: the union of the work.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/step_activity.h"

namespace tfprof::analyze {

// Of all files of a run, added up.
struct StepCoverage {
  uint64_t trace_ps = 0;         // from the first work or step to the end of the last
  uint64_t in_steps_ps = 0;      // of that, in some step
  uint64_t between_ps = 0;       // between two steps
  uint64_t work_outside_ps = 0;  // some op or device at work, and no step

  uint64_t outside_ps() const { return trace_ps - in_steps_ps; }
  // Most of the work lies outside: what the steps last says nothing about how long it took.
  bool misses_the_work() const { return work_outside_ps > in_steps_ps; }
  // Of the time from the first step's begin to the last one's end.
  double between_fraction() const {
    const uint64_t whole = in_steps_ps + between_ps;
    return whole == 0 ? 0 : static_cast<double>(between_ps) / static_cast<double>(whole);
  }
  void Add(const StepCoverage& other);
};

class StepCoverageMeter {
 public:
  // An op on the host, or an event of a device.
  void AddWork(TimeSpan time) { work_.Add(time); }
  void Merge(const StepCoverageMeter& other) { work_.Merge(other.work_); }
  // `all_steps` may overlap. Without one nothing is covered.
  StepCoverage Measure(const std::vector<TimeSpan>& all_steps) &&;

 private:
  SpanUnion work_;
};

}  // namespace tfprof::analyze
