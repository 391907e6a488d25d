// What kind of device a plane of an XSpace is, in XProf's words ("Nvidia GPU (Turing)", "AMD GPU - gfx942", "TPU v6
// Lite"). Reference: op_stats.md §5, other_tools.md §5.
#pragma once

#include <string>

#include "trace/event_stream.h"

namespace tfprof::analyze {

// `numbers`: where the stats that are numbers may stand.
std::string DeviceTypeOf(const trace::StreamPlane& plane, trace::NumberSlots numbers);

}  // namespace tfprof::analyze
