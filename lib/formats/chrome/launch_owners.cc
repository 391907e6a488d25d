#include "formats/chrome/launch_owners.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tfprof::chrome {

LaunchOwners::LaunchOwners(const EventIndex& index) : index_(index) {
  std::map<uint32_t, std::vector<std::pair<int64_t, uint64_t>>> launches;  // by lane: start, correlation
  for (const auto& [number, launch] : index.launches) launches[launch.lane].push_back({launch.start_ps, number});
  for (auto& [lane, of_lane] : launches) FindOnLane(index.lanes[lane], std::move(of_lane));
}

void LaunchOwners::FindOnLane(const IndexedLane& lane, std::vector<std::pair<int64_t, uint64_t>> launches) {
  std::sort(launches.begin(), launches.end());
  std::vector<const IndexedEvent*> open;
  size_t next = lane.begin;
  for (const auto& [at_ps, number] : launches) {
    for (; next < lane.end && index_.events[next].start_ps <= at_ps; ++next) {
      const IndexedEvent& event = index_.events[next];
      if (!event.is(IndexedEvent::kCpuOp) || event.is(IndexedEvent::kUntimed)) continue;
      while (!open.empty() && open.back()->start_ps + open.back()->duration_ps < event.start_ps) open.pop_back();
      open.push_back(&event);
    }
    const auto around = std::find_if(open.rbegin(), open.rend(), [at = at_ps](const IndexedEvent* event) {
      return event->start_ps + event->duration_ps >= at;
    });
    if (around != open.rend()) around_.emplace(number, (*around)->offset);
  }
}

std::optional<uint64_t> LaunchOwners::Named(uint64_t external, uint64_t correlation) const {
  if (external == kNoId || external == correlation) return std::nullopt;
  const auto at = index_.cpu_ops.find(external);
  return at == index_.cpu_ops.end() ? std::nullopt : std::optional(at->second);
}

std::optional<uint64_t> LaunchOwners::Of(uint64_t correlation, uint64_t external) const {
  if (const auto at = around_.find(correlation); at != around_.end()) return at->second;
  if (const auto launch = index_.launches.find(correlation); launch != index_.launches.end()) {
    if (const std::optional<uint64_t> named = Named(launch->second.external_id, correlation)) return named;
  }
  return Named(external, correlation);
}

}  // namespace tfprof::chrome
