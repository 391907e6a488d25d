// The events themselves, one row each, handed on as they are read: nothing is kept.
//
// A row's texts are valid during the call that gives it. Times are picoseconds; 0 is the start of the trace, as for --time:
// the start of its earliest event on a lane with ops. Views (derived lines, steps) are given too, marked as such: their
// time is that of other events. Who an event belongs to: design §3 rules 11, 12.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/ops_result.h"
#include "trace/event_stream.h"
#include "trace/op_dictionary.h"

namespace tfprof::analyze {

struct EventRow {
  std::string_view file, host, plane, lane, lane_id;
  Side side = Side::kHost;
  bool view = false;
  std::string_view name;
  std::string_view op_type, op_name;  // "": it is no op
  std::optional<int64_t> start_ps;    // none: it has no place in the trace's time
  int64_t duration_ps = 0;
  uint64_t occurrences = 1;           // more: an aggregate
  std::optional<uint64_t> group;      // XProf's step number
  std::string_view step_name;
  std::optional<uint64_t> correlation_id;
};

struct EventSelection {
  std::optional<Side> side;
  std::vector<std::string> include;  // RE2; an event stays if one matches its name, or its op's or type's (or there is none)
  std::vector<std::string> exclude;  // and none of these does
  // What overlaps this range; open ends. Events without a time are in no range.
  std::optional<int64_t> from_ps, to_ps;
};

class EventRows : public trace::EventSink {
 public:
  // Patterns must compile. `take` gets the rows.
  EventRows(EventSelection selection, std::function<void(const EventRow&)> take);
  ~EventRows() override;

  std::vector<trace::EventStat> Stats(const trace::StreamPlane& plane) const override;
  void BeginFile(const trace::StreamFile& file) override;
  bool BeginPlane(const trace::StreamPlane& plane) override;
  uint32_t Classify(std::string_view event_name) override;
  bool BeginLine(const trace::StreamLine& line) override;
  void Add(const trace::StreamEvent& event, uint32_t kind) override;

 private:
  struct Patterns;

  bool InRange(const trace::StreamEvent& event) const;
  void FindOwner(const trace::StreamEvent& event, uint32_t kind);

  const EventSelection selection_;
  const std::function<void(const EventRow&)> take_;
  std::unique_ptr<Patterns> patterns_;

  // What is open; the row's texts point here.
  std::string file_, host_, plane_, lane_, lane_id_;
  int64_t trace_start_ps_ = 0;
  bool tells_ops_ = false;
  bool tpu_space_ = false;  // the plane is a TPU of an XSpace
  EventRow row_;
  trace::Op owner_;
  std::string framework_name_;
};

}  // namespace tfprof::analyze
