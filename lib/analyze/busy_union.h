// The union of the busy intervals of many lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/intervals.h"

namespace tfprof::analyze {

struct BusyTime {
  uint64_t span_ps = 0;  // from the first start to the last end
  uint64_t busy_ps = 0;
};

// Collects lists and keeps them until somebody must know: writing a merged list costs more than merging. Every kWays
// lists of one level become one of the next, so that 100,000 lanes cost n log n.
class BusyUnion {
 public:
  static constexpr size_t kWays = 16;

  void Add(IntervalList list);
  void Merge(BusyUnion other);

  // Merges what it holds, for memory's sake or on a thread that adds no more; a list that is much longer than all others
  // together stays as it is.
  void Settle();
  // Of the union of all that was added.
  BusyTime Measure(unsigned threads = 1) &&;
  // A measure of how much it holds.
  size_t words() const;

 private:
  void Put(size_t level, IntervalList list);
  std::vector<IntervalList> TakeAll();

  std::vector<std::vector<IntervalList>> levels_;  // fewer than kWays each; the last level may hold one large list
};

}  // namespace tfprof::analyze
