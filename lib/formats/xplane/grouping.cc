#include "formats/xplane/grouping.h"

#include <algorithm>
#include <string_view>

namespace tfprof::xplane {
namespace {

constexpr std::string_view kHostPlanes[] = {"/host:CPU", "Host CPUs", "/host:tfstreamz", "/host:metadata", "Syscalls",
                                            "/host:python-tracer", "/host:CUPTI", "/host:__ScopeRangeCallStack__"};
constexpr std::string_view kDevicePlanes[] = {"/device", "#Chip", "/custom:"};
constexpr std::string_view kLoops[] = {"WhileOp-EvalCond", "WhileOp-StartBody", "ForOp", "ParallelForOp", "ForeverOp"};

template <size_t n>
bool StartsWithAny(std::string_view name, const std::string_view (&prefixes)[n]) {
  return std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view p) { return name.starts_with(p); });
}

bool HasStatName(const Plane& plane, std::string_view name) {
  const auto& entries = plane.stat_metadata.entries();
  return std::any_of(entries.begin(), entries.end(), [&](const Metadata& m) { return m.name == name; });
}

// A file counts as grouped when every host and device plane knows a stat `group_id`.
bool AlreadyGrouped(const Layout& layout) {
  return std::all_of(layout.planes.begin(), layout.planes.end(), [](const Plane& plane) {
    return !(StartsWithAny(plane.name, kHostPlanes) || StartsWithAny(plane.name, kDevicePlanes)) ||
           HasStatName(plane, "group_id");
  });
}

bool HasLoops(const Layout& layout) {
  return std::any_of(layout.planes.begin(), layout.planes.end(), [](const Plane& plane) {
    const auto& entries = plane.event_metadata.entries();
    return std::any_of(entries.begin(), entries.end(), [](const Metadata& m) {
      return std::find(std::begin(kLoops), std::end(kLoops), m.name) != std::end(kLoops);
    });
  });
}

}  // namespace

struct GroupingBuilder {
  static Grouping Build(const Layout& layout, const GroupingNeeds& needs) {
    Grouping grouping;
    grouping.already_grouped = AlreadyGrouped(layout);
    grouping.eager.use_stored_ = grouping.already_grouped || HasLoops(layout);
    (void)needs;
    return grouping;
  }
};

EagerFlags ReadEagerFlags(const Layout& layout) { return GroupingBuilder::Build(layout, {}).eager; }

Grouping ReadGrouping(const Layout& layout, const GroupingNeeds& needs) { return GroupingBuilder::Build(layout, needs); }

}  // namespace tfprof::xplane
