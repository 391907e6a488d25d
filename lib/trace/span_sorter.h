// Sorts any number of spans by lane and nesting order within bounded memory: what doesn't fit waits in an unlinked
// file.
//
// Made for lanes that are nearly in order, or of a few ordered pieces one behind the other (a thread's Python frames,
// then its ops): those cost one pass and a merge, no sorting.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/temp_file.h"

namespace tfprof::trace {

// An event waiting to be sorted. Order: lane, start ascending, duration descending, order of arrival.
struct WaitingSpan {
  uint32_t lane = 0;
  uint32_t op = 0;
  int64_t start_ps = 0;
  int64_t duration_ps = 0;
  uint64_t arrival = 0;  // set by the sorter; spans with kLast come after all others that are equal
};

class SpanSorter {
 public:
  static constexpr size_t kSpansInMemory = size_t{1} << 19;  // 16 MiB, and as much again to sort them

  explicit SpanSorter(std::string temp_dir) : temp_dir_(std::move(temp_dir)) {}

  static constexpr uint64_t kLast = uint64_t{1} << 63;

  // `last`: after all spans of equal lane, start and duration that are added without it.
  Status Add(WaitingSpan span, bool last = false);
  // Visits all spans in order, once.
  Status Finish(const std::function<void(const WaitingSpan&)>& visit);
  uint64_t size() const { return arrivals_; }

 private:
  void SortMemory();
  bool GatherLanes();
  Status WriteRun();

  std::string temp_dir_;
  std::vector<WaitingSpan> memory_, scratch_;
  TempFile file_;
  std::vector<uint64_t> run_ends_;  // byte offsets of sorted runs in the file
  uint64_t arrivals_ = 0;
};

}  // namespace tfprof::trace
