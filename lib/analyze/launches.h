// Which moments on host threads launched which device events, through the correlation ids of a file.
//
// CUPTI and ROCm number each call of their API; the host event of the call and the device events that it caused carry
// the number (stat `correlation_id`). Of several host events with one number (a runtime call around a driver call) the
// first counts: both stand in the same op. Device events of derived lines are views and don't count. A sink for one
// file: numbers mean nothing beyond it. It holds one entry a
// call and one an event that was launched; where a device stands before some host, one for each of its numbered events.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/ops_result.h"
#include "trace/event_stream.h"

namespace tfprof::analyze {

struct Launch {
  int64_t at_ps = 0;  // start of the call, strict
  uint32_t id = 0;    // counted within the file
};

// A device event whose launching call is in the file.
struct LaunchedEvent {
  int64_t start_ps = 0, duration_ps = 0;
  uint32_t launch = 0;  // Launch::id
};

class LaunchTable : public trace::EventSink {
 public:
  std::vector<trace::EventStat> Stats(const trace::StreamPlane& plane) const override;
  void BeginFile(const trace::StreamFile& file) override;
  bool BeginPlane(const trace::StreamPlane& plane) override;
  uint32_t Classify(std::string_view event_name) override;
  bool BeginLine(const trace::StreamLine& line) override;
  void Add(const trace::StreamEvent& event, uint32_t kind) override;
  void EndFile() override;
  std::unique_ptr<trace::EventSink> Fork() const override;
  void Join(trace::EventSink&& fork) override;

  // Of a line of a host plane, by start.
  std::span<const Launch> OfHostLine(int64_t line_id) const;
  // Of a line of a device, in nesting order.
  std::span<const LaunchedEvent> OfDeviceLine(std::string_view plane, int64_t line_id) const;
  // Device events that carry a number were seen: launched time can be told.
  bool known() const { return known_; }

 private:
  struct Call {
    int64_t line_id = 0, at_ps = 0;
  };
  struct Numbered {
    int64_t start_ps = 0, duration_ps = 0;
    uint64_t number = 0;
  };
  using LineKey = std::pair<std::string, int64_t>;  // plane and id

  using Calls = std::unordered_map<uint64_t, Call>;
  static bool HearsCalls(const trace::StreamPlane& plane);

  bool any_gpu_ = false;  // else nothing could have been launched
  bool on_host_ = false;
  std::string plane_;
  int64_t line_id_ = 0;
  std::vector<Numbered>* device_line_ = nullptr;
  Calls calls_;
  std::set<uint32_t> hosts_to_come_;     // planes
  const Calls* all_calls_ = nullptr;     // of the file, when its hosts were read; else null
  std::map<LineKey, std::vector<Numbered>> device_events_;
  std::unordered_map<int64_t, std::vector<Launch>> by_host_line_;
  std::map<LineKey, std::vector<LaunchedEvent>> by_device_line_;
  bool known_ = false;
};

}  // namespace tfprof::analyze
