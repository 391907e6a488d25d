#include "cli/commands/events.h"

#include <memory>
#include <utility>

#include "cli/read_timeline.h"
#include "formats/detect.h"
#include "input/content.h"

namespace tfprof::cli {
namespace {

constexpr uint64_t kRowsForPeople = 50;

}  // namespace

EventsReading::EventsReading(const Options& options, AnalysisRequest request, report::ReportContext context)
    : options_(options), request_(std::move(request)), context_(std::move(context)) {
  request_.progress = &progress_;
  request_.time.reset();  // the selection has it
  analyze::EventSelection& selection = request_.views.events.emplace();
  selection.side = options.rows.side;
  selection.include = options.rows.include;
  selection.exclude = options.rows.exclude;
  if (options.time) {
    selection.from_ps = options.time->from_ps;
    selection.to_ps = options.time->to_ps;
  }
  LookAtFiles();
}

std::string EventsReading::KindOf(const std::string& path) const {
  if (!request_.format_in.empty()) return request_.format_in;
  if (path == "-") return "unknown";  // it can't be looked at twice
  Result<std::unique_ptr<input::Content>> content = input::OpenContent(path);
  if (!content) return {};
  if (request_.mapped != nullptr && (*content)->mapped()) request_.mapped->Add((*content)->mapping.bytes(), path);
  switch (formats::Detect((*content)->head).kind) {
    case formats::FileKind::kXSpace:
      return "xplane";
    case formats::FileKind::kEmpty:
      return "empty";
    case formats::FileKind::kChromeJson:
      return TimelineKind(path, request_.temp_dir);
    default:
      return {};
  }
}

void EventsReading::LookAtFiles() {
  for (const input::InputFile& file : request_.files) {
    const std::string kind = KindOf(file.path);
    if (kind.empty()) continue;
    anything_opens_ = true;
    context_.inputs.push_back({file.path, file.host, file.run, kind});
  }
}

void EventsReading::Read(uint64_t limit, const std::function<bool(const analyze::EventRow&)>& take) {
  returned_ = total_ = 0;
  progress_.cancelled = false;
  request_.views.take_event = [&](const analyze::EventRow& row) {
    ++total_;
    if (limit > 0 && returned_ >= limit) return;
    ++returned_;
    if (!take(row)) progress_.cancelled = true;
  };
  outcome_ = Analyze(request_);
  request_.views.take_event = nullptr;
  was_read_ = true;
}

report::Document EventsReading::MakeDocument(report::Format format) {
  const auto summary = [this] { return report::EventsSummary{returned_, total_, outcome_.diagnostics}; };
  const uint64_t asked = options_.rows.limit;
  if (format != report::Format::kTable && format != report::Format::kMarkdown) {
    return report::StreamedEventsDocument(
        context_, [this, asked](const auto& take) { Read(asked, take); }, summary);
  }
  auto rows = std::make_shared<std::vector<report::StoredEvent>>();
  Read(options_.limit_given ? asked : kRowsForPeople, [&](const analyze::EventRow& row) {
    rows->emplace_back(row);
    return true;
  });
  return report::StoredEventsDocument(context_, std::move(rows), summary());
}

const AnalysisOutcome& EventsReading::Outcome() {
  if (!was_read_) Read(0, [](const analyze::EventRow&) { return true; });
  return outcome_;
}

}  // namespace tfprof::cli
