#include "formats/xplane/lane_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "formats/xplane/derived_line.h"
#include "formats/xplane/event.h"

namespace tfprof::xplane {
namespace {

using trace::Role;
using trace::Side;

// Real starts are either near 0 or nanoseconds since 1970; nothing lies between (10^17 ns is the year 1973).
constexpr int64_t kEpochNs = 100'000'000'000'000'000;
// Lines that start farther apart than this cannot share an int64 of picoseconds (± 106 days).
constexpr int64_t kMaxGapNs = 50LL * 86'400 * 1'000'000'000;
constexpr int64_t kMaxRelativeNs = 9'000'000'000'000'000;

bool IsHostCpu(std::string_view name) {
  constexpr std::string_view kHostCpu = "/host:CPU";
  if (!name.starts_with(kHostCpu)) return false;
  name.remove_prefix(kHostCpu.size());
  return name.empty() || (name.starts_with(" [") && name.ends_with("]"));
}

// Names of lines that tell of the same work again, with or without " - from #<stream>".
bool IsViewName(std::string_view name) {
  name = name.substr(0, name.find(" - from #"));
  static constexpr std::string_view kViews[] = {"Steps",
                                                "XLA Modules",
                                                "XLA Ops",
                                                "Async XLA Ops",
                                                "TensorFlow Ops",
                                                "Framework Ops",
                                                "TensorFlow Name Scope",
                                                "Framework Name Scope",
                                                "Source code",
                                                "Source",
                                                "Launch Stats",
                                                "XLA TraceMe",
                                                "Sparse Core Steps",
                                                "Sparse Core Modules",
                                                "Host Offload Ops",
                                                "Tensor Core Sync Flag",
                                                "Sparse Core Syncs",
                                                "_counters_"};
  return std::find(std::begin(kViews), std::end(kViews), name) != std::end(kViews);
}

// A line without a name goes by the one that is shown for it.
std::string_view NameOf(const Line& line) { return line.name.empty() ? line.display_name : line.name; }

Role RoleOf(PlaneKind kind, const Line& line, bool plane_has_xla_ops) {
  if (kind == PlaneKind::kOther) return Role::kOther;
  if (IsDerivedLineId(line.id)) return Role::kView;
  if (kind == PlaneKind::kHost) return Role::kHostOps;
  if (kind == PlaneKind::kTpu || plane_has_xla_ops) {
    const std::string_view name = NameOf(line);
    return name == "XLA Ops" || name == "Sparse Core Ops" ? Role::kNested : Role::kView;
  }
  return IsViewName(NameOf(line)) ? Role::kView : Role::kStream;
}

// The profile's start, which `Task Environment` tells in nanoseconds since 1970.
std::optional<int64_t> ProfileStartNs(const Layout& layout) {
  for (const Plane& plane : layout.planes) {
    if (plane.name != "Task Environment") continue;
    if (const std::optional<Stat> stat = plane.FindStat("profile_start_time")) return stat->any_int();
  }
  return std::nullopt;
}

bool HasEvents(const Line& line) {
  Event event;
  return EventCursor(line.body).Next(&event);
}

// Line starts on one axis: epoch starts become relative to the profile's start where the file has both.
class LineStarts {
 public:
  explicit LineStarts(const Layout& layout) {
    bool near_zero = false, epoch = false;
    for (const Plane& plane : layout.planes) {
      for (const Line& line : plane.lines) {
        if (!HasEvents(line)) continue;
        (line.timestamp_ns >= kEpochNs ? epoch : near_zero) = true;
      }
    }
    if (near_zero && epoch) epoch_offset_ns_ = ProfileStartNs(layout).value_or(0);
    ChooseBase(layout);
  }

  void Place(const Line& line, LanePiece* piece) const {
    int64_t relative_ns = 0;
    piece->out_of_time = __builtin_sub_overflow(OnAxis(line), base_ns_, &relative_ns) || relative_ns > kMaxRelativeNs ||
                         relative_ns < -kMaxRelativeNs;
    piece->start_ps = piece->out_of_time ? 0 : relative_ns * 1000;
  }

 private:
  // Those that tell when they were: at 0 on a line that begins at 0 nothing was told.
  static uint64_t CountTimedEvents(const Line& line) {
    const StatFilter no_stats;
    EventCursor cursor(line.body, &no_stats);
    EventBlock block;
    uint64_t count = 0;
    while (cursor.Read(&block)) {
      count += line.timestamp_ns != 0 ? block.size
                                      : block.size - static_cast<size_t>(std::count(
                                                         block.offset_ps, block.offset_ps + block.size, int64_t{0}));
    }
    return count;
  }

  int64_t OnAxis(const Line& line) const {
    // Modulo 2^64: a start that makes no sense is found out where it is compared with the base.
    return line.timestamp_ns >= kEpochNs ? static_cast<int64_t>(static_cast<uint64_t>(line.timestamp_ns) -
                                                                static_cast<uint64_t>(epoch_offset_ns_))
                                         : line.timestamp_ns;
  }

  static bool FarApart(int64_t earlier, int64_t later) {
    int64_t gap = 0;
    return __builtin_sub_overflow(later, earlier, &gap) || gap > kMaxGapNs;
  }

  // The base is the first line's start; where starts lie ages apart, the first of those that hold most of the timed
  // events, which are counted then only.
  void ChooseBase(const Layout& layout) {
    std::map<int64_t, uint64_t> weight;  // start → events
    for (const Plane& plane : layout.planes) {
      for (const Line& line : plane.lines) {
        if (HasEvents(line)) weight[OnAxis(line)] = 1;
      }
    }
    if (weight.empty()) return;
    const bool apart = std::adjacent_find(weight.begin(), weight.end(), [](const auto& a, const auto& b) {
                         return FarApart(a.first, b.first);
                       }) != weight.end();
    if (apart) {
      for (auto& [start, events] : weight) events = 0;
    }
    for (size_t p = 0; apart && p < layout.planes.size(); ++p) {
      for (const Line& line : layout.planes[p].lines) {
        if (HasEvents(line)) weight[OnAxis(line)] += CountTimedEvents(line);
      }
    }
    int64_t best_first = 0, best_last = 0, first = weight.begin()->first, last = first;
    uint64_t best = 0, sum = 0;
    const auto close = [&] {
      if (sum > best) {
        best = sum;
        best_first = first;
        best_last = last;
      }
    };
    for (const auto& [start, events] : weight) {
      if (FarApart(last, start)) {
        close();
        first = start;
        sum = 0;
      }
      last = start;
      sum += events;
    }
    close();
    for (const Plane& plane : layout.planes) {
      for (const Line& line : plane.lines) {
        const int64_t start = OnAxis(line);
        if (HasEvents(line) && start >= best_first && start <= best_last) {
          base_ns_ = start;
          return;
        }
      }
    }
  }

  int64_t epoch_offset_ns_ = 0;
  int64_t base_ns_ = 0;
};

// Names of custom devices that write native XLA lines, in any plane of the name: they are read like a TPU.
std::unordered_set<std::string_view> CustomXlaPlanes(const Layout& layout) {
  std::unordered_set<std::string_view> names;
  for (const Plane& plane : layout.planes) {
    if (plane.name.starts_with("/device:CUSTOM:") &&
        std::any_of(plane.lines.begin(), plane.lines.end(),
                    [](const Line& line) { return NameOf(line) == "XLA Ops" && !IsDerivedLineId(line.id); })) {
      names.insert(plane.name);
    }
  }
  return names;
}

}  // namespace

PlaneKind KindOfPlane(std::string_view name) {
  if (IsHostCpu(name)) return PlaneKind::kHost;
  if (name.starts_with("/device:TPU:")) return PlaneKind::kTpu;
  if (name.starts_with("/device:GPU:") || name.starts_with("/device:CUSTOM:") || name.starts_with("/custom:")) {
    return PlaneKind::kGpu;
  }
  return PlaneKind::kOther;
}

FilePlan PlanLanes(const Layout& layout) {
  FilePlan plan;
  const LineStarts starts(layout);
  const std::unordered_set<std::string_view> xla_planes = CustomXlaPlanes(layout);
  std::unordered_map<std::string_view, size_t> by_name;
  std::vector<std::unordered_map<int64_t, size_t>> by_id;
  for (uint32_t p = 0; p < layout.planes.size(); ++p) {
    const Plane& plane = layout.planes[p];
    const auto [at, is_new] = by_name.try_emplace(plane.name, plan.planes.size());
    if (is_new) {
      PlanePlan made;
      made.name = plane.name;
      made.kind = KindOfPlane(plane.name);
      made.side = made.kind == PlaneKind::kGpu || made.kind == PlaneKind::kTpu ? Side::kDevice : Side::kHost;
      plan.planes.push_back(std::move(made));
      by_id.emplace_back();
    }
    PlanePlan& target = plan.planes[at->second];
    target.planes.push_back(p);
    const bool xla_ops = xla_planes.contains(plane.name);
    for (uint32_t l = 0; l < plane.lines.size(); ++l) {
      const Line& line = plane.lines[l];
      const auto [known, new_lane] = by_id[at->second].try_emplace(line.id, target.lanes.size());
      if (new_lane) {
        target.lanes.emplace_back();
        target.lanes.back().id = line.id;
      }
      LanePlan& lane = target.lanes[known->second];
      // Of a lane in several pieces the first with a name tells what the lane is, before all one that has events.
      const bool tells = !NameOf(line).empty() && HasEvents(line);
      if (new_lane || lane.name.empty() || (tells && !lane.told_by_events)) {
        lane.name = NameOf(line);
        lane.role = RoleOf(target.kind, line, xla_ops);
      }
      lane.told_by_events |= tells;
      LanePiece piece{p, l, 0, false};
      starts.Place(line, &piece);
      lane.pieces.push_back(piece);
      lane.bytes += line.body.size();
      target.bytes += line.body.size();
    }
  }
  return plan;
}

}  // namespace tfprof::xplane
