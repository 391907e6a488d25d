#include <array>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/xplane/derived_line.h"
#include "formats/xplane/event_kind.h"
#include "formats/xplane/thread_pool.h"
#include "formats/xplane/xprof_planes.h"
#include "formats/xplane/xprof_stats.h"
#include "trace/gpu_kernel.h"
#include "trace/op_name.h"

namespace tfprof::xplane {
namespace {

using trace::XprofEvent;

constexpr size_t kBatch = 256;

class GpuPlaneReader {
 public:
  GpuPlaneReader(uint32_t plane, XprofReading* reading)
      : plane_index_(plane),
        plane_(reading->layout.planes[plane]),
        reading_(*reading),
        stats_(plane_, {XprofStat::kGroupId, XprofStat::kCorrelationId},
               {XprofStat::kTfOp, XprofStat::kHloOp, XprofStat::kProgramId, XprofStat::kIsEager, XprofStat::kFlops,
                XprofStat::kBytesAccessed, XprofStat::kKernelDetails, XprofStat::kEquation}),
        texts_(plane_),
        kinds_(KindsOfMetadata(plane_)) {
    const std::optional<Stat> vendor = LastPlaneStat(plane_, "device_vendor");
    vendor_ = trace::ParseGpuVendor(vendor ? plane_.Text(*vendor) : std::string_view{});
    batch_.reserve(kBatch);
  }

  void Run() {
    reading_.sink.BeginPlane(trace::XprofPlaneKind::kGpu, names_);
    const bool may_sort = !reading_.grouping.already_grouped && NamesThreadPoolRegions(plane_);
    for (uint32_t i = 0; i < plane_.lines.size() && !reading_.scan.Cancelled(); ++i) {
      const Line& line = plane_.lines[i];
      if (IsDerivedLineId(line.id)) continue;
      const bool sorted = may_sort && HasThreadPoolRegion(plane_, line, &reading_.scan);
      eager_ = reading_.grouping.eager.BitsOf(plane_index_, i);
      groups_ = reading_.grouping.GroupsOf(plane_index_, i);
      reading_.sink.BeginLine(false, false);
      ForEachInXprofOrder(line, &stats_.filter(), sorted, &reading_.scan,
                          [&](const Event& event, uint64_t ordinal) { Place(event, ordinal); });
      Flush();
      reading_.sink.EndLine();
    }
    reading_.sink.EndPlane();
    reading_.scan.NoteBrokenStats(stats_.broken());
  }

 private:
  // What an event is: by its metadata and the texts that decide.
  using Key = std::array<uint64_t, 6>;
  struct KeyHash {
    size_t operator()(const Key& key) const {
      uint64_t hash = 0;
      for (const uint64_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
      return hash;
    }
  };
  struct Known {
    uint32_t op = XprofEvent::kNone, kernel = XprofEvent::kNone;
  };

  void Place(const Event& event, uint64_t ordinal) {
    const uint32_t metadata = plane_.event_metadata.IndexOf(event.metadata_id);
    stats_.Read(event.stats, kEventStats);
    const Known& known = Lookup(metadata);
    XprofEvent out{.begin_ps = static_cast<uint64_t>(event.offset_ps),
                   .end_ps = static_cast<uint64_t>(event.offset_ps) + static_cast<uint64_t>(event.duration_ps)};
    out.op = known.op;
    if (event.duration_ps != 0) out.kernel = known.kernel;
    if (IsEager(metadata, ordinal)) out.flags |= XprofEvent::kEager;
    SetGroup(ordinal, &out);
    if (const Stat* flops = stats_.Last(XprofStat::kFlops)) {
      out.flags |= XprofEvent::kHasFlops;
      out.flops = flops->int_or_uint();
    }
    if (const Stat* bytes = stats_.Last(XprofStat::kBytesAccessed)) {
      out.flags |= XprofEvent::kHasBytes;
      out.bytes = bytes->int_or_uint();
    }
    batch_.push_back(out);
    if (batch_.size() == kBatch) Flush();
  }

  void SetGroup(uint64_t ordinal, XprofEvent* out) const {
    const Stat* stored = stats_.Get(XprofStat::kGroupId);
    int64_t group = stored == nullptr ? kNoGroup : stored->int64_only();
    if (groups_ != nullptr && ordinal < groups_->size()) group = (*groups_)[ordinal];
    if (group == kNoGroup) return;
    out->flags |= XprofEvent::kGrouped;
    out->group = group;
  }

  bool IsEager(uint32_t metadata, uint64_t ordinal) const {
    const EventKind by_name = metadata == MetadataMap::kNone ? EventKind::kOther : kinds_[metadata];
    const bool correlated = stats_.Get(XprofStat::kCorrelationId) != nullptr;
    if (!reading_.grouping.eager.use_stored() && IsFlaggedByGrouping(KindOfEvent(by_name, correlated, false))) {
      return eager_ != nullptr && eager_->Get(ordinal);
    }
    const Stat* stored = stats_.Last(XprofStat::kIsEager);
    return stored != nullptr && stored->int64_only() != 0;
  }

  const Known& Lookup(uint32_t metadata) {
    const Stat* program = stats_.Last(XprofStat::kProgramId);
    const int64_t tf_op = texts_.Of(stats_.Last(XprofStat::kTfOp)), hlo_op = texts_.Of(stats_.Last(XprofStat::kHloOp));
    const int64_t details = texts_.Of(stats_.Last(XprofStat::kKernelDetails));
    const int64_t equation = texts_.Of(stats_.Last(XprofStat::kEquation));
    const Key key = {uint64_t{metadata} << 1 | (program != nullptr),
                     static_cast<uint64_t>(tf_op),
                     static_cast<uint64_t>(hlo_op),
                     program == nullptr ? 0 : program->int_or_uint(),
                     static_cast<uint64_t>(details),
                     static_cast<uint64_t>(equation)};
    const auto [at, is_new] = known_.try_emplace(key);
    if (is_new) at->second = Decide(metadata, texts_.Text(tf_op), hlo_op, texts_.Text(details), texts_.Text(equation));
    return at->second;
  }

  Known Decide(uint32_t metadata, std::string_view tf_op, int64_t hlo_text, std::string_view details,
               std::string_view equation) {
    const std::string_view event_name =
        metadata == MetadataMap::kNone ? std::string_view{} : plane_.event_metadata.entries()[metadata].name;
    std::string provenance;
    const bool is_hlo = hlo_text != TextIds::kNone;
    Known known;
    if (is_hlo) {
      known.op = HloOp(texts_.Text(hlo_text), &provenance);
    } else if (!tf_op.empty()) {
      const trace::ParsedOp op = trace::ParseTfOpFullname(tf_op);
      names_.ops.push_back({.name = std::string(op.name) + "/" + std::string(event_name),
                            .type = op.type.empty() ? "unknown" : std::string(op.type),
                            .provenance = std::string(tf_op)});
      known.op = static_cast<uint32_t>(names_.ops.size() - 1);
    }
    if (details.empty()) return known;
    trace::XprofKernel kernel{.name = std::string(event_name), .launch = trace::ParseKernelDetails(details)};
    kernel.uses_tensor_core = trace::UsesTensorCores(vendor_, event_name);
    if (!tf_op.empty()) {
      kernel.op_name = trace::ParseTfOpFullname(tf_op).name;
      kernel.eligible =
          trace::IsTensorCoreEinsum(equation) || trace::IsTensorCoreOp(kernel.op_name) || kernel.uses_tensor_core;
    }
    if (is_hlo && known.op != XprofEvent::kNone) {
      kernel.op_name = trace::ParseTfOpFullname(provenance).name;
      kernel.eligible = kernel.eligible || trace::IsTensorCoreOp(kernel.op_name);
    }
    names_.kernels.push_back(std::move(kernel));
    known.kernel = static_cast<uint32_t>(names_.kernels.size() - 1);
    return known;
  }

  // The instruction that the stats name, or kNone where no module tells of it.
  uint32_t HloOp(std::string_view hlo_op, std::string* provenance) {
    const size_t separator = hlo_op.rfind("::");
    const std::string_view name = separator == std::string_view::npos ? hlo_op : hlo_op.substr(separator + 2);
    const Stat* program = stats_.Last(XprofStat::kProgramId);
    const uint64_t id = program == nullptr ? 0 : program->int_or_uint();
    const HloInstruction* instruction = program == nullptr ? nullptr : reading_.hlo.Find(id, name);
    if (instruction == nullptr) {
      reading_.unresolved_hlo.emplace(id, name);
      return XprofEvent::kNone;
    }
    if (!instruction->op_name.empty() || !instruction->op_type.empty()) {
      *provenance = std::string(instruction->op_name) + ":" + std::string(instruction->op_type);
    }
    names_.ops.push_back(
        {.module = id, .name = std::string(name), .type = "hlo", .provenance = *provenance, .batched = true});
    return static_cast<uint32_t>(names_.ops.size() - 1);
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
  trace::GpuVendor vendor_;
  trace::XprofNames names_;
  std::unordered_map<Key, Known, KeyHash> known_;
  std::vector<XprofEvent> batch_;
  const EagerBits* eager_ = nullptr;              // of the line that is read
  const std::vector<int64_t>* groups_ = nullptr;  // likewise
};

}  // namespace

void ReadXprofGpuPlane(uint32_t plane, XprofReading* reading) { GpuPlaneReader(plane, reading).Run(); }

}  // namespace tfprof::xplane
