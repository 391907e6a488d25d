// What a moment of a step is spent with, when several things happen at once: the activity of the highest rank has it,
// so the activities of a step never count a moment twice.
//
// `StepActivities` keeps the union of each activity's spans. `Sweep` cuts all spans of a step into elementary intervals,
// as XProf does. Times are picoseconds on a scale that the caller chooses; only order and distance count.
// Reference: other_tools.md §3, and §10 for what differs when right.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "analyze/span_union.h"

namespace tfprof::analyze {

// By rank, lowest first.
enum class StepActivity : uint8_t {
  kOther,
  kHostCompute,
  kHostCompile,
  kHostToHost,
  kHostToDevice,
  kKernelLaunch,
  kCollectives,
  kWaitInput,
  kDeviceToDevice,
  kDeviceToHost,
  kCompute32,
  kCompute16,
  kCount
};
inline constexpr size_t kStepActivities = static_cast<size_t>(StepActivity::kCount);

struct ActivitySpan {
  TimeSpan time;
  StepActivity activity = StepActivity::kOther;
};

struct StepParts {
  std::array<uint64_t, kStepActivities> ps{};        // within the step
  // Of Sweep only.
  std::array<uint64_t, kStepActivities> whole_ps{};  // also what lies outside it
  std::array<bool, kStepActivities> present{};       // some interval has it, be it of no length or outside the step

  uint64_t of(StepActivity activity) const { return ps[static_cast<size_t>(activity)]; }
  uint64_t& of(StepActivity activity) { return ps[static_cast<size_t>(activity)]; }
  bool has(StepActivity activity) const { return present[static_cast<size_t>(activity)]; }
};

// What no span covers is kOther. The parts add up to the length of `step`. As XProf does, a span without length can
// hold its activity until the next one of that activity ends; StepActivities has the right answer.
StepParts Sweep(const std::vector<ActivitySpan>& spans, TimeSpan step);

// A reducer: what went on for a step. Spans of no length count for nothing.
class StepActivities {
 public:
  void Add(TimeSpan span, StepActivity activity) {
    if (span.begin_ps < span.end_ps) UnionOf(activity).Add(span);
  }
  void Merge(const StepActivities& other);
  // What was `from` is `to`.
  void Relabel(StepActivity from, StepActivity to);

  bool empty() const { return unions_.empty(); }
  // What no span covers is kOther. The parts add up to the length of `step`.
  StepParts Parts(TimeSpan step);
  // How long any of these went on within the step.
  uint64_t AnyOf(std::initializer_list<StepActivity> activities, TimeSpan step);

 private:
  SpanUnion& UnionOf(StepActivity activity);

  std::vector<std::pair<StepActivity, SpanUnion>> unions_;  // of the few activities that occur
};

}  // namespace tfprof::analyze
