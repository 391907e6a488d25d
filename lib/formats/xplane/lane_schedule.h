// In which order lanes are read, and by whom, so that all threads are busy until the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/xplane/lane_plan.h"

namespace tfprof::xplane {

struct LaneTask {
  size_t plane, lane;  // in FilePlan::planes, and in lanes of that
};

struct LaneSchedule {
  // Each read on one thread and counted on another, one after the other, before all others.
  std::vector<LaneTask> giants;
  // Shared by all threads. Planes one after the other, so that each thread's names of a plane are made once; the largest
  // plane and in it the largest lane first.
  std::vector<LaneTask> shared;
  uint64_t bytes = 0;  // of all lanes
};

LaneSchedule ScheduleLanes(const FilePlan& plan, size_t threads);

}  // namespace tfprof::xplane
