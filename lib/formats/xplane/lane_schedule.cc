#include "formats/xplane/lane_schedule.h"

#include <algorithm>
#include <numeric>

namespace tfprof::xplane {
namespace {

constexpr uint64_t kLeastGiantBytes = uint64_t{8} << 20;

std::vector<LaneTask> LargestFirst(const FilePlan& plan) {
  std::vector<size_t> planes(plan.planes.size());
  std::iota(planes.begin(), planes.end(), size_t{0});
  std::stable_sort(planes.begin(), planes.end(),
                   [&](size_t a, size_t b) { return plan.planes[a].bytes > plan.planes[b].bytes; });
  std::vector<LaneTask> tasks;
  for (const size_t plane : planes) {
    const std::vector<LanePlan>& lanes = plan.planes[plane].lanes;
    const size_t first = tasks.size();
    for (size_t lane = 0; lane < lanes.size(); ++lane) tasks.push_back({plane, lane});
    std::stable_sort(tasks.begin() + static_cast<ptrdiff_t>(first), tasks.end(),
                     [&](const LaneTask& a, const LaneTask& b) { return lanes[a.lane].bytes > lanes[b.lane].bytes; });
  }
  return tasks;
}

}  // namespace

// A lane read on two threads takes some three fifths of its time, but no other is read meanwhile. That is worth it where
// the largest lane alone would keep one thread busy long after the others are done.
LaneSchedule ScheduleLanes(const FilePlan& plan, size_t threads) {
  const auto bytes_of = [&](const LaneTask& task) { return plan.planes[task.plane].lanes[task.lane].bytes; };
  LaneSchedule schedule{.shared = LargestFirst(plan)};
  std::vector<LaneTask>& shared = schedule.shared;
  for (const LaneTask& task : shared) schedule.bytes += bytes_of(task);
  if (threads < 2) return schedule;
  std::vector<LaneTask> by_size = shared;
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](const LaneTask& a, const LaneTask& b) { return bytes_of(a) > bytes_of(b); });
  uint64_t left = schedule.bytes;
  for (size_t i = 0; i < by_size.size(); ++i) {
    const uint64_t largest = bytes_of(by_size[i]);
    const uint64_t next = i + 1 < by_size.size() ? bytes_of(by_size[i + 1]) : 0;
    const uint64_t as_others = std::max(largest, left / threads);
    const uint64_t as_giant = largest * 3 / 5 + std::max(next, (left - largest) / threads);
    if (largest < kLeastGiantBytes || as_giant >= as_others) break;
    schedule.giants.push_back(by_size[i]);
    left -= largest;
  }
  std::erase_if(shared, [&](const LaneTask& task) {
    return std::any_of(schedule.giants.begin(), schedule.giants.end(), [&](const LaneTask& giant) {
      return giant.plane == task.plane && giant.lane == task.lane;
    });
  });
  return schedule;
}

}  // namespace tfprof::xplane
