// What a timeline tells of memory, as the events that MemoryStats takes (analyze/memory.h).
//
// TF1 with show_memory: each tensor is an object, made (N) when its node began and gone (D) after its last use; what it
// takes is in the text of its snapshot (O). What an allocator holds is summed over them in the order in which
// tf.timeline does it (time, frees before allocations, name), so that it equals the counters of the file. Kineto with
// profile_memory: instants `[memory]` with the bytes taken or given back and what is allocated and reserved after it.
// Reference: chrome_trace.md (a), (c).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/chrome/dialect.h"
#include "formats/chrome/event_index.h"
#include "trace/event_stream.h"

namespace tfprof::chrome {

struct MemoryMoment {
  int64_t at_ps = 0;
  bool allocation = true;
  uint64_t address = 0;
  int64_t allocation_bytes = 0, requested_bytes = 0;
  int64_t used_bytes = 0;  // after it
  int64_t free_bytes = 0;  // reserved and not used
  bool tells_free = false;
  std::string allocator, op_name, data_type, shape;
};

// In order of time.
std::vector<MemoryMoment> MemoryOf(std::string_view text, const EventIndex& index, Dialect dialect);

// The stats of a moment, under their names in an XSpace.
class MomentStats : public trace::EventStats {
 public:
  void Point(const MemoryMoment* moment) { moment_ = moment; }
  trace::StatValue First(trace::EventStat stat) const override;
  trace::StatValue Last(trace::EventStat stat) const override { return First(stat); }
  trace::EventStat LatestOf(std::initializer_list<trace::EventStat> stats) const override;
  trace::HloOrigin Hlo() const override { return {}; }

 private:
  const MemoryMoment* moment_ = nullptr;
};

}  // namespace tfprof::chrome
