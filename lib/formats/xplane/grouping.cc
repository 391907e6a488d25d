#include "formats/xplane/grouping.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "formats/xplane/derived_line.h"
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

const Metadata* FindName(const Plane& plane, std::string_view name) {
  const auto& entries = plane.event_metadata.entries();
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const Metadata& m) { return m.name == name; });
  return at == entries.end() ? nullptr : &*at;
}

// Whether something eager may reach an op: looks at what lies in time within an eager EagerExecute of its line, which is all
// that can be below one. Nothing does in any trace of a compiled training step, and then no graph is needed.
class EagerReach {
 public:
  explicit EagerReach(const Layout& layout) : layout_(layout) {}

  bool Any() {
    for (const Plane& plane : layout_.planes) {
      if (FindName(plane, "EagerExecute") == nullptr) continue;
      if (LooksInto(plane)) return true;
    }
    return !made_.empty() && AnyConsumes();
  }

 private:
  using FlowId = std::pair<uint64_t, uint64_t>;  // context type and id; processes may differ: more than enough

  bool LooksInto(const Plane& plane) {
    const std::vector<EventKind> kinds = KindsOfMetadata(plane);
    XprofStats stats(plane, {XprofStat::kIsFunc, XprofStat::kCorrelationId}, {XprofStat::kProducerType, XprofStat::kProducerId});
    EventScan scan(layout_, on_done_, nullptr);
    bool reaches = false;
    for (const Line& line : plane.lines) {
      uint64_t eager_end = 0;
      bool open = false;
      scan.ForEach(line, &stats.filter(), false, [&](const Event& event, uint64_t) {
        const uint32_t metadata = plane.event_metadata.IndexOf(event.metadata_id);
        const EventKind kind = metadata == MetadataMap::kNone ? EventKind::kOther : kinds[metadata];
        open = open && WrappingBegin(line, event) <= eager_end;
        if (!open && kind != EventKind::kEagerExecute) return;
        stats.Read(event.stats, kEventStats);
        if (kind == EventKind::kEagerExecute) {
          const Stat* is_func = stats.Get(XprofStat::kIsFunc);
          if (is_func == nullptr || is_func->int64_only() != 0) return;
          eager_end = open ? std::max(eager_end, WrappingEnd(line, event)) : WrappingEnd(line, event);
          open = true;
        }
        reaches = reaches || kind == EventKind::kTfOp || kind == EventKind::kLaunch || kind == EventKind::kExecute ||
                  kind == EventKind::kExecutorProcess || stats.Get(XprofStat::kCorrelationId) != nullptr;
        const Stat* type = stats.Last(XprofStat::kProducerType);
        const Stat* id = stats.Last(XprofStat::kProducerId);
        if (type != nullptr && id != nullptr) made_.insert({type->int_or_uint(), id->int_or_uint()});
      });
    }
    return reaches;
  }

  bool AnyConsumes() {
    bool found = false;
    for (const Plane& plane : layout_.planes) {
      XprofStats stats(plane, {}, {XprofStat::kConsumerType, XprofStat::kConsumerId});
      if (!stats.Knows(XprofStat::kConsumerId)) continue;
      EventScan scan(layout_, on_done_, nullptr);
      for (const Line& line : plane.lines) {
        scan.ForEach(line, &stats.filter(), false, [&](const Event& event, uint64_t) {
          if (event.stats.empty() || found) return;
          stats.Read(event.stats, kEventStats);
          const Stat* type = stats.Last(XprofStat::kConsumerType);
          const Stat* id = stats.Last(XprofStat::kConsumerId);
          found = type != nullptr && id != nullptr && made_.contains({type->int_or_uint(), id->int_or_uint()});
        });
      }
    }
    return found;
  }

  const Layout& layout_;
  EventScan::OnDone on_done_;
  std::set<FlowId> made_;
};

// An event of a GPU on its way to a group: by begin, shorter first.
struct GpuEvent {
  uint64_t begin_ps;
  int64_t duration_ps;
  uint32_t line, ordinal;
  int64_t group;
};

}  // namespace

struct GroupingBuilder {
  static Grouping Build(const Layout& layout, const GroupingNeeds& needs) {
    Grouping grouping;
    grouping.already_grouped = AlreadyGrouped(layout);
    const bool loops = HasLoops(layout);
    // Where nothing is called EagerExecute, grouping has nothing to say, and what the writer stored stands.
    const bool eager_execute = std::any_of(layout.planes.begin(), layout.planes.end(), [](const Plane& plane) {
      return FindName(plane, "EagerExecute") != nullptr;
    });
    grouping.eager.use_stored_ = grouping.already_grouped || loops || !eager_execute;
    if (grouping.already_grouped) return grouping;
    std::optional<EventGraph> graph;
    if (!loops && (needs.gpu_groups || needs.tpu_groups || EagerReach(layout).Any())) {
      graph.emplace(layout);
      if (needs.gpu_groups || needs.tpu_groups) graph->AssignGroups();
      if (!grouping.eager.use_stored_) TakeEager(*graph, &grouping.eager);
    }
    if (needs.tpu_groups && graph) TakeTpuGroups(layout, *graph, &grouping);
    for (uint32_t p = 0; p < layout.planes.size() && needs.gpu_groups; ++p) {
      const Plane& plane = layout.planes[p];
      if (!plane.name.starts_with("/device:GPU:") || (loops && !HasStatName(plane, "group_id"))) continue;
      TakeGpuGroups(layout, p, graph ? &*graph : nullptr, &grouping);
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

  // Over all lines of a plane together an event without a group takes that of the event before it.
  static void TakeGpuGroups(const Layout& layout, uint32_t plane_index, const EventGraph* graph, Grouping* grouping) {
    const Plane& plane = layout.planes[plane_index];
    std::map<std::pair<uint32_t, uint32_t>, int64_t> spread;
    for (size_t n = 0; graph != nullptr && n < graph->nodes().size(); ++n) {
      const EventGraph::Node& node = graph->nodes()[n];
      if (node.plane == plane_index && node.group != kNoEventGroup) spread[{node.line, node.ordinal}] = node.group;
    }
    XprofStats stats(plane, {XprofStat::kGroupId}, {});
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

EagerFlags ReadEagerFlags(const Layout& layout) { return GroupingBuilder::Build(layout, {}).eager; }

Grouping ReadGrouping(const Layout& layout, const GroupingNeeds& needs) { return GroupingBuilder::Build(layout, needs); }

}  // namespace tfprof::xplane
