// Gives the events of an encoded XSpace to a sink.
#pragma once

#include <string>

#include "formats/xplane/event_stream.h"
#include "formats/xplane/layout.h"

namespace tfprof::testing {

inline void StreamSpace(const std::string& bytes, trace::EventSink* sink, const std::string& host = "h",
                        bool groups = false) {
  const xplane::Layout layout = xplane::ReadLayout(bytes);
  xplane::ReadPlan plan;
  Diagnostics diagnostics;
  trace::EventSink* sinks[] = {sink};
  xplane::StreamEvents(layout, {.path = "x.pb", .host = host}, 0, {.host_groups = groups, .device_groups = groups}, sinks,
                       &plan, &diagnostics);
}

}  // namespace tfprof::testing
