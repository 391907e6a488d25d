#include "analyze/launches.h"

#include <algorithm>
#include <tuple>

namespace tfprof::analyze {

using trace::EventStat;
using trace::StreamPlane;
using trace::StreamPlaneKind;

std::vector<EventStat> LaunchTable::Stats(const StreamPlane&) const { return {EventStat::kCorrelationId}; }

bool LaunchTable::HearsCalls(const StreamPlane& plane) {
  return (plane.kind == StreamPlaneKind::kHost || plane.name.starts_with("/host:")) && !plane.made_up &&
         plane.knows_stat("correlation_id");
}

void LaunchTable::BeginFile(const trace::StreamFile& file) {
  any_gpu_ = std::any_of(file.planes.begin(), file.planes.end(),
                         [](const StreamPlane& plane) { return plane.kind == StreamPlaneKind::kGpu; });
  hosts_to_come_.clear();
  for (const StreamPlane& plane : file.planes) {
    if (HearsCalls(plane)) hosts_to_come_.insert(plane.index);
  }
}

bool LaunchTable::BeginPlane(const StreamPlane& plane) {
  if (!any_gpu_ || plane.made_up) return false;
  hosts_to_come_.erase(plane.index);
  all_calls_ = hosts_to_come_.empty() ? &calls_ : nullptr;
  on_host_ = plane.kind == StreamPlaneKind::kHost || plane.name.starts_with("/host:");
  if (!on_host_ && plane.kind != StreamPlaneKind::kGpu) return false;
  plane_ = plane.name;
  return plane.knows_stat("correlation_id");
}

uint32_t LaunchTable::Classify(std::string_view) { return 1; }

bool LaunchTable::BeginLine(const trace::StreamLine& line) {
  if (line.derived) return false;
  if (!on_host_ && known_ && all_calls_ != nullptr && all_calls_->empty()) return false;  // nothing was launched
  line_id_ = line.id;
  if (!on_host_) device_line_ = &device_events_[{plane_, line_id_}];
  return true;
}

void LaunchTable::Add(const trace::StreamEvent& event, uint32_t) {
  if (!event.timed) return;
  const uint64_t number = event.stats->First(EventStat::kCorrelationId).int_or_uint();
  if (number == 0) return;
  if (on_host_) {
    calls_.try_emplace(number, Call{line_id_, event.start_ps});
    return;
  }
  known_ = true;
  if (all_calls_ == nullptr || all_calls_->contains(number)) {
    device_line_->push_back({event.start_ps, event.duration_ps, number});
  }
}

std::unique_ptr<trace::EventSink> LaunchTable::Fork() const {
  auto fork = std::make_unique<LaunchTable>();
  fork->any_gpu_ = any_gpu_;
  fork->on_host_ = on_host_;
  fork->plane_ = plane_;
  fork->known_ = known_;
  fork->all_calls_ = all_calls_;
  return fork;
}

void LaunchTable::Join(trace::EventSink&& sink) {
  LaunchTable& fork = static_cast<LaunchTable&>(sink);
  known_ = known_ || fork.known_;
  calls_.merge(std::move(fork.calls_));  // of one number the earlier one stays
  for (auto& [line, events] : fork.device_events_) {
    std::vector<Numbered>& here = device_events_[line];
    if (here.empty()) here.swap(events);
    here.insert(here.end(), events.begin(), events.end());
  }
}

void LaunchTable::EndFile() {
  std::unordered_map<uint64_t, uint32_t> launches;  // number to id
  for (auto& [line, events] : device_events_) {
    std::stable_sort(events.begin(), events.end(), [](const Numbered& a, const Numbered& b) {
      return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.duration_ps > b.duration_ps;
    });
    std::vector<LaunchedEvent>& launched = by_device_line_[line];
    for (const Numbered& event : events) {
      if (!calls_.contains(event.number)) continue;
      const uint32_t id = launches.try_emplace(event.number, static_cast<uint32_t>(launches.size())).first->second;
      launched.push_back({event.start_ps, event.duration_ps, id});
    }
    events = {};
  }
  for (const auto& [number, id] : launches) {
    const Call& call = calls_.at(number);
    by_host_line_[call.line_id].push_back({call.at_ps, id});
  }
  for (auto& [line, of_line] : by_host_line_) {
    std::sort(of_line.begin(), of_line.end(),
              [](const Launch& a, const Launch& b) { return std::tie(a.at_ps, a.id) < std::tie(b.at_ps, b.id); });
  }
  calls_.clear();
  device_events_.clear();
}

std::span<const Launch> LaunchTable::OfHostLine(int64_t line_id) const {
  const auto at = by_host_line_.find(line_id);
  if (at == by_host_line_.end()) return {};
  return at->second;
}

std::span<const LaunchedEvent> LaunchTable::OfDeviceLine(std::string_view plane, int64_t line_id) const {
  const auto at = by_device_line_.find(LineKey(plane, line_id));
  if (at == by_device_line_.end()) return {};
  return at->second;
}

}  // namespace tfprof::analyze
