// What stands at the top level of a Chrome trace beside the events, and what its keys tell of the writer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tfprof::chrome {

struct TopLevel {
  bool array_form = false;
  bool has_trace_events = false;  // an array of that name, or the array form
  bool schema_version = false, device_properties = false, trace_name = false, base_time = false,
       distributed_info = false;
  std::optional<std::string> rank;  // distributedInfo.rank, digits
};

// A member of the top-level object: its decoded key, and the beginning of its value's text.
void NoteMember(std::string_view key, std::string_view value, TopLevel* top);

}  // namespace tfprof::chrome
