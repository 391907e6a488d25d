// Which device events of a Kineto trace some `cpu_op` claims.
//
// A device event belongs to the innermost cpu_op around the runtime or driver call with its `correlation`; `External id`
// counts only where there is no such launch, and only if it differs from the correlation (files of 2022 to early 2024
// write that number there). Reference: chrome_trace.md (c). Holds 16 to 24 bytes for each cpu_op, launch and kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/chrome/event.h"

namespace tfprof::chrome {

class KinetoOwners {
 public:
  // Times are relative to any fixed base; `lane` numbers a (pid, tid).
  void AddCpuOp(uint32_t lane, int64_t start_ps, int64_t end_ps, const TraceEvent& event);
  void AddLaunch(uint32_t lane, int64_t start_ps, const TraceEvent& event);
  void AddDeviceEvent(const TraceEvent& event);

  // For each device event, in order of arrival, whether it is claimed.
  std::vector<bool> Claimed();

 private:
  struct Launch {
    uint32_t lane = 0;
    int64_t start_ps = 0;
    uint64_t external_id = 0;
  };
  struct DeviceEvent {
    uint64_t correlation = 0, external_id = 0;
  };
  struct Span {
    int64_t start_ps, end_ps;
  };

  bool InsideCpuOp(const Launch& launch) const;

  std::unordered_map<uint32_t, std::vector<Span>> cpu_ops_;  // by lane
  std::unordered_set<uint64_t> cpu_op_ids_;
  std::unordered_map<uint64_t, Launch> launches_;            // by correlation; the last one counts
  std::vector<DeviceEvent> device_events_;
};

}  // namespace tfprof::chrome
