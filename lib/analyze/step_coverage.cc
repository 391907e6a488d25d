#include "analyze/step_coverage.h"

#include <algorithm>
#include <utility>

namespace tfprof::analyze {
namespace {

// Sorts, and joins what touches.
void Join(std::vector<TimeSpan>* spans) {
  if (spans->empty()) return;
  std::sort(spans->begin(), spans->end(), [](const TimeSpan& a, const TimeSpan& b) { return a.begin_ps < b.begin_ps; });
  size_t last = 0;
  for (size_t i = 1; i < spans->size(); ++i) {
    const TimeSpan& span = (*spans)[i];
    if (span.begin_ps <= (*spans)[last].end_ps) {
      (*spans)[last].end_ps = std::max((*spans)[last].end_ps, span.end_ps);
    } else {
      (*spans)[++last] = span;
    }
  }
  spans->resize(last + 1);
}

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

void StepCoverageMeter::AddWork(TimeSpan time) {
  if (!work_.empty() && work_.back().begin_ps <= time.begin_ps && time.begin_ps <= work_.back().end_ps) {
    work_.back().end_ps = std::max(work_.back().end_ps, time.end_ps);
    return;
  }
  work_.push_back(time);
  if (work_.size() < join_at_) return;
  Join(&work_);
  join_at_ = std::max(join_at_, 2 * work_.size());
}

StepCoverage StepCoverageMeter::Measure(std::vector<TimeSpan> steps) && {
  StepCoverage coverage;
  if (steps.empty()) return coverage;
  Join(&work_);
  Join(&steps);
  TimeSpan trace{steps.front().begin_ps, steps.back().end_ps};
  coverage.in_steps_ps = LengthOf(steps);
  coverage.between_ps = trace.length_ps() - coverage.in_steps_ps;
  if (!work_.empty()) {
    trace.begin_ps = std::min(trace.begin_ps, work_.front().begin_ps);
    trace.end_ps = std::max(trace.end_ps, work_.back().end_ps);
  }
  coverage.trace_ps = trace.length_ps();
  coverage.work_outside_ps = LengthOf(work_) - CommonTime(work_, steps);
  return coverage;
}

}  // namespace tfprof::analyze
