// Memory of each allocator over the profile: its peak, what was alive then, its use over time.
//
// Made from the events MemoryAllocation and MemoryDeallocation of the host planes, each of which tells what the
// allocator holds after it (bytes in use, on stacks, free). A profile sees only what happened while it ran: memory that
// was allocated before is in use without an event that says for what.
//
// Strict: events in the order of time (line start + offset) over all lines of a host in a file; the peak is the first
// largest use; several files of a host (a ProfilerHook's, one a step) have clocks of their own, so peak, timeline and
// what was alive are of the one with the highest peak; alive is what was allocated and not freed up to it, whatever its
// step, and the rest of the use is said to be from before the profile; the lifetime peak is the largest that any event
// reports. Compat: XProf's memory_profile (reference: other_tools.md §6), one plane a host. Times are picoseconds from
// the trace's start, if the reader was asked for it, else the file's base (compat: from the line's start). All memory events of a run are held until the end, about 100 bytes
// each: lines come one after another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/ops_result.h"
#include "base/diagnostics.h"
#include "trace/event_stream.h"

namespace tfprof::analyze {

struct MemoryUse {
  int64_t heap_bytes = 0, stack_bytes = 0, free_bytes = 0;

  // Wraps, as XProf's does, on numbers that no machine has.
  int64_t used_bytes() const {
    return static_cast<int64_t>(static_cast<uint64_t>(heap_bytes) + static_cast<uint64_t>(stack_bytes));
  }
  int64_t capacity_bytes() const {
    return static_cast<int64_t>(static_cast<uint64_t>(used_bytes()) + static_cast<uint64_t>(free_bytes));
  }
};

struct MemoryPoint {
  int64_t time_ps = 0;
  MemoryUse use;
};

// What an allocation is for.
struct MemoryPurpose {
  std::string op_name, region_type, data_type, shape;

  auto operator<=>(const MemoryPurpose&) const = default;
};

struct MemoryRow {
  MemoryPurpose purpose;
  uint64_t occurrences = 0;
  int64_t allocation_bytes = 0, requested_bytes = 0;  // of each of them
  bool allocation = true;                             // false: a part of the use that no event explains

  int128 total_bytes() const { return static_cast<int128>(allocation_bytes) * static_cast<int128>(occurrences); }
};

struct AllocatorMemory {
  std::string host, id;
  std::string file;                 // that with the highest peak, where several files tell of the allocator
  std::optional<MemoryPoint> peak;  // none: no event tells of the use
  std::optional<double> fragmentation;
  int64_t lifetime_peak_bytes = 0, capacity_bytes = 0;
  uint64_t allocations = 0, deallocations = 0;
  uint64_t untimed = 0;                   // events out of the trace's time; not in what follows
  std::vector<MemoryRow> active_at_peak;  // largest first
  uint64_t total_rows = 0;                // before the limit
  uint64_t other_occurrences = 0;         // of the rows that it cut
  int128 other_bytes = 0;                 // likewise
  std::vector<MemoryPoint> timeline;      // in time order, 1000 points at most; peaks stay
  int64_t last_ps = 0;                    // time of the last event
  bool knows_free = true;                 // else what is free and on stacks isn't told
};

struct MemoryResult {
  Compat compat = Compat::kNone;
  std::vector<AllocatorMemory> allocators;  // by host, then id
};

// Cuts the rows of each allocator and sums the others. Adds `rows-limited` if rows were cut. 0: no limit.
void LimitMemoryRows(uint64_t limit, MemoryResult* result, Diagnostics* diagnostics);

// One memory event, as it was read.
struct MemoryEvent {
  int64_t time_ps = 0;
  uint64_t address = 0;
  bool has_address = true;  // false: nothing tells which allocation a deallocation frees
  int64_t allocation_bytes = 0, requested_bytes = 0;
  MemoryUse use;
  int64_t lifetime_peak_bytes = 0;
  std::optional<double> fragmentation;
  int64_t step = -1;     // -1: none
  uint32_t purpose = 0;  // number among those of the allocator
  bool allocation = true, has_use = false, timed = true;
  bool counts = true;  // false: outside of the steps that were asked for, in which peak, timeline and counts are
};

// The events of one allocator, in the order of the file.
struct AllocatorEvents {
  std::vector<MemoryEvent> events;
  std::vector<MemoryPurpose> purposes;
  std::map<MemoryPurpose, uint32_t> numbers;  // of purposes
  bool knows_free = false;                    // some event says what is free

  uint32_t Number(const MemoryPurpose& purpose);
};

class MemoryStats : public trace::EventSink {
 public:
  explicit MemoryStats(Compat compat) : compat_(compat) {}

  std::vector<trace::EventStat> Stats(const trace::StreamPlane& plane) const override;
  void BeginFile(const trace::StreamFile& file) override {
    host_ = file.host;
    trace_start_ps_ = file.trace_start_ps;
    // XProf reads one file a host, and knows nothing of others.
    file_ = compat_ == Compat::kNone ? std::pair(file.index, std::string(file.path)) : std::pair(0u, std::string());
    timeline_ = file.tells_ops;
  }
  bool BeginPlane(const trace::StreamPlane& plane) override;
  uint32_t Classify(std::string_view event_name) override;
  bool BeginLine(const trace::StreamLine& line) override;
  void Add(const trace::StreamEvent& event, uint32_t kind) override;

  void Merge(MemoryStats&& other);
  MemoryResult Finish() &&;

 private:
  MemoryEvent Read(const trace::StreamEvent& event, bool allocation) const;
  MemoryPurpose PurposeOf(const trace::EventStats& stats) const;
  int64_t Number(trace::StatValue value) const;

  struct Key {
    std::string host, id;
    std::pair<uint32_t, std::string> file;  // its index and path
    auto operator<=>(const Key&) const = default;
  };

  Compat compat_;
  std::string host_;                       // of the file at hand
  int64_t trace_start_ps_ = 0;             // likewise
  std::pair<uint32_t, std::string> file_;  // likewise
  bool timeline_ = false;                  // likewise: of another format
  std::map<Key, AllocatorEvents> allocators_;
};

// From events to answers (memory_peak.cc).
AllocatorMemory SummarizeMemory(AllocatorEvents&& events);
AllocatorMemory SummarizeMemoryLikeXprof(AllocatorEvents&& events);

}  // namespace tfprof::analyze
