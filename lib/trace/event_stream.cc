#include "trace/event_stream.h"

#include <charconv>
#include <cmath>
#include <iterator>

namespace tfprof::trace {
namespace {

constexpr std::string_view kNames[] = {
    "tf_op", "hlo_op", "hlo_category", "program_id", "symbol_id", "is_eager", "_ipl_stage_id", "_ipl_stage_cat", "group_id",
    "flops", "model_flops", "bytes_accessed", "kernel_details", "equation", "correlation_id", "device_offset_ps",
    "device_duration_ps", "_a", "_r", "_pt", "_p", "_ct", "_c", "_pid", "id", "iter_num", "is_func", "core_type",
    "request_id", "queue_addr", "device_ordinal", "queue_id", "run_id",
    "_ipl_stage_name", "step_name", "step_num", "graph_type", "shape", "device_id", "parent_id", "element_id",
    "allocator_name", "index_on_host", "bytes_reserved", "bytes_allocated", "bytes_available", "fragmentation",
    "peak_bytes_in_use", "requested_bytes", "allocation_bytes", "addr", "region_type", "data_type", "level 0",
    "annotation"};
static_assert(std::size(kNames) == static_cast<size_t>(EventStat::kCount));

using Slot = StatValue::Slot;

template <typename Number>
bool ReadAll(std::string_view text, int base, Number* number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), *number, base);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && !text.empty();
}

StatValue WholeOf(double value) {
  StatValue whole;
  if (value >= -0x1p63 && value < 0x1p63) {
    whole.slot = Slot::kInt64;
    whole.bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  } else if (value >= 0x1p63 && value < 0x1p64) {
    whole.slot = Slot::kUint64;
    whole.bits = static_cast<uint64_t>(value);
  }
  return whole;
}

StatValue WholeOf(std::string_view text) {
  StatValue whole;
  const bool hexadecimal = text.starts_with("0x");
  uint64_t from_zero = 0;
  if (ReadAll(hexadecimal ? text.substr(2) : text, hexadecimal ? 16 : 10, &from_zero)) {
    whole.slot = from_zero > INT64_MAX ? Slot::kUint64 : Slot::kInt64;
    whole.bits = from_zero;
  } else if (int64_t below_zero = 0; ReadAll(text, 10, &below_zero)) {
    whole.slot = Slot::kInt64;
    whole.bits = static_cast<uint64_t>(below_zero);
  }
  return whole;
}

}  // namespace

double StatValue::any_number() const {
  if (slot == Slot::kInt64) return static_cast<double>(static_cast<int64_t>(bits));
  if (slot == Slot::kUint64) return static_cast<double>(bits);
  if (slot != Slot::kText) return double_only();
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && std::isfinite(number) ? number : 0;
}

StatValue StatValue::whole_number() const {
  if (slot == Slot::kDouble) return WholeOf(double_only());
  if (slot == Slot::kText) return WholeOf(text);
  StatValue whole = *this;
  if (slot == Slot::kUint64 && bits <= INT64_MAX) whole.slot = Slot::kInt64;
  return whole;
}

bool IsWholeNumber(EventStat stat) {
  switch (stat) {
    case EventStat::kTfOp:
    case EventStat::kHloOp:
    case EventStat::kHloCategory:
    case EventStat::kStageCategory:
    case EventStat::kStageName:
    case EventStat::kKernelDetails:
    case EventStat::kEquation:
    case EventStat::kStepName:
    case EventStat::kGraphType:
    case EventStat::kShape:
    case EventStat::kAllocatorName:
    case EventStat::kFragmentation:
    case EventStat::kRegionType:
    case EventStat::kDataType:  // or a name
    case EventStat::kLevel0:
    case EventStat::kAnnotation:
    case EventStat::kCount:
      return false;
    default:
      return true;
  }
}

std::string_view EventStatName(EventStat stat) { return kNames[static_cast<size_t>(stat)]; }

}  // namespace tfprof::trace
