#include "cli/event_views.h"

#include <utility>

namespace tfprof::cli {

using analyze::InStep;

EventViews::EventViews(const EventViewRequest& request)
    : request_(request), steps_(request.compat), tf_data_(request.compat) {
  if (request_.kernels) kernels_.emplace(request_.compat);
  if (request_.memory) memory_.emplace(request_.compat);
}

trace::EventSink* EventViews::InSteps(trace::EventSink* sink, InStep rule) {
  if (only_in_ == nullptr) return sink;
  const auto windows = [steps = only_in_](uint32_t file) { return steps->Of(file).counted; };
  in_steps_.push_back(std::make_unique<analyze::StepEvents>(sink, rule, windows));
  return in_steps_.back().get();
}

std::vector<trace::EventSink*> EventViews::FreshSinks() {
  in_steps_.clear();
  std::vector<trace::EventSink*> sinks;
  if (request_.kernels) sinks.push_back(InSteps(&fresh_kernels_.emplace(request_.compat), InStep::kBegins));
  if (request_.memory) sinks.push_back(InSteps(&fresh_memory_.emplace(request_.compat), InStep::kMarked));
  if (request_.steps) {
    fresh_steps_ = std::make_unique<analyze::Steps>(request_.compat);
    sinks.push_back(InSteps(fresh_steps_.get(), InStep::kBegins));
  }
  fresh_step_runs_ = {};
  if (request_.step_runs) sinks.push_back(&fresh_step_runs_);
  if (request_.tf_data) {
    fresh_tf_data_ = std::make_unique<analyze::TfData>(request_.compat);
    sinks.push_back(InSteps(fresh_tf_data_.get(), InStep::kBegins));
  }
  if (request_.events) {
    events_ = std::make_unique<analyze::EventRows>(*request_.events, request_.take_event);
    sinks.push_back(InSteps(events_.get(), InStep::kOverlaps));
  }
  return sinks;
}

void EventViews::Keep() {
  if (request_.kernels) kernels_->Merge(std::move(*fresh_kernels_));
  if (request_.memory) memory_->Merge(std::move(*fresh_memory_));
  if (fresh_steps_ != nullptr) steps_.Merge(std::move(*fresh_steps_));
  fresh_steps_.reset();
  step_runs_.Merge(std::move(fresh_step_runs_));
  if (fresh_tf_data_ != nullptr) tf_data_.Merge(std::move(*fresh_tf_data_));
  fresh_tf_data_.reset();
}

EventViewResults EventViews::Finish() && {
  EventViewResults results;
  if (request_.kernels) results.kernels = std::move(*kernels_).Finish();
  if (request_.memory) results.memory = std::move(*memory_).Finish();
  results.step_runs = std::move(step_runs_);
  if (request_.steps) results.steps = std::move(steps_).Finish();
  if (request_.tf_data) results.tf_data = std::move(tf_data_).Finish();
  return results;
}

}  // namespace tfprof::cli
