// The analyses that look beyond ops (steps, kernels, input, memory), as one command asks for them: made together, fed by one
// reading of each file, merged over the files of a run.
#pragma once

#include <memory>
#include <vector>

#include "analyze/ops_result.h"
#include "analyze/steps.h"
#include "trace/event_stream.h"

namespace tfprof::cli {

struct EventViewRequest {
  analyze::Compat compat = analyze::Compat::kNone;

  bool steps = false;

  bool any() const { return steps; }
  // What of the grouping the analyses need (formats/xplane/event_stream.h).
  bool host_groups() const { return steps; }
  bool device_groups() const { return steps; }
};

struct EventViewResults {
  analyze::StepsResult steps;
};

class EventViews {
 public:
  explicit EventViews(const EventViewRequest& request);

  // Sinks for the next file; what they got counts only after Keep(), so that a reading can be started over.
  std::vector<trace::EventSink*> FreshSinks();
  void Keep();
  EventViewResults Finish() &&;

 private:
  EventViewRequest request_;
  analyze::Steps steps_;
  std::unique_ptr<analyze::Steps> fresh_steps_;
};

}  // namespace tfprof::cli
