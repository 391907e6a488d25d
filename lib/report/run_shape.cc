#include "report/run_shape.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "report/number.h"

namespace tfprof::report {

using analyze::FileInventory;
using analyze::LaneInventory;
using analyze::PlaneInventory;
using trace::Role;
using trace::Side;

namespace {

bool HoldsWork(const LaneInventory& lane) {
  return lane.events > 0 && lane.role != Role::kView && lane.role != Role::kOther;
}

std::string_view NounFor(const std::vector<DeviceInfo>& devices) {
  for (const std::string_view noun : {"GPU", "TPU"}) {
    const auto has = [noun](const DeviceInfo& d) { return d.name.find(noun) != std::string::npos; };
    if (!devices.empty() && std::all_of(devices.begin(), devices.end(), has)) return noun;
  }
  return "device";
}

}  // namespace

RunShape RunShapeOf(const std::vector<FileInventory>& files) {
  RunShape shape;
  std::set<std::string> runs, hosts;
  std::map<std::pair<std::string, std::string>, DeviceInfo> devices;
  shape.packed_rows = !files.empty() && std::all_of(files.begin(), files.end(), [](const FileInventory& file) {
    return file.kind == "tf1-timeline";
  });
  for (const FileInventory& file : files) {
    if (!file.run.empty()) runs.insert(file.run);
    if (!file.host.empty()) hosts.insert(file.host);
    shape.bytes += file.bytes;
    int64_t first_ps = std::numeric_limits<int64_t>::max(), last_ps = std::numeric_limits<int64_t>::min();
    for (const PlaneInventory& plane : file.planes) {
      for (const LaneInventory& lane : plane.lanes) {
        if (!HoldsWork(lane)) continue;
        if (lane.timed && (lane.ops > 0 || lane.side == Side::kDevice)) {
          first_ps = std::min(first_ps, lane.first_ps);
          last_ps = std::max(last_ps, lane.last_ps);
        }
        if (lane.side == Side::kHost) {
          shape.host_threads += lane.ops > 0;
          continue;
        }
        DeviceInfo& device = devices[{file.host, plane.name}];
        device.host = file.host;
        device.name = plane.name;
        ++device.lanes;
        device.events += lane.events;
      }
    }
    if (first_ps <= last_ps) shape.span_ps = std::max(shape.span_ps, static_cast<__int128>(last_ps) - first_ps);
  }
  shape.runs.assign(runs.begin(), runs.end());
  shape.hosts.assign(hosts.begin(), hosts.end());
  for (auto& [key, device] : devices) shape.devices.push_back(std::move(device));
  shape.device_noun = NounFor(shape.devices);
  return shape;
}

std::string DevicesText(const RunShape& shape) {
  return CountText(shape.devices.size(), shape.device_noun, std::string(shape.device_noun) + "s");
}

}  // namespace tfprof::report
