// The analyses that look beyond ops (steps, kernels, input, memory), as one command asks for them: made together, fed by one
// reading of each file, merged over the files of a run.
#pragma once

#include <vector>

#include "analyze/ops_result.h"
#include "trace/event_stream.h"

namespace tfprof::cli {

struct EventViewRequest {
  analyze::Compat compat = analyze::Compat::kNone;

  bool any() const { return false; }
  // What of the grouping the analyses need (formats/xplane/event_stream.h).
  bool host_groups() const { return false; }
  bool device_groups() const { return false; }
};

struct EventViewResults {};

class EventViews {
 public:
  explicit EventViews(const EventViewRequest& request);

  // Sinks for the next file; what they got counts only after Keep(), so that a reading can be started over.
  std::vector<trace::EventSink*> FreshSinks();
  void Keep();
  EventViewResults Finish() &&;

 private:
  EventViewRequest request_;
};

}  // namespace tfprof::cli
