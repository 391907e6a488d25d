#include "formats/xplane/thread_pool.h"

#include <algorithm>
#include <string_view>

#include "formats/xplane/xprof_stats.h"

namespace tfprof::xplane {
namespace {

constexpr std::string_view kStart = "ThreadpoolListener::StartRegion";
constexpr std::string_view kStop = "ThreadpoolListener::StopRegion";

}  // namespace

bool NamesThreadPoolRegions(const Plane& plane) {
  const auto has = [&](std::string_view name) {
    const auto& entries = plane.event_metadata.entries();
    return std::any_of(entries.begin(), entries.end(), [&](const Metadata& m) { return m.name == name; });
  };
  return has(kStart) && has(kStop);
}

bool HasThreadPoolRegion(const Plane& plane, const Line& line, EventScan* scan) {
  XprofStats stats(plane, {XprofStat::kConsumerId}, {});
  uint64_t start = 0;  // a region that starts at 0 is none: XProf takes 0 for "not started"
  bool found = false;
  scan->ForEach(line, &stats.filter(), false, [&](const Event& event, uint64_t) {
    const Metadata* metadata = plane.event_metadata.Find(event.metadata_id);
    if (metadata == nullptr) return;
    if (metadata->name == kStart) {
      stats.Read(event.stats, kEventStats);
      if (stats.Get(XprofStat::kConsumerId) != nullptr) start = WrappingBegin(line, event);
    } else if (metadata->name == kStop) {
      found = found || start != 0;
    }
  });
  return found;
}

}  // namespace tfprof::xplane
