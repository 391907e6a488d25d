#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/xplane/derived_line.h"
#include "formats/xplane/thread_pool.h"
#include "formats/xplane/xprof_planes.h"
#include "formats/xplane/xprof_stats.h"

namespace tfprof::xplane {
namespace {

using trace::XprofEvent;
using trace::XprofOp;

constexpr size_t kBatch = 256;

bool IsStepsName(std::string_view name) { return name == "Steps" || name == "Sparse Core Steps"; }
bool IsOpsName(std::string_view name) {
  return name == "XLA Ops" || name == "Framework Ops" || name == "Sparse Core Ops";
}

struct Span {
  uint64_t begin_ps, end_ps;
};

// An event on the line's clock, and on the device's own where it has that.
struct TpuEvent {
  uint64_t begin_ps;
  int64_t duration_ps;
  std::optional<Span> device;
  uint32_t metadata;
  int64_t occurrences;
  int64_t group;
  bool widens_window;  // as an event of XProf's derived `Framework Ops` line

  uint64_t end_ps() const { return begin_ps + static_cast<uint64_t>(duration_ps); }
  Span span() const { return device.value_or(Span{begin_ps, end_ps()}); }
};

class TpuPlaneReader {
 public:
  TpuPlaneReader(uint32_t plane, XprofReading* reading)
      : plane_index_(plane),
        plane_(reading->layout.planes[plane]),
        reading_(*reading),
        stats_(plane_, {XprofStat::kDeviceOffset, XprofStat::kDeviceDuration, XprofStat::kGroupId},
               {XprofStat::kTfOp, XprofStat::kAsync}),
        metadata_stats_(plane_, {},
                        {XprofStat::kProgramId, XprofStat::kSymbolId, XprofStat::kHloCategory, XprofStat::kTfOp,
                         XprofStat::kFlops, XprofStat::kModelFlops, XprofStat::kBytesAccessed, XprofStat::kAsync}),
        preprocessed_(IsTpuCoreName(plane_.name) && !reading->grouping.already_grouped) {
    batch_.reserve(kBatch);
  }

  void Run() {
    reading_.sink.BeginPlane(trace::XprofPlaneKind::kTpu, names_);
    ReadMetadata();
    size_t steps = plane_.lines.size();  // XProf takes the last such line for the steps
    for (size_t i = 0; i < plane_.lines.size(); ++i) {
      if (IsStepsName(plane_.lines[i].name)) steps = i;
    }
    for (uint32_t i = 0; i < plane_.lines.size() && !reading_.scan.Cancelled(); ++i) {
      const std::string_view name = plane_.lines[i].name;
      if (IsOpsName(name) || IsStepsName(name) || preprocessed_) {
        ReadLine(i, i == steps && !reading_.grouping.already_grouped);
      }
    }
    if (window_.begin_ps <= window_.end_ps) {
      reading_.sink.BeginLine(true, true);
      Push({.begin_ps = window_.begin_ps, .end_ps = window_.end_ps});
      Flush();
      reading_.sink.EndLine();
    }
    reading_.sink.EndPlane();
    reading_.scan.NoteBrokenStats(stats_.broken());
    reading_.scan.NoteBrokenStats(metadata_stats_.broken());
  }

 private:
  struct Known {
    uint32_t op = XprofEvent::kNone;
    bool has_tf_op = false, is_async = false;
  };

  void ReadMetadata() {
    for (const Metadata& metadata : plane_.event_metadata.entries()) {
      metadata_stats_.Read(metadata.body, kMetadataStats);
      const auto number = [&](XprofStat stat) {
        const Stat* found = metadata_stats_.Last(stat);
        return found == nullptr ? 0 : found->int_or_uint();
      };
      const auto text = [&](XprofStat stat) {
        const Stat* found = metadata_stats_.Last(stat);
        return found == nullptr ? std::string_view{} : plane_.Text(*found);
      };
      Known& known = known_.emplace_back();
      known.has_tf_op = !text(XprofStat::kTfOp).empty();
      known.is_async = number(XprofStat::kAsync) != 0;
      if (metadata_stats_.Last(XprofStat::kProgramId) == nullptr || number(XprofStat::kSymbolId) == 0) continue;
      known.op = static_cast<uint32_t>(names_.ops.size());
      names_.ops.push_back({.module = number(XprofStat::kProgramId),
                            .symbol = number(XprofStat::kSymbolId),
                            .name = std::string(metadata.display_name.empty() ? metadata.name : metadata.display_name),
                            .type = std::string(text(XprofStat::kHloCategory)),
                            .provenance = std::string(text(XprofStat::kTfOp)),
                            .flops = number(XprofStat::kFlops),
                            .model_flops = number(XprofStat::kModelFlops),
                            .bytes = number(XprofStat::kBytesAccessed)});
    }
  }

  void ReadLine(uint32_t index, bool merges_steps) {
    const Line& line = plane_.lines[index];
    const std::vector<int64_t>* groups = reading_.grouping.GroupsOf(plane_index_, index);
    const bool ops = IsOpsName(line.name), counts = ops || IsStepsName(line.name);
    if (counts) reading_.sink.BeginLine(!ops, false);
    const auto hand_on = [&](const TpuEvent& event) {
      if (event.widens_window) {
        window_.begin_ps = std::min(window_.begin_ps, event.begin_ps);
        window_.end_ps = std::max(window_.end_ps, event.end_ps());
      }
      if (!counts) return;
      Push({.begin_ps = event.span().begin_ps,
            .end_ps = event.span().end_ps,
            .op = event.metadata == MetadataMap::kNone ? XprofEvent::kNone : known_[event.metadata].op,
            .occurrences = static_cast<uint64_t>(std::max<int64_t>(1, event.occurrences))});
    };
    if (!merges_steps && (!preprocessed_ || IsSorted(line))) {
      reading_.scan.ForEach(line, &stats_.filter(), true,
                            [&](const Event& e, uint64_t i) { hand_on(Read(line, e, i, groups)); });
    } else {
      std::vector<TpuEvent> events;
      const auto keep = [&](const Event& e, uint64_t i) { events.push_back(Read(line, e, i, groups)); };
      // Sorted by grouping already, should the line hold a thread pool region.
      const bool sorted = !reading_.grouping.already_grouped && NamesThreadPoolRegions(plane_) &&
                          HasThreadPoolRegion(plane_, line, &reading_.scan);
      ForEachInXprofOrder(line, &stats_.filter(), sorted, &reading_.scan, keep);
      if (merges_steps) MergeSteps(&events);
      if (preprocessed_) std::stable_sort(events.begin(), events.end(), IsBefore);
      for (const TpuEvent& event : events) hand_on(event);
    }
    Flush();
    if (counts) reading_.sink.EndLine();
  }

  static bool IsBefore(const TpuEvent& a, const TpuEvent& b) {
    return a.begin_ps != b.begin_ps ? a.begin_ps < b.begin_ps : a.duration_ps > b.duration_ps;
  }

  bool IsSorted(const Line& line) {
    static const StatFilter kNoStats;
    uint64_t begin = 0;
    int64_t duration = std::numeric_limits<int64_t>::max();
    bool sorted = true;
    reading_.scan.ForEach(line, &kNoStats, false, [&](const Event& event, uint64_t) {
      const uint64_t next = WrappingBegin(line, event);
      sorted = sorted && (begin < next || (begin == next && duration >= event.duration_ps));
      begin = next;
      duration = event.duration_ps;
    });
    return sorted;
  }

  TpuEvent Read(const Line& line, const Event& event, uint64_t ordinal, const std::vector<int64_t>* groups) {
    TpuEvent out{.begin_ps = WrappingBegin(line, event), .duration_ps = event.duration_ps};
    out.metadata = plane_.event_metadata.IndexOf(event.metadata_id);
    out.occurrences = event.num_occurrences;
    stats_.Read(event.stats, kEventStats);
    const Stat* offset = stats_.Get(XprofStat::kDeviceOffset);
    const Stat* duration = stats_.Get(XprofStat::kDeviceDuration);
    if (offset != nullptr && duration != nullptr) {
      out.device = {offset->int_or_uint(), offset->int_or_uint() + duration->int_or_uint()};
    }
    const Stat* group = stats_.Get(XprofStat::kGroupId);
    out.group = group == nullptr ? kNoGroup : group->int64_only();
    if (groups != nullptr && ordinal < groups->size() && (*groups)[ordinal] != kNoGroup) out.group = (*groups)[ordinal];
    out.widens_window = preprocessed_ && HasTfOp(out.metadata);
    return out;
  }

  // By the metadata's stats, which the event's own replace.
  bool HasTfOp(uint32_t metadata) const {
    Known known = metadata == MetadataMap::kNone ? Known() : known_[metadata];
    if (const Stat* tf_op = stats_.Last(XprofStat::kTfOp)) known.has_tf_op = !plane_.Text(*tf_op).empty();
    if (const Stat* async = stats_.Last(XprofStat::kAsync)) known.is_async = async->int_or_uint() != 0;
    return known.has_tf_op && !known.is_async;
  }

  // Once a step has a group, those without are dropped; neighbours of one group become one step.
  static void MergeSteps(std::vector<TpuEvent>* steps) {
    if (std::all_of(steps->begin(), steps->end(), [](const TpuEvent& e) { return e.group == kNoGroup; })) return;
    std::vector<TpuEvent> kept;
    int64_t latest = kNoGroup;
    for (const TpuEvent& step : *steps) {
      if (step.group != kNoGroup && step.group == latest) {
        TpuEvent& first = kept.back();
        if (first.device) {
          first.device = {std::min(first.device->begin_ps, step.span().begin_ps),
                          std::max(first.device->end_ps, step.span().end_ps)};
        }
        first.duration_ps = static_cast<int64_t>(step.end_ps() - first.begin_ps);
      } else if (step.group != kNoGroup) {
        kept.push_back(step);
      }
      latest = step.group;
    }
    *steps = std::move(kept);
  }

  void Push(const XprofEvent& event) {
    batch_.push_back(event);
    if (batch_.size() == kBatch) Flush();
  }
  void Flush() {
    if (!batch_.empty()) reading_.sink.Add(batch_);
    batch_.clear();
  }

  const uint32_t plane_index_;
  const Plane& plane_;
  XprofReading& reading_;
  XprofStats stats_, metadata_stats_;
  const bool preprocessed_;  // XProf sorts the lines and derives a `Framework Ops` line
  trace::XprofNames names_;
  std::vector<Known> known_;  // by metadata index
  std::vector<XprofEvent> batch_;
  Span window_{std::numeric_limits<uint64_t>::max(), 0};  // of the derived line
};

}  // namespace

void ReadXprofTpuPlane(uint32_t plane, XprofReading* reading) { TpuPlaneReader(plane, reading).Run(); }

}  // namespace tfprof::xplane
