#include "analyze/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/count.h"
#include "base/counted.h"
#include "trace/op_name.h"

namespace tfprof::analyze {
namespace {

using trace::EventStat;
using trace::StatValue;

constexpr uint32_t kAllocation = 1, kDeallocation = 2;

// tensorflow/core/framework/types.proto; 100 more: a reference to one.
constexpr std::string_view kDataTypes[] = {"INVALID",
                                           "float",
                                           "double",
                                           "int32",
                                           "uint8",
                                           "int16",
                                           "int8",
                                           "string",
                                           "complex64",
                                           "int64",
                                           "bool",
                                           "qint8",
                                           "quint8",
                                           "qint32",
                                           "bfloat16",
                                           "qint16",
                                           "quint16",
                                           "uint16",
                                           "complex128",
                                           "half",
                                           "resource",
                                           "variant",
                                           "uint32",
                                           "uint64",
                                           "float8_e5m2",
                                           "float8_e4m3fn",
                                           "float8_e4m3fnuz",
                                           "float8_e4m3b11fnuz",
                                           "float8_e5m2fnuz",
                                           "int4",
                                           "uint4"};

std::string DataTypeName(int64_t number) {
  const bool reference = number > 100;
  const int64_t base = reference ? number - 100 : number;
  const std::string name = base >= 0 && base < std::ssize(kDataTypes) ? std::string(kDataTypes[base])
                                                                      : fmt::format("unknown dtype enum ({})", base);
  return reference ? name + "_ref" : name;
}

// The name in `name:type`; what is no such text is left as it is.
std::string_view OpNameIn(std::string_view tf_op) {
  const trace::ParsedOp op = trace::ParseTfOpFullname(tf_op);
  return op.category == trace::OpCategory::kUnknown || op.name.empty() ? tf_op : op.name;
}

// Another file's answer on the same allocator.
void JoinFiles(AllocatorMemory&& later, AllocatorMemory* memory) {
  const auto used = [](const AllocatorMemory& of) { return of.peak ? of.peak->use.used_bytes() : INT64_MIN; };
  if (used(later) > used(*memory)) std::swap(later, *memory);
  memory->lifetime_peak_bytes = std::max(memory->lifetime_peak_bytes, later.lifetime_peak_bytes);
  AddCount(later.allocations, &memory->allocations);
  AddCount(later.deallocations, &memory->deallocations);
  AddCount(later.untimed, &memory->untimed);
}

}  // namespace

uint32_t AllocatorEvents::Number(const MemoryPurpose& purpose) {
  const auto [at, is_new] = numbers.try_emplace(purpose, static_cast<uint32_t>(purposes.size()));
  if (is_new) purposes.push_back(purpose);
  return at->second;
}

std::vector<EventStat> MemoryStats::Stats(const trace::StreamPlane&) const {
  return {EventStat::kAllocatorName,   EventStat::kIndexOnHost,    EventStat::kDeviceOrdinal,
          EventStat::kBytesReserved,   EventStat::kBytesAllocated, EventStat::kBytesAvailable,
          EventStat::kFragmentation,   EventStat::kPeakBytesInUse, EventStat::kRequestedBytes,
          EventStat::kAllocationBytes, EventStat::kAddress,        EventStat::kTfOp,
          EventStat::kRegionType,      EventStat::kDataType,       EventStat::kShape};
}

bool MemoryStats::BeginPlane(const trace::StreamPlane& plane) {
  if (plane.kind == trace::StreamPlaneKind::kHost) return true;
  return compat_ == Compat::kNone && plane.name.starts_with("/host:CPU ");  // `/host:CPU [pid]`
}

uint32_t MemoryStats::Classify(std::string_view event_name) {
  if (event_name == "MemoryAllocation") return kAllocation;
  return event_name == "MemoryDeallocation" ? kDeallocation : kSkip;
}

bool MemoryStats::BeginLine(const trace::StreamLine&) { return true; }

// XProf sees signed numbers only.
int64_t MemoryStats::Number(StatValue value) const {
  return compat_ != Compat::kNone ? value.int64_only() : static_cast<int64_t>(value.whole_number().int_or_uint());
}

MemoryPurpose MemoryStats::PurposeOf(const trace::EventStats& stats) const {
  StatValue data_type = stats.Last(EventStat::kDataType);
  if (const StatValue number = data_type.whole_number(); number && compat_ == Compat::kNone) data_type = number;
  const std::string_view tf_op = stats.Last(EventStat::kTfOp).text;
  return {std::string(compat_ != Compat::kNone ? tf_op : OpNameIn(tf_op)),
          std::string(stats.Last(EventStat::kRegionType).text),
          !data_type                                 ? ""
          : data_type.slot == StatValue::Slot::kText ? std::string(data_type.text)
                                                     : DataTypeName(Number(data_type)),
          std::string(stats.Last(EventStat::kShape).text)};
}

MemoryEvent MemoryStats::Read(const trace::StreamEvent& event, bool allocation) const {
  const trace::EventStats& stats = *event.stats;
  const auto number = [&](EventStat stat) { return Number(stats.Last(stat)); };
  MemoryEvent out;
  out.allocation = allocation;
  out.timed = compat_ != Compat::kNone || event.timed;
  out.time_ps = compat_ != Compat::kNone ? event.offset_ps : trace::FromTraceStart(event.start_ps, trace_start_ps_);
  out.address = static_cast<uint64_t>(number(EventStat::kAddress));
  out.has_address = compat_ != Compat::kNone || stats.Last(EventStat::kAddress);
  out.allocation_bytes = number(EventStat::kAllocationBytes);
  out.requested_bytes = number(EventStat::kRequestedBytes);
  out.has_use = compat_ != Compat::kNone || stats.Last(EventStat::kBytesAllocated);
  out.use = {number(EventStat::kBytesAllocated), number(EventStat::kBytesReserved), number(EventStat::kBytesAvailable)};
  out.lifetime_peak_bytes = number(EventStat::kPeakBytesInUse);
  const StatValue fragmentation = stats.Last(EventStat::kFragmentation);
  if (compat_ != Compat::kNone) {
    out.fragmentation = fragmentation.double_only();
  } else if (fragmentation) {
    out.fragmentation = fragmentation.any_number();
  }
  if (event.group != trace::kNoEventGroup) out.step = event.group;
  out.counts = event.chosen;
  return out;
}

void MemoryStats::Add(const trace::StreamEvent& event, uint32_t kind) {
  const trace::EventStats& stats = *event.stats;
  const EventStat by = stats.LatestOf({EventStat::kAllocatorName, EventStat::kIndexOnHost, EventStat::kDeviceOrdinal});
  std::string id;
  if (by == EventStat::kAllocatorName) {
    id = stats.Last(by).text;
  } else if (by != EventStat::kCount) {
    id = std::to_string(Number(stats.Last(by)));
  }
  AllocatorEvents& allocator = allocators_[Key{host_, std::move(id), file_}];
  MemoryEvent read = Read(event, kind == kAllocation);
  read.purpose = allocator.Number(PurposeOf(stats));
  allocator.knows_free = allocator.knows_free || !timeline_ || stats.Last(EventStat::kBytesAvailable);
  allocator.events.push_back(read);
}

void MemoryStats::Merge(MemoryStats&& other) {
  for (auto& [key, theirs] : other.allocators_) {
    const auto [at, is_new] = allocators_.try_emplace(key, std::move(theirs));
    if (is_new) continue;
    AllocatorEvents& mine = at->second;
    mine.knows_free = mine.knows_free || theirs.knows_free;
    for (MemoryEvent event : theirs.events) {
      event.purpose = mine.Number(theirs.purposes[event.purpose]);
      mine.events.push_back(event);
    }
  }
}

MemoryResult MemoryStats::Finish() && {
  MemoryResult result;
  result.compat = compat_;
  bool several_files = false;  // tell of the allocator at hand
  for (auto& [key, events] : allocators_) {
    const bool knows_free = events.knows_free;
    AllocatorMemory memory =
        compat_ != Compat::kNone ? SummarizeMemoryLikeXprof(std::move(events)) : SummarizeMemory(std::move(events));
    memory.host = key.host;
    memory.id = key.id;
    memory.file = key.file.second;
    memory.knows_free = knows_free;
    if (result.allocators.empty() || result.allocators.back().host != key.host ||
        result.allocators.back().id != key.id) {
      if (!result.allocators.empty() && !several_files) result.allocators.back().file.clear();
      several_files = false;
      result.allocators.push_back(std::move(memory));
    } else {
      several_files = true;
      JoinFiles(std::move(memory), &result.allocators.back());
    }
  }
  if (!result.allocators.empty() && !several_files) result.allocators.back().file.clear();
  return result;
}

void LimitMemoryRows(uint64_t limit, MemoryResult* result, Diagnostics* diagnostics) {
  uint64_t cut = 0;
  for (AllocatorMemory& memory : result->allocators) {
    std::vector<MemoryRow>& rows = memory.active_at_peak;
    if (limit == 0 || rows.size() <= limit) continue;
    for (size_t i = limit; i < rows.size(); ++i) {
      memory.other_occurrences += rows[i].occurrences;
      memory.other_bytes += rows[i].total_bytes();
    }
    cut += rows.size() - limit;
    rows.resize(limit);
  }
  if (cut == 0) return;
  diagnostics->Add(DiagCode::kRowsLimited,
                   fmt::format("{} of what was alive at the peaks {} left out (--limit {})",
                               Counted(cut, "row", "rows"), cut == 1 ? "is" : "are", limit), cut);
}

}  // namespace tfprof::analyze
