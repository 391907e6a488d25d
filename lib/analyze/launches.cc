#include "analyze/launches.h"

#include <algorithm>

namespace tfprof::analyze {

using trace::EventStat;
using trace::StreamPlane;
using trace::StreamPlaneKind;

std::vector<EventStat> LaunchTable::Stats(const StreamPlane&) const { return {EventStat::kCorrelationId}; }

void LaunchTable::BeginFile(const trace::StreamFile& file) {
  any_gpu_ = std::any_of(file.planes.begin(), file.planes.end(),
                         [](const StreamPlane& plane) { return plane.kind == StreamPlaneKind::kGpu; });
}

bool LaunchTable::BeginPlane(const StreamPlane& plane) {
  if (!any_gpu_) return false;
  on_host_ = plane.name.starts_with("/host:");
  if (!on_host_ && plane.kind != StreamPlaneKind::kGpu) return false;
  return plane.knows_stat("correlation_id");
}

uint32_t LaunchTable::Classify(std::string_view) { return 1; }

bool LaunchTable::BeginLine(const trace::StreamLine& line) {
  line_id_ = line.id;
  return !line.derived;
}

void LaunchTable::Add(const trace::StreamEvent& event, uint32_t) {
  if (!event.timed) return;
  const uint64_t number = event.stats->First(EventStat::kCorrelationId).int_or_uint();
  if (number == 0) return;
  if (on_host_) {
    calls_.try_emplace(number, Call{line_id_, event.start_ps});
  } else {
    device_ps_[number] += event.duration_ps;
  }
}

void LaunchTable::EndFile() {
  known_ = !device_ps_.empty();
  for (const auto& [number, device_ps] : device_ps_) {
    const auto call = calls_.find(number);
    if (call == calls_.end()) {
      unmatched_ps_ += device_ps;
    } else {
      by_line_[call->second.line_id].push_back({call->second.at_ps, device_ps});
    }
  }
  for (auto& [line, launches] : by_line_) {
    std::sort(launches.begin(), launches.end(), [](const Launch& a, const Launch& b) { return a.at_ps < b.at_ps; });
  }
  calls_.clear();
  device_ps_.clear();
}

std::span<const Launch> LaunchTable::OfLine(int64_t line_id) const {
  const auto at = by_line_.find(line_id);
  if (at == by_line_.end()) return {};
  return at->second;
}

}  // namespace tfprof::analyze
