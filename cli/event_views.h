// The analyses that look beyond ops (steps, kernels, input, memory), as one command asks for them: made together, fed
// by one reading of each file, merged over the files of a run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analyze/event_rows.h"
#include "analyze/kernels.h"
#include "analyze/memory.h"
#include "analyze/ops_result.h"
#include "analyze/step_events.h"
#include "analyze/step_windows.h"
#include "analyze/steps.h"
#include "analyze/tf_data.h"
#include "cli/run_steps.h"
#include "trace/event_stream.h"

namespace tfprof::cli {

struct EventViewRequest {
  analyze::Compat compat = analyze::Compat::kNone;

  bool kernels = false, memory = false, steps = false, tf_data = false;
  bool step_runs = false;  // with steps: where on devices they lie
  bool from_start = false;  // times of steps and memory count as --time does, which costs a reading of the lanes
  std::optional<analyze::EventSelection> events;
  std::function<void(const analyze::EventRow&)> take_event;  // gets them while they are read

  bool any() const { return kernels || memory || steps || tf_data || streams_rows(); }
  // What is given away can't be taken back: a reading must come through the first time.
  bool streams_rows() const { return events.has_value(); }
  bool tells_times() const { return from_start || streams_rows(); }
  // What of the grouping the analyses need (formats/xplane/event_stream.h).
  bool host_groups() const { return steps || streams_rows() || (memory && compat != analyze::Compat::kNone); }
  bool device_groups() const { return steps || streams_rows(); }
};

struct EventViewResults {
  std::optional<analyze::KernelsResult> kernels;
  std::optional<analyze::MemoryResult> memory;
  analyze::StepsResult steps;
  analyze::StepRuns step_runs;
  analyze::TfDataResult tf_data;
};

class EventViews {
 public:
  explicit EventViews(const EventViewRequest& request);

  // Only events of the steps that count go to the analyses from now on.
  void OnlyIn(const RunSteps* steps) { only_in_ = steps; }

  // Sinks for the next file; what they got counts only after Keep(), so that a reading can be started over.
  std::vector<trace::EventSink*> FreshSinks();
  void Keep();
  EventViewResults Finish() &&;

 private:
  trace::EventSink* InSteps(trace::EventSink* sink, analyze::InStep rule);

  EventViewRequest request_;
  const RunSteps* only_in_ = nullptr;
  std::vector<std::unique_ptr<analyze::StepEvents>> in_steps_;   // of the next file
  std::optional<analyze::KernelStats> kernels_, fresh_kernels_;  // of the files kept, of the next one
  std::optional<analyze::MemoryStats> memory_, fresh_memory_;
  // Of the files kept, and of the next one.
  analyze::Steps steps_;
  std::unique_ptr<analyze::Steps> fresh_steps_;
  analyze::StepRuns step_runs_, fresh_step_runs_;
  analyze::TfData tf_data_;
  std::unique_ptr<analyze::TfData> fresh_tf_data_;
  std::unique_ptr<analyze::EventRows> events_;
};

}  // namespace tfprof::cli
