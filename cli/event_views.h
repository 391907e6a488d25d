// The analyses that look beyond ops (steps, kernels, input, memory), as one command asks for them: made together, fed by one
// reading of each file, merged over the files of a run.
#pragma once

#include <optional>
#include <vector>

#include "analyze/kernels.h"
#include "analyze/memory.h"
#include "analyze/ops_result.h"
#include "trace/event_stream.h"

namespace tfprof::cli {

struct EventViewRequest {
  analyze::Compat compat = analyze::Compat::kNone;

  bool kernels = false, memory = false;

  bool any() const { return kernels || memory; }
  // What of the grouping the analyses need (formats/xplane/event_stream.h).
  bool host_groups() const { return memory && compat != analyze::Compat::kNone; }
  bool device_groups() const { return false; }
};

struct EventViewResults {
  std::optional<analyze::KernelsResult> kernels;
  std::optional<analyze::MemoryResult> memory;
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
  std::optional<analyze::KernelStats> kernels_, fresh_kernels_;  // of the files kept, of the next one
  std::optional<analyze::MemoryStats> memory_, fresh_memory_;
};

}  // namespace tfprof::cli
