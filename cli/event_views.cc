#include "cli/event_views.h"

#include <utility>

namespace tfprof::cli {

EventViews::EventViews(const EventViewRequest& request) : request_(request) {
  if (request_.tf_data) tf_data_.emplace(request_.compat);
}

std::vector<trace::EventSink*> EventViews::FreshSinks() {
  std::vector<trace::EventSink*> sinks;
  if (request_.tf_data) sinks.push_back(&fresh_tf_data_.emplace(request_.compat));
  if (request_.events) sinks.push_back(&events_.emplace(*request_.events, request_.take_event));
  return sinks;
}

void EventViews::Keep() {
  if (request_.tf_data) tf_data_->Merge(std::move(*fresh_tf_data_));
}

EventViewResults EventViews::Finish() && {
  EventViewResults results;
  if (request_.tf_data) results.tf_data = std::move(*tf_data_).Finish();
  return results;
}

}  // namespace tfprof::cli
