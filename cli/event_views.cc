#include "cli/event_views.h"

#include <utility>

namespace tfprof::cli {

EventViews::EventViews(const EventViewRequest& request) : request_(request), steps_(request.compat) {}

std::vector<trace::EventSink*> EventViews::FreshSinks() {
  std::vector<trace::EventSink*> sinks;
  if (request_.steps) sinks.push_back((fresh_steps_ = std::make_unique<analyze::Steps>(request_.compat)).get());
  return sinks;
}

void EventViews::Keep() {
  if (fresh_steps_ != nullptr) steps_.Merge(std::move(*fresh_steps_));
  fresh_steps_.reset();
}

EventViewResults EventViews::Finish() && {
  EventViewResults results;
  if (request_.steps) results.steps = std::move(steps_).Finish();
  return results;
}

}  // namespace tfprof::cli
