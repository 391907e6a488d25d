// How many hosts and devices a run has, and what to call them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/inventory.h"

namespace tfprof::report {

struct DeviceInfo {
  std::string host, name;
  uint64_t lanes = 0;   // that hold work, not views of it
  uint64_t events = 0;  // on those
};

struct RunShape {
  std::vector<std::string> runs, hosts;     // distinct, sorted by name; without unknown ones
  std::vector<DeviceInfo> devices;          // sorted by host and name; a plane with work on a device lane is one
  std::string_view device_noun = "device";  // "GPU", "TPU" or "device"
  uint64_t host_threads = 0;                // host lanes with ops
  bool packed_rows = false;  // those are rows that TF1 packs ops into, no threads
  uint64_t bytes = 0;
  __int128 span_ps = 0;  // of the longest file, first start to last end on lanes that hold work
};

RunShape RunShapeOf(const std::vector<analyze::FileInventory>& files);

// "2 GPUs", "1 device".
std::string DevicesText(const RunShape& shape);

}  // namespace tfprof::report
