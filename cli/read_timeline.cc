#include "cli/read_timeline.h"

#include <algorithm>
#include <utility>

namespace tfprof::cli {
namespace {

// Pieces of a mapped text: large, since a scanner that runs ahead stops at the end of each.
constexpr size_t kPieceBytes = size_t{8} << 20;

}  // namespace

chrome::StreamFacts StreamTimeline(const TimelineInput& input, uint32_t file_index, const input::Content& content,
                                   std::span<trace::EventSink* const> sinks, Diagnostics* diagnostics) {
  chrome::WholeText text;
  text.bytes = content.mapping.bytes();
  text.on_done = [&content](std::string_view part) { content.mapping.Release(part); };
  if (input.progress != nullptr) text.cancelled = &input.progress->cancelled;
  return chrome::StreamEvents(text, {input.path, input.host, file_index, input.forced}, sinks, diagnostics);
}

std::string TimelineKind(const std::string& path, const std::string& temp_dir) {
  Result<std::unique_ptr<input::Content>> content = input::OpenContent(path);
  if (!content) return {};
  Diagnostics ignored;
  if (!(*content)->mapped()) {
    Result<input::Mapping> spooled = input::Spool(content->get(), temp_dir, &ignored);
    if (!spooled) return {};
    (*content)->mapping = std::move(*spooled);
  }
  chrome::WholeText text;
  text.bytes = (*content)->mapping.bytes();
  text.on_done = [&](std::string_view part) { (*content)->mapping.Release(part); };
  const chrome::TimelineSurvey survey = chrome::SurveyTimeline(text, std::nullopt);
  return survey.is_trace ? std::string(chrome::DialectName(survey.dialect.dialect)) : std::string();
}

Result<chrome::FileFacts> ReadTimeline(const TimelineInput& input, std::unique_ptr<input::Content>& content,
                                       const std::function<trace::Sink*()>& fresh_sink, Diagnostics* diagnostics) {
  chrome::ReadPlan plan;
  plan.forced = input.forced;
  plan.base_ps = input.base_ps;
  chrome::FileFacts facts;
  for (;;) {
    size_t position = 0;
    const bool inflates_ahead = !content->mapped() && input.threads > 1;
    if (inflates_ahead) content->stream = input::MakeAheadStream(std::move(content->stream));
    chrome::ReadOptions options;
    options.path = input.path + (content->gzip ? " (unpacked)" : "");  // so are offsets in messages
    options.host = input.host;
    options.temp_dir = input.temp_dir;
    if (input.progress != nullptr) options.cancelled = &input.progress->cancelled;
    options.threads = input.threads - (inflates_ahead ? 1 : 0);
    options.text.next = [&]() -> Result<std::string_view> {
      if (!content->mapped()) return content->stream->Next();
      const std::string_view piece = content->mapping.bytes().substr(position, kPieceBytes);
      position += piece.size();
      return piece;
    };
    options.text.on_done = [&](std::string_view piece) {
      if (content->mapped()) content->mapping.Release(piece);
      if (input.progress != nullptr) input.progress->bytes_done += content->gzip ? 0 : piece.size();
    };
    Diagnostics found;
    Result<chrome::ReadOutcome> outcome = chrome::Read(options, fresh_sink(), &plan, &facts, &found);
    if (!outcome) return outcome.error();
    if (*outcome == chrome::ReadOutcome::kDone) {
      if (!content->mapped()) diagnostics->Merge(content->stream->diagnostics());
      diagnostics->Merge(found);
      return facts;
    }
    if (content->mapped()) continue;
    Result<std::unique_ptr<input::Content>> again = input::OpenContent(input.path);
    if (!again) return again.error();
    content = std::move(*again);
  }
}

}  // namespace tfprof::cli
