// What a moment of a step is spent with, when several things happen at once: the activity of the highest rank has it.
//
// `Sweep` cuts a step's spans into elementary intervals and gives each to one activity, so the activities of a step
// never count a moment twice. Times are picoseconds on a scale that the caller chooses; only order and distance count.
// Reference: other_tools.md §3, and §10 for what differs when right.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

struct TimeSpan {
  uint64_t begin_ps = 0, end_ps = 0;
  uint64_t length_ps() const { return end_ps - begin_ps; }
};

struct ActivitySpan {
  TimeSpan time;
  StepActivity activity = StepActivity::kOther;
};

struct StepParts {
  std::array<uint64_t, kStepActivities> ps{};        // within the step
  std::array<uint64_t, kStepActivities> whole_ps{};  // also what lies outside it
  std::array<bool, kStepActivities> present{};       // some interval has it, be it of no length or outside the step

  uint64_t of(StepActivity activity) const { return ps[static_cast<size_t>(activity)]; }
  uint64_t& of(StepActivity activity) { return ps[static_cast<size_t>(activity)]; }
  bool has(StepActivity activity) const { return present[static_cast<size_t>(activity)]; }
};

// What no span covers is kOther. The parts add up to the length of `step`. As XProf does, a span without length can
// hold its activity until the next one of that activity ends; leave such out for the right answer.
StepParts Sweep(const std::vector<ActivitySpan>& spans, TimeSpan step);

}  // namespace tfprof::analyze
