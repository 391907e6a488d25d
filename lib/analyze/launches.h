// Which moments on host threads launched how much device time, through the correlation ids of an XSpace.
//
// CUPTI and ROCm number each call of their API; the host event of the call and the device events that it caused carry the
// number (stat `correlation_id`). Of several host events with one number (a runtime call around a driver call) the
// first counts: both stand in the same op. Device events of derived lines are views and don't count. A sink for one
// file: numbers mean nothing beyond it. It holds one entry a launch.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/ops_result.h"
#include "trace/event_stream.h"

namespace tfprof::analyze {

struct Launch {
  int64_t at_ps = 0;  // start of the call, strict
  int128 device_ps = 0;
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

  // Of a line of the host, by start.
  std::span<const Launch> OfLine(int64_t line_id) const;
  // Device events that carry a number were seen: launched time can be told.
  bool known() const { return known_; }
  // Device time whose call isn't in the file.
  int128 unmatched_ps() const { return unmatched_ps_; }

 private:
  struct Call {
    int64_t line_id = 0, at_ps = 0;
  };

  bool any_gpu_ = false;  // else nothing could have been launched
  bool on_host_ = false;
  int64_t line_id_ = 0;
  std::unordered_map<uint64_t, Call> calls_;
  std::unordered_map<uint64_t, int128> device_ps_;
  std::unordered_map<int64_t, std::vector<Launch>> by_line_;
  bool known_ = false;
  int128 unmatched_ps_ = 0;
};

}  // namespace tfprof::analyze
