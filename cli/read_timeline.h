// Reads one Chrome timeline into a sink, as often as the reader asks for.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/diagnostics.h"
#include "base/status.h"
#include "cli/pipeline.h"
#include "formats/chrome/event_stream.h"
#include "formats/chrome/reader.h"
#include "input/content.h"
#include "trace/event_stream.h"
#include "trace/lane.h"

namespace tfprof::cli {

struct TimelineInput {
  std::string path, host, temp_dir;
  std::optional<chrome::Dialect> forced;
  Progress* progress = nullptr;  // may be null
  unsigned threads = 1;
  std::optional<__int128> base_ps;  // where 0 is to lie; none: as the reader finds
};

// Gives the events of one to sinks; `content` must be a mapping. Not a trace: the facts say so.
chrome::StreamFacts StreamTimeline(const TimelineInput& input, uint32_t file_index, const input::Content& content,
                                   std::span<trace::EventSink* const> sinks, Diagnostics* diagnostics);

// What kind of timeline a file is, by a reading of all of it; "": none, or it can't be read.
std::string TimelineKind(const std::string& path, const std::string& temp_dir);

// `fresh_sink` is called before each reading: what an earlier sink got is void. `content` is a mapping (a pipe was
// spooled before), which stays, or a gzip file, which is inflated as often as it has to be read.
Result<chrome::FileFacts> ReadTimeline(const TimelineInput& input, std::unique_ptr<input::Content>& content,
                                       const std::function<trace::Sink*()>& fresh_sink, Diagnostics* diagnostics);

}  // namespace tfprof::cli
