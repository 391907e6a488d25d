// Reads one Chrome timeline into a sink, as often as the reader asks for.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "base/status.h"
#include "cli/pipeline.h"
#include "formats/chrome/reader.h"
#include "input/content.h"
#include "trace/lane.h"

namespace tfprof::cli {

struct TimelineInput {
  std::string path, host, temp_dir;
  std::optional<chrome::Dialect> forced;
  Progress* progress = nullptr;  // may be null
  unsigned threads = 1;
};

// `fresh_sink` is called before each reading: what an earlier sink got is void. `content` is a mapping (a pipe was spooled
// before), which stays, or a gzip file, which is inflated as often as it has to be read.
Result<chrome::FileFacts> ReadTimeline(const TimelineInput& input, std::unique_ptr<input::Content>& content,
                                       const std::function<trace::Sink*()>& fresh_sink, Diagnostics* diagnostics);

}  // namespace tfprof::cli
