#include "analyze/step_coverage.h"

#include <algorithm>

namespace tfprof::analyze {
namespace {

uint64_t LengthOf(const std::vector<TimeSpan>& joined) {
  uint64_t sum = 0;
  for (const TimeSpan& span : joined) sum += span.length_ps();
  return sum;
}

// How long both go on at once.
uint64_t CommonTime(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b) {
  uint64_t sum = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint64_t from = std::max(a[i].begin_ps, b[j].begin_ps), to = std::min(a[i].end_ps, b[j].end_ps);
    if (to > from) sum += to - from;
    a[i].end_ps < b[j].end_ps ? ++i : ++j;
  }
  return sum;
}

}  // namespace

void StepCoverage::Add(const StepCoverage& other) {
  trace_ps += other.trace_ps;
  in_steps_ps += other.in_steps_ps;
  between_ps += other.between_ps;
  work_outside_ps += other.work_outside_ps;
}

StepCoverage StepCoverageMeter::Measure(const std::vector<TimeSpan>& all_steps) && {
  StepCoverage coverage;
  if (all_steps.empty()) return coverage;
  SpanUnion in_steps;
  for (const TimeSpan& step : all_steps) in_steps.Add(step);
  const std::vector<TimeSpan>&work = work_.Joined(), &steps = in_steps.Joined();
  TimeSpan trace{steps.front().begin_ps, steps.back().end_ps};
  coverage.in_steps_ps = LengthOf(steps);
  coverage.between_ps = trace.length_ps() - coverage.in_steps_ps;
  if (!work.empty()) {
    trace.begin_ps = std::min(trace.begin_ps, work.front().begin_ps);
    trace.end_ps = std::max(trace.end_ps, work.back().end_ps);
  }
  coverage.trace_ps = trace.length_ps();
  coverage.work_outside_ps = LengthOf(work) - CommonTime(work, steps);
  return coverage;
}

}  // namespace tfprof::analyze
