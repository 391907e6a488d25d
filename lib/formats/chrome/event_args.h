// The stats of a timeline's event: its `args`, under the names that they have in an XSpace (trace/event_stream.h).
//
// TensorFlow's exporter writes each stat as an argument of its name, numbers as text. Kineto has names of its own; the
// launch parameters of its kernels become a text as CUPTI's `kernel_details`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/chrome/dialect.h"
#include "formats/chrome/event.h"
#include "formats/chrome/placement.h"
#include "trace/event_stream.h"
#include "trace/op_dictionary.h"

namespace tfprof::chrome {

class EventArgs : public trace::EventStats {
 public:
  EventArgs(Dialect dialect, const Placer& placer) : dialect_(dialect), placer_(placer) {}

  // The event at hand, parsed, and its text; `owner`: the op that launched it, if known.
  void Point(std::string_view text, const TraceEvent* event, const Placement* placement, std::string_view owner);

  trace::StatValue First(trace::EventStat stat) const override;
  trace::StatValue Last(trace::EventStat stat) const override { return First(stat); }
  trace::EventStat LatestOf(std::initializer_list<trace::EventStat> stats) const override;
  trace::HloOrigin Hlo() const override { return {}; }
  const trace::Op* TellOp() const override;
  std::string_view TellOwner() const override;

 private:
  struct Argument {
    JsonValue key, value;
    std::optional<std::string> decoded;
  };

  void ReadArguments() const;
  trace::StatValue Find(std::string_view key) const;
  trace::StatValue KernelDetails() const;

  const Dialect dialect_;
  const Placer& placer_;
  std::string_view text_, owner_;
  const TraceEvent* event_ = nullptr;
  const Placement* placement_ = nullptr;
  // What was asked for of the event.
  mutable bool read_ = false, op_known_ = false, is_op_ = false;
  mutable std::vector<Argument> arguments_;
  mutable size_t count_ = 0;  // of arguments_, which keeps its memory
  mutable std::string details_;
  mutable trace::Op op_;
};

}  // namespace tfprof::chrome
