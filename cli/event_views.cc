#include "cli/event_views.h"

#include <utility>

namespace tfprof::cli {

EventViews::EventViews(const EventViewRequest& request)
    : request_(request), steps_(request.compat), tf_data_(request.compat) {
  if (request_.kernels) kernels_.emplace(request_.compat);
  if (request_.memory) memory_.emplace(request_.compat);
}

std::vector<trace::EventSink*> EventViews::FreshSinks() {
  std::vector<trace::EventSink*> sinks;
  if (request_.kernels) sinks.push_back(&fresh_kernels_.emplace(request_.compat));
  if (request_.memory) sinks.push_back(&fresh_memory_.emplace(request_.compat));
  if (request_.steps) sinks.push_back((fresh_steps_ = std::make_unique<analyze::Steps>(request_.compat)).get());
  fresh_step_runs_ = {};
  if (request_.step_runs) sinks.push_back(&fresh_step_runs_);
  if (request_.tf_data) sinks.push_back((fresh_tf_data_ = std::make_unique<analyze::TfData>(request_.compat)).get());
  if (request_.events) {
    sinks.push_back((events_ = std::make_unique<analyze::EventRows>(*request_.events, request_.take_event)).get());
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
