#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/xplane/derived_line.h"
#include "formats/xplane/event_kind.h"
#include "formats/xplane/thread_pool.h"
#include "formats/xplane/xprof_planes.h"
#include "formats/xplane/xprof_stats.h"
#include "trace/op_name.h"

namespace tfprof::xplane {
namespace {

using trace::XprofEvent;
using trace::XprofOp;

constexpr size_t kBatch = 256;

class HostPlaneReader {
 public:
  HostPlaneReader(uint32_t plane, XprofReading* reading)
      : plane_index_(plane),
        plane_(reading->layout.planes[plane]),
        reading_(*reading),
        stats_(plane_, {XprofStat::kStageId, XprofStat::kStageCategory, XprofStat::kTfOp, XprofStat::kIsEager}, {}),
        texts_(plane_),
        kinds_(KindsOfMetadata(plane_)) {
    batch_.reserve(kBatch);
  }

  void Run() {
    if (stats_.Knows(XprofStat::kStageId)) {
      FindOpsByEvents();
      stats_.ForgetBroken();
    } else {
      FindOpsByNames();
    }
    reading_.sink.BeginPlane(trace::XprofPlaneKind::kHost, names_);
    const bool may_sort = !reading_.grouping.already_grouped && NamesThreadPoolRegions(plane_);
    for (uint32_t i = 0; i < plane_.lines.size() && !reading_.scan.Cancelled(); ++i) {
      const bool sorted = may_sort && HasThreadPoolRegion(plane_, plane_.lines[i], &reading_.scan);
      ReadLine(i, sorted);
    }
    reading_.sink.EndPlane();
    reading_.scan.NoteBrokenStats(stats_.broken());
  }

 private:
  uint32_t NewOp(uint64_t stage, std::string_view name, std::string_view type) {
    names_.ops.push_back({.module = stage, .name = std::string(name), .type = std::string(type)});
    return static_cast<uint32_t>(names_.ops.size() - 1);
  }

  // XProf keeps one table from stage ids and metadata ids alike to ops, in order of the events; the first to come
  // stays.
  void FindOpsByEvents() {
    for (const Line& line : plane_.lines) {
      reading_.scan.ForEach(line, &stats_.filter(), false, [&](const Event& event, uint64_t) { FindOp(event); });
    }
    by_index_.assign(plane_.event_metadata.entries().size(), XprofEvent::kNone);
    for (size_t i = 0; i < by_index_.size(); ++i) by_index_[i] = FindById(plane_.event_metadata.entries()[i].key);
  }

  void FindOp(const Event& event) {
    const Metadata* metadata = plane_.event_metadata.Find(event.metadata_id);
    if (metadata == nullptr || metadata->name.empty()) return;
    stats_.Read(event.stats, kEventStats);
    const Stat* stage = stats_.Get(XprofStat::kStageId);
    if (stage == nullptr) {
      if (by_id_.contains(event.metadata_id)) return;
      const trace::ParsedOp op = trace::ParseTfOpFullname(metadata->name);
      if (op.category != trace::OpCategory::kUnknown) by_id_[event.metadata_id] = NewOp(0, op.name, op.type);
      return;
    }
    const Stat* category = stats_.Get(XprofStat::kStageCategory);
    if (category == nullptr || by_id_.contains(stage->int64_only())) return;
    const std::string_view type = plane_.Text(*category);
    const trace::ParsedOp op = trace::ParseTfOpFullname(metadata->name);
    const auto id = static_cast<uint64_t>(stage->int64_only());
    by_id_[stage->int64_only()] = type.empty() ? NewOp(id, op.name, op.type) : NewOp(id, metadata->name, type);
  }

  // Without stages the events need not be seen for it.
  void FindOpsByNames() {
    for (const Metadata& metadata : plane_.event_metadata.entries()) {
      const trace::ParsedOp op = trace::ParseTfOpFullname(metadata.name);
      by_index_.push_back(op.category == trace::OpCategory::kUnknown ? XprofEvent::kNone : NewOp(0, op.name, op.type));
    }
  }

  uint32_t FindById(int64_t id) const {
    const auto at = by_id_.find(id);
    return at == by_id_.end() ? XprofEvent::kNone : at->second;
  }

  void ReadLine(uint32_t index, bool sorted) {
    const Line& line = plane_.lines[index];
    const bool derived = IsDerivedLineId(line.id);
    reading_.sink.BeginLine(false, derived || (!sorted && IsInOrder(line)));
    if (!derived) {
      const EagerBits* eager = reading_.grouping.eager.BitsOf(plane_index_, index);
      ForEachInXprofOrder(line, &stats_.filter(), sorted, &reading_.scan,
                          [&](const Event& event, uint64_t ordinal) { Place(line, event, eager, ordinal); });
      Flush();
    }
    reading_.sink.EndLine();
  }

  bool IsInOrder(const Line& line) {
    static const StatFilter kNoStats;
    uint64_t latest = 0;
    bool in_order = true;
    reading_.scan.ForEach(line, &kNoStats, false, [&](const Event& event, uint64_t) {
      const uint64_t begin = WrappingBegin(line, event);
      in_order = in_order && latest <= begin && begin <= WrappingEnd(line, event);
      latest = begin;
    });
    return in_order;
  }

  void Place(const Line& line, const Event& event, const EagerBits* eager, uint64_t ordinal) {
    const uint32_t metadata = plane_.event_metadata.IndexOf(event.metadata_id);
    stats_.Read(event.stats, kEventStats);
    const Stat* stage = stats_.Get(XprofStat::kStageId);
    XprofEvent out{.begin_ps = WrappingBegin(line, event), .end_ps = WrappingEnd(line, event)};
    out.op = stage != nullptr                 ? FindById(stage->int64_only())
             : metadata != MetadataMap::kNone ? by_index_[metadata]
                                              : FindById(event.metadata_id);
    if (out.op != XprofEvent::kNone) {
      if (IsEager(metadata, eager, ordinal)) out.flags = XprofEvent::kEager;
      Push(out);
    }
    const Stat* owner = stats_.Get(XprofStat::kTfOp);
    if (owner == nullptr || plane_.Text(*owner).empty()) return;
    out.op = TwinOp(*owner);
    out.flags = 0;
    Push(out);
  }

  bool IsEager(uint32_t metadata, const EagerBits* eager, uint64_t ordinal) const {
    const bool by_grouping = !reading_.grouping.eager.use_stored() && metadata != MetadataMap::kNone &&
                             IsFlaggedByGrouping(kinds_[metadata]);
    if (by_grouping) return eager != nullptr && eager->Get(ordinal);
    const Stat* stored = stats_.Get(XprofStat::kIsEager);
    return stored != nullptr && stored->int64_only() != 0;
  }

  uint32_t TwinOp(const Stat& owner) {
    const int64_t text = texts_.Of(&owner);
    const auto [at, is_new] = twins_.try_emplace(text, 0);
    if (is_new) {
      const trace::ParsedOp op = trace::ParseTfOpFullname(texts_.Text(text));
      at->second = NewOp(0, op.name, op.type);
    }
    return at->second;
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
  XprofStats stats_;
  TextIds texts_;
  const std::vector<EventKind> kinds_;  // by metadata index
  trace::XprofNames names_;
  std::vector<uint32_t> by_index_;               // op by metadata index
  std::unordered_map<int64_t, uint32_t> by_id_;  // op by stage id or metadata id, where there are stages
  std::unordered_map<int64_t, uint32_t> twins_;  // op by text of the stat `tf_op`
  std::vector<XprofEvent> batch_;
};

}  // namespace

void ReadXprofHostPlane(uint32_t plane, XprofReading* reading) { HostPlaneReader(plane, reading).Run(); }

}  // namespace tfprof::xplane
