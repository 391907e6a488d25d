// What was alive at the peak: by our rules, and by XProf's.
#include <algorithm>
#include <tuple>

#include "analyze/memory.h"

namespace tfprof::analyze {
namespace {

constexpr size_t kMostPoints = 1000;
constexpr std::string_view kBeforeProfile = "in use since before the profile";

void SortByTime(std::vector<MemoryEvent>* events) {
  std::stable_sort(events->begin(), events->end(),
                   [](const MemoryEvent& a, const MemoryEvent& b) { return a.time_ps < b.time_ps; });
}

// At most kMostPoints of the events, in order: the first largest use of each of so many runs of neighbours.
std::vector<MemoryPoint> Timeline(const std::vector<MemoryEvent>& events) {
  const size_t runs = std::min(events.size(), kMostPoints);
  std::vector<MemoryPoint> points;
  size_t at = 0;
  for (size_t i = 0; i < runs; ++i) {
    const size_t width = events.size() / runs;
    const size_t size = i < runs * (width + 1) - events.size() ? width : width + 1;
    const auto largest = std::max_element(
        events.begin() + static_cast<ptrdiff_t>(at), events.begin() + static_cast<ptrdiff_t>(at + size),
        [](const MemoryEvent& a, const MemoryEvent& b) { return a.use.used_bytes() < b.use.used_bytes(); });
    points.push_back({largest->time_ps, largest->use});
    at += size;
  }
  return points;
}

void CountKinds(const std::vector<MemoryEvent>& events, AllocatorMemory* out) {
  for (const MemoryEvent& event : events) {
    if (event.counts) ++(event.allocation ? out->allocations : out->deallocations);
  }
}

void SetPeak(const MemoryEvent& event, AllocatorMemory* out) {
  out->peak = MemoryPoint{event.time_ps, event.use};
  out->fragmentation = event.fragmentation;
  out->capacity_bytes = event.use.capacity_bytes();
}

// Rows of allocations that are alike in everything are one.
std::vector<MemoryRow> MergeAlike(std::vector<MemoryRow> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const MemoryRow& a, const MemoryRow& b) {
    return std::tie(b.allocation_bytes, b.requested_bytes, a.purpose) <
           std::tie(a.allocation_bytes, a.requested_bytes, b.purpose);
  });
  std::vector<MemoryRow> merged;
  for (MemoryRow& row : rows) {
    const bool alike = !merged.empty() && merged.back().allocation == row.allocation &&
                       merged.back().allocation_bytes == row.allocation_bytes &&
                       merged.back().requested_bytes == row.requested_bytes && merged.back().purpose == row.purpose;
    if (alike) {
      ++merged.back().occurrences;
    } else {
      merged.push_back(std::move(row));
    }
  }
  return merged;
}

MemoryRow RowOf(const MemoryEvent& event, const AllocatorEvents& all) {
  return {all.purposes[event.purpose], 1, event.allocation_bytes, event.requested_bytes, true};
}

MemoryRow SpecialRow(MemoryPurpose purpose, int64_t bytes) { return {std::move(purpose), 1, bytes, bytes, false}; }

// What was allocated up to the peak, inclusive, and not freed, and what of the use that doesn't explain.
std::vector<MemoryRow> ActiveAt(const std::vector<MemoryEvent>::const_iterator peak, const AllocatorEvents& all) {
  std::unordered_map<uint64_t, const MemoryEvent*> live;
  std::vector<const MemoryEvent*> nowhere;  // allocations without address: none replaces or frees another
  for (auto event = all.events.begin(); event <= peak; ++event) {
    if (!event->has_address) {
      if (event->allocation) nowhere.push_back(&*event);
    } else if (event->allocation) {
      live[event->address] = &*event;
    } else {
      live.erase(event->address);
    }
  }
  std::vector<MemoryRow> rows;
  int128 unexplained = peak->use.heap_bytes;
  const auto count = [&](const MemoryEvent& event) {
    rows.push_back(RowOf(event, all));
    unexplained -= event.allocation_bytes;
  };
  for (const auto& [address, event] : live) count(*event);
  for (const MemoryEvent* event : nowhere) count(*event);
  if (unexplained > 0 && unexplained <= INT64_MAX)
    rows.push_back(SpecialRow({std::string(kBeforeProfile), "", "", ""}, static_cast<int64_t>(unexplained)));
  if (peak->use.stack_bytes > 0) rows.push_back(SpecialRow({"stack", "stack", "", ""}, peak->use.stack_bytes));
  rows = MergeAlike(std::move(rows));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const MemoryRow& a, const MemoryRow& b) { return a.total_bytes() > b.total_bytes(); });
  return rows;
}

// Events without a step belong to the one after the last that was seen. What a deallocation frees, its allocation
// tells: its purpose and not its size.
void FillInLikeXprof(std::vector<MemoryEvent>* events) {
  int64_t last_step = -1;
  std::unordered_map<uint64_t, uint32_t> live;  // address → purpose
  for (MemoryEvent& event : *events) {
    if (event.step == -1) {
      event.step = last_step + 1;
    } else {
      last_step = event.step;
    }
    if (event.allocation) {
      live.try_emplace(event.address, event.purpose);
    } else if (const auto at = live.find(event.address); at != live.end()) {
      event.purpose = at->second;
      live.erase(at);
    }
  }
}

// Only the events of one step, that of the last peak, count.
std::vector<MemoryRow> ActiveLikeXprof(const MemoryPoint& peak, const AllocatorEvents& all) {
  int64_t step = 0;
  for (const MemoryEvent& event : all.events) {
    if (event.use.used_bytes() == peak.use.used_bytes()) step = event.step;
  }
  int128 rest = peak.use.heap_bytes, freed_before = 0;
  std::unordered_map<uint64_t, const MemoryEvent*> live;
  for (const MemoryEvent& event : all.events) {
    if (event.time_ps > peak.time_ps) break;
    if (event.step != step) continue;
    if (event.allocation) {
      live[event.address] = &event;
      rest -= event.allocation_bytes;
    } else {
      if (live.erase(event.address) == 0) freed_before += event.allocation_bytes;
      rest += event.allocation_bytes;
    }
  }
  rest -= freed_before;
  std::vector<MemoryRow> rows;
  for (const auto& [address, event] : live) rows.push_back(RowOf(*event, all));
  if (rest > 0 && rest <= INT64_MAX) {
    rows.push_back(SpecialRow({"unused preallocated device memory", "persist/dynamic", "INVALID", "unknown"},
                              static_cast<int64_t>(rest)));
  }
  if (peak.use.stack_bytes > 0) {
    rows.push_back(SpecialRow({"stack", "stack", "INVALID", "unknown"}, peak.use.stack_bytes));
  }
  return MergeAlike(std::move(rows));
}

}  // namespace

AllocatorMemory SummarizeMemory(AllocatorEvents&& all) {
  AllocatorMemory out;
  CountKinds(all.events, &out);
  for (const MemoryEvent& event : all.events) {
    out.lifetime_peak_bytes = std::max(out.lifetime_peak_bytes, event.lifetime_peak_bytes);
  }
  out.untimed = std::erase_if(all.events, [](const MemoryEvent& event) { return !event.timed; });
  SortByTime(&all.events);
  auto peak = all.events.cend();
  for (auto event = all.events.cbegin(); event != all.events.cend(); ++event) {
    const bool larger = peak == all.events.cend() || event->use.used_bytes() > peak->use.used_bytes();
    if (!event->counts) continue;
    out.last_ps = event->time_ps;
    if (event->has_use && larger) peak = event;
  }
  if (peak == all.events.cend()) return out;
  SetPeak(*peak, &out);
  out.lifetime_peak_bytes = std::max(out.lifetime_peak_bytes, peak->use.used_bytes());
  out.active_at_peak = ActiveAt(peak, all);
  out.total_rows = out.active_at_peak.size();
  std::erase_if(all.events, [](const MemoryEvent& event) { return !event.has_use || !event.counts; });
  out.timeline = Timeline(all.events);
  return out;
}

AllocatorMemory SummarizeMemoryLikeXprof(AllocatorEvents&& all) {
  AllocatorMemory out;
  CountKinds(all.events, &out);
  int64_t peak_bytes = 0;
  for (const MemoryEvent& event : all.events) {  // in the order of the file
    out.lifetime_peak_bytes = event.lifetime_peak_bytes;
    if (event.use.used_bytes() < peak_bytes) continue;
    peak_bytes = event.use.used_bytes();
    SetPeak(event, &out);
  }
  SortByTime(&all.events);
  if (!all.events.empty()) out.last_ps = all.events.back().time_ps;
  FillInLikeXprof(&all.events);
  if (out.peak) out.active_at_peak = ActiveLikeXprof(*out.peak, all);
  out.total_rows = out.active_at_peak.size();
  out.timeline = Timeline(all.events);
  return out;
}

}  // namespace tfprof::analyze
