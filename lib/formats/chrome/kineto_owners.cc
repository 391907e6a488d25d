#include "formats/chrome/kineto_owners.h"

#include <algorithm>
#include <charconv>
#include <functional>

namespace tfprof::chrome {
namespace {

constexpr uint64_t kNoId = UINT64_MAX;
constexpr uint64_t kTextId = uint64_t{1} << 63;  // ids that are no numbers, by hash

uint64_t IdOf(const JsonValue& value) {
  if (!value.is_number() && !value.is_string()) return kNoId;
  uint64_t id = 0;
  std::string decoded;
  const std::string_view text = TextOf(value, &decoded);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error == std::errc() && end == text.data() + text.size() && id < kTextId) return id;
  return (std::hash<std::string_view>{}(text) | kTextId) & ~uint64_t{1};
}

}  // namespace

void KinetoOwners::AddCpuOp(uint32_t lane, int64_t start_ps, int64_t end_ps, const TraceEvent& event) {
  std::vector<Span>& spans = cpu_ops_[lane];
  // Children lie inside the span before them; only what reaches further is kept.
  if (spans.empty() || start_ps < spans.back().start_ps || end_ps > spans.back().end_ps)
    spans.push_back({start_ps, end_ps});
  const uint64_t id = IdOf(event.arg(ArgKey::kExternalId));
  if (id != kNoId) cpu_op_ids_.insert(id);
}

void KinetoOwners::AddLaunch(uint32_t lane, int64_t start_ps, const TraceEvent& event) {
  const uint64_t correlation = IdOf(event.arg(ArgKey::kCorrelation));
  if (correlation != kNoId) launches_[correlation] = {lane, start_ps, IdOf(event.arg(ArgKey::kExternalId))};
}

void KinetoOwners::AddDeviceEvent(const TraceEvent& event) {
  device_events_.push_back({IdOf(event.arg(ArgKey::kCorrelation)), IdOf(event.arg(ArgKey::kExternalId))});
}

bool KinetoOwners::InsideCpuOp(const Launch& launch) const {
  const auto at = cpu_ops_.find(launch.lane);
  if (at == cpu_ops_.end()) return false;
  const std::vector<Span>& spans = at->second;
  const auto after = std::upper_bound(spans.begin(), spans.end(), launch.start_ps,
                                      [](int64_t t, const Span& span) { return t < span.start_ps; });
  return after != spans.begin() && std::prev(after)->end_ps >= launch.start_ps;
}

std::vector<bool> KinetoOwners::Claimed() {
  for (auto& [lane, spans] : cpu_ops_) {  // to unions
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.start_ps < b.start_ps; });
    size_t last = 0;
    for (size_t i = 1; i < spans.size(); ++i) {
      if (spans[i].start_ps <= spans[last].end_ps) {
        spans[last].end_ps = std::max(spans[last].end_ps, spans[i].end_ps);
      } else {
        spans[++last] = spans[i];
      }
    }
    spans.resize(std::min(spans.size(), last + 1));
  }
  std::vector<bool> claimed;
  claimed.reserve(device_events_.size());
  for (const DeviceEvent& event : device_events_) {
    const auto launch = launches_.find(event.correlation);
    const bool has_launch = event.correlation != kNoId && launch != launches_.end();
    const auto names_op = [&](uint64_t id) {
      return id != kNoId && id != event.correlation && cpu_op_ids_.contains(id);
    };
    claimed.push_back((has_launch && (InsideCpuOp(launch->second) || names_op(launch->second.external_id))) ||
                      names_op(event.external_id));
  }
  return claimed;
}

}  // namespace tfprof::chrome
