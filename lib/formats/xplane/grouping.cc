#include "formats/xplane/grouping.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "formats/xplane/derived_line.h"
#include "formats/xplane/eager_reach.h"
#include "formats/xplane/event_graph.h"
#include "formats/xplane/event_scan.h"
#include "formats/xplane/xprof_stats.h"

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

// Looks for hints of eager ops in a pass of its own.
bool EagerMayReachOps(const Layout& layout, trace::NumberSlots numbers) {
  EagerHints hints;
  const EventScan::OnDone on_done;
  for (const Plane& plane : layout.planes) {
    if (!EagerReach::Concerns(plane)) continue;
    EagerReach reach(plane, numbers);
    EventScan scan(layout, on_done, nullptr);
    for (const Line& line : plane.lines) {
      reach.StartLine(line);
      scan.ForEach(line, &reach.filter(), false, [&](const Event& event, uint64_t) { reach.See(event); });
    }
    hints.Merge(reach.hints());
  }
  return hints.reaches_op || AnyEventTakes(layout, hints, numbers);
}

// An event of a GPU on its way to a group: by begin, shorter first.
struct GpuEvent {
  uint64_t begin_ps;
  int64_t duration_ps;
  uint32_t line, ordinal;
  int64_t group;
};

}  // namespace

struct GroupingBuilder {
  // What needs no look at events.
  static Grouping Cheap(const Layout& layout) {
    Grouping grouping;
    grouping.already_grouped = AlreadyGrouped(layout);
    // Where nothing is called EagerExecute, grouping has nothing to say, and what the writer stored stands.
    const bool eager_execute = std::any_of(layout.planes.begin(), layout.planes.end(), EagerReach::Concerns);
    grouping.eager.use_stored_ = grouping.already_grouped || HasLoops(layout) || !eager_execute;
    return grouping;
  }

  static Grouping Build(const Layout& layout, const GroupingNeeds& needs) {
    Grouping grouping = Cheap(layout);
    if (grouping.already_grouped) return grouping;
    const bool loops = HasLoops(layout), stored = grouping.eager.use_stored_;
    std::optional<EventGraph> graph;
    const bool groups = needs.gpu_groups || needs.tpu_groups || needs.host_groups;
    const bool eager = needs.eager && !stored;
    if (!loops && (groups || (eager && (needs.eager_ops || EagerMayReachOps(layout, needs.numbers))))) {
      graph.emplace(layout, needs.numbers);
      if (groups) graph->AssignGroups();
      if (eager) TakeEager(*graph, &grouping.eager);
    }
    if (needs.tpu_groups && graph) TakeTpuGroups(layout, *graph, &grouping);
    if (needs.host_groups && graph) TakeHostGroups(layout, *graph, &grouping);
    for (uint32_t p = 0; p < layout.planes.size() && needs.gpu_groups; ++p) {
      const Plane& plane = layout.planes[p];
      if (!plane.name.starts_with("/device:GPU:") || (loops && !HasStatName(plane, "group_id"))) continue;
      TakeGpuGroups(layout, p, graph ? &*graph : nullptr, needs.numbers, &grouping);
    }
    return grouping;
  }

 private:
  static void TakeEager(const EventGraph& graph, EagerFlags* flags) {
    for (uint32_t n = 0; n < graph.nodes().size(); ++n) {
      const EventGraph::Node& node = graph.nodes()[n];
      if (IsFlaggedByGrouping(node.kind) && graph.IsEager(n)) flags->bits_[{node.plane, node.line}].Set(node.ordinal);
    }
  }

  // The groups of lines as the nodes of the graph have them.
  static void Put(const EventGraph::Node& node, Grouping* grouping) {
    std::vector<int64_t>& groups = grouping->groups[{node.plane, node.line}];
    if (node.ordinal >= groups.size()) groups.resize(node.ordinal + 1, kNoGroup);
    groups[node.ordinal] = node.group;
  }

  static void TakeTpuGroups(const Layout& layout, const EventGraph& graph, Grouping* grouping) {
    for (const EventGraph::Node& node : graph.nodes()) {
      if (layout.planes[node.plane].name.starts_with("/device:TPU:")) Put(node, grouping);
    }
  }

  static void TakeHostGroups(const Layout& layout, const EventGraph& graph, Grouping* grouping) {
    for (const EventGraph::Node& node : graph.nodes()) {
      if (node.group != kNoEventGroup && !layout.planes[node.plane].name.starts_with("/device:")) Put(node, grouping);
    }
    for (const auto& [number, name] : graph.step_names()) {
      const EventGraph::Node& node = graph.nodes()[number];
      grouping->step_names[{node.plane, node.line}][node.ordinal] = name;
    }
  }

  // Over all lines of a plane together an event without a group takes that of the event before it.
  static void TakeGpuGroups(const Layout& layout, uint32_t plane_index, const EventGraph* graph,
                            trace::NumberSlots numbers, Grouping* grouping) {
    const Plane& plane = layout.planes[plane_index];
    std::map<std::pair<uint32_t, uint32_t>, int64_t> spread;
    for (size_t n = 0; graph != nullptr && n < graph->nodes().size(); ++n) {
      const EventGraph::Node& node = graph->nodes()[n];
      if (node.plane == plane_index && node.group != kNoEventGroup) spread[{node.line, node.ordinal}] = node.group;
    }
    XprofStats stats(plane, {XprofStat::kGroupId}, {}, numbers);
    const EventScan::OnDone on_done;
    EventScan scan(layout, on_done, nullptr);
    std::vector<GpuEvent> events;
    for (uint32_t l = 0; l < plane.lines.size(); ++l) {
      const Line& line = plane.lines[l];
      if (IsDerivedLineId(line.id)) continue;
      scan.ForEach(line, &stats.filter(), false, [&](const Event& event, uint64_t ordinal) {
        int64_t group = kNoGroup;
        const auto at = spread.find({l, static_cast<uint32_t>(ordinal)});
        if (at != spread.end()) {
          group = at->second;
        } else {
          stats.Read(event.stats, kEventStats);
          if (const Stat* stored = stats.Get(XprofStat::kGroupId)) group = stored->int64_only();
        }
        events.push_back({WrappingBegin(line, event), event.duration_ps, l, static_cast<uint32_t>(ordinal), group});
      });
    }
    std::stable_sort(events.begin(), events.end(), [](const GpuEvent& a, const GpuEvent& b) {
      return a.begin_ps != b.begin_ps ? a.begin_ps < b.begin_ps : a.duration_ps < b.duration_ps;
    });
    int64_t latest = kNoGroup;
    for (GpuEvent& event : events) {
      if (event.group != kNoGroup) latest = event.group;
      std::vector<int64_t>& groups = grouping->groups[{plane_index, event.line}];
      if (event.ordinal >= groups.size()) groups.resize(event.ordinal + 1, kNoGroup);
      groups[event.ordinal] = latest;
    }
  }
};

EagerFlags ReadStoredEagerFlags(const Layout& layout) { return GroupingBuilder::Cheap(layout).eager; }

EagerFlags ReadEagerFlags(const Layout& layout) {
  return GroupingBuilder::Build(layout, {.eager_ops = true, .numbers = trace::NumberSlots::kAny}).eager;
}

Grouping ReadGrouping(const Layout& layout, const GroupingNeeds& needs) { return GroupingBuilder::Build(layout, needs); }

}  // namespace tfprof::xplane
