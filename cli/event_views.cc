#include "cli/event_views.h"

#include <utility>

namespace tfprof::cli {

EventViews::EventViews(const EventViewRequest& request) : request_(request) {
  if (request_.kernels) kernels_.emplace(request_.compat);
  if (request_.memory) memory_.emplace(request_.compat);
}

std::vector<trace::EventSink*> EventViews::FreshSinks() {
  std::vector<trace::EventSink*> sinks;
  if (request_.kernels) sinks.push_back(&fresh_kernels_.emplace(request_.compat));
  if (request_.memory) sinks.push_back(&fresh_memory_.emplace(request_.compat));
  return sinks;
}

void EventViews::Keep() {
  if (request_.kernels) kernels_->Merge(std::move(*fresh_kernels_));
  if (request_.memory) memory_->Merge(std::move(*fresh_memory_));
}

EventViewResults EventViews::Finish() && {
  EventViewResults results;
  if (request_.kernels) results.kernels = std::move(*kernels_).Finish();
  if (request_.memory) results.memory = std::move(*memory_).Finish();
  return results;
}

}  // namespace tfprof::cli
