#include "trace/event_stream.h"

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

}  // namespace

std::string_view EventStatName(EventStat stat) { return kNames[static_cast<size_t>(stat)]; }

}  // namespace tfprof::trace
