#include "cli/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "analyze/op_table.h"
#include "analyze/xprof_table.h"
#include "cli/lane_analyses.h"
#include "cli/read_timeline.h"
#include "cli/remarks.h"
#include "cli/run_steps.h"
#include "formats/chrome/beside_lanes.h"
#include "formats/detect.h"
#include "formats/xplane/event_stream.h"
#include "formats/xplane/layout.h"
#include "formats/xplane/reader.h"
#include "formats/xplane/trace_start.h"
#include "formats/xplane/xprof_reader.h"
#include "input/content.h"

namespace tfprof::cli {
namespace {

using analyze::OpTable;
using analyze::OpTableOptions;

class Pipeline {
 public:
  using Spooled = std::map<std::string, std::unique_ptr<input::Content>>;

  explicit Pipeline(const AnalysisRequest& request, std::shared_ptr<Spooled> spooled = std::make_shared<Spooled>())
      : spooled_(std::move(spooled)),
        request_(request),
        run_ops_(OpOptionsOf(request)),
        run_step_ops_(OpOptionsOf(request)),
        views_(ViewsComeWithSteps() ? EventViewRequest() : request.views) {
    if (request.want_calls) outcome_.calls = std::make_unique<analyze::CallTree>(analyze::CallTreeOptions());
  }

  AnalysisOutcome Run() && {
    if (NeedsSteps()) FindSteps();
    for (const input::InputFile& file : request_.files) {
      if (Cancelled()) break;
      ReadFile(file);
    }
    if (request_.want_ops) {
      outcome_.ops = compat()
                         ? std::move(run_xprof_)
                               .Finish(request_.compat, request_.include_idle, &outcome_.diagnostics, request_.all_rows)
                         : std::move(run_ops_).Finish(request_.include_idle, &outcome_.diagnostics, request_.threads);
      if (request_.want_step_means) SetStepMeans();
      NoteInvalidNames(outcome_.ops, &outcome_.diagnostics);
      outcome_.empty = outcome_.empty && std::all_of(outcome_.ops.rows.begin(), outcome_.ops.rows.end(),
                                                     [](const analyze::OpsRow& row) { return row.idle; });
      if (outcome_.empty && compat() && !Cancelled()) {
        // XProf's table shows nothing but idle time where no op claims a kernel; the kernels are there all the same.
        AnalysisRequest look = request_;
        look.compat = analyze::Compat::kNone;
        look.progress = nullptr;
        outcome_.empty = Pipeline(look, spooled_).Run().empty;
      }
      const bool none_chosen = request_.steps && steps_->counted() == 0;
      if (outcome_.empty && outcome_.anything_opened && !none_chosen && !Cancelled()) SayWhatThereIs();
    }
    if (StreamsViews()) outcome_.views = std::move(views_).Finish();
    outcome_.diagnostics.MergeAgain(found_with_steps_);
    if (step_sums_ != nullptr) {
      outcome_.op_steps = step_sums_->Finish(steps_->times());
      steps_->KeepCounted(&outcome_.op_steps);
      outcome_.empty = outcome_.empty && outcome_.op_steps.ops.empty();
    }
    if (request_.steps) AnswerAboutChosenSteps();
    return std::move(outcome_);
  }

 private:
  bool NeedsSteps() const { return request_.want_op_steps || request_.want_step_means || request_.steps; }
  // The reading that finds the steps fills all views, where they aren't of chosen steps.
  bool ViewsComeWithSteps() const { return NeedsSteps() && !request_.steps && !request_.views.streams_rows(); }
  bool StreamsViews() const { return request_.views.any() && !ViewsComeWithSteps(); }

  // A reading of its own: the steps of all files have to be known before the first op is given to one.
  void FindSteps() {
    AnalysisRequest look;
    look.files = request_.files;
    if (ViewsComeWithSteps()) look.views = request_.views;
    look.views.steps = look.views.step_runs = true;
    look.views.from_start = request_.views.from_start;
    look.threads = request_.threads;
    look.format_in = request_.format_in;
    look.temp_dir = request_.temp_dir;
    look.mapped = request_.mapped;
    AnalysisOutcome found = Pipeline(look, spooled_).Run();
    steps_.emplace(found.views.steps, std::move(found.views.step_runs), request_.steps);
    if (ViewsComeWithSteps() && request_.views.any()) {
      outcome_.views = std::move(found.views);
      outcome_.empty = found.empty;
      found_with_steps_ = std::move(found.diagnostics);
    }
    if (request_.steps) views_.OnlyIn(&*steps_);
    if (request_.want_op_steps) step_sums_ = std::make_unique<analyze::OpStepSums>(nullptr, steps_->times().size());
  }

  void SetStepMeans() {
    if (steps_->counted() == 0) return;
    Diagnostics said_already;
    const analyze::OpsResult in_steps =
        StepMeansApart(request_) ? std::move(run_step_ops_).Finish(false, &said_already) : outcome_.ops;
    analyze::SetStepMeans(in_steps, steps_->counted(), &outcome_.ops);
  }

  // Whoever chose steps is told which count; rows of the others are left out.
  void AnswerAboutChosenSteps() {
    if (!outcome_.anything_opened) return;
    const bool none = steps_->counted() == 0;
    outcome_.diagnostics.Add(none ? DiagCode::kNoStepChosen : DiagCode::kStepsChosen, steps_->Tell());
    outcome_.empty = outcome_.empty || none;
    if (request_.views.steps) outcome_.views.steps = steps_->ResultOf(std::move(outcome_.views.steps));
  }

  bool compat() const { return request_.compat != analyze::Compat::kNone; }
  bool ReadsLanes() const { return request_.want_ops || request_.want_inventory || request_.want_op_steps; }
  bool Cancelled() const { return request_.progress != nullptr && request_.progress->cancelled; }

  void ReadFile(const input::InputFile& file) {
    std::unique_ptr<input::Content> opened = Open(file);
    if (opened == nullptr) return;
    NoteMapping(*opened);
    ReadContent(file, opened);
    // What came through a pipe can't be opened again.
    if (opened != nullptr && opened->mapped() && !opened->head_storage.empty())
      (*spooled_)[file.path] = std::move(opened);
  }

  std::unique_ptr<input::Content> Open(const input::InputFile& file) {
    const auto held = spooled_->find(file.path);
    if (held != spooled_->end()) return std::move(spooled_->extract(held).mapped());
    Result<std::unique_ptr<input::Content>> opened = input::OpenContent(file.path);
    if (opened) return std::move(*opened);
    outcome_.diagnostics.Add(opened.error().code, opened.error().message);
    return nullptr;
  }

  // Makes a mapping of what can be read only once. False: there is no room for it, or it can't be read.
  bool SpoolStream(input::Content* content) {
    Result<input::Mapping> spooled = input::Spool(content, request_.temp_dir, &outcome_.diagnostics);
    if (!spooled) {
      outcome_.diagnostics.Add(spooled.error().code, spooled.error().message);
      return false;
    }
    content->mapping = std::move(*spooled);
    content->stream = nullptr;
    NoteMapping(*content);
    return true;
  }

  void NoteMapping(const input::Content& content) const {
    if (request_.mapped != nullptr && content.mapped()) request_.mapped->Add(content.mapping.bytes(), content.path);
  }

  void ReadContent(const input::InputFile& file, std::unique_ptr<input::Content>& opened) {
    input::Content& content = *opened;
    formats::Detection detection = formats::Detect(content.head);
    if (!request_.format_in.empty() && detection.kind != formats::FileKind::kEmpty) {
      detection.kind = request_.format_in == "xplane" ? formats::FileKind::kXSpace : formats::FileKind::kChromeJson;
      detection.reason = "it was asked for (--format-in)";
    }
    analyze::FileInventory inventory;
    inventory.path = file.path;
    inventory.bytes = content.disk_bytes;
    inventory.host = file.host;
    inventory.run = file.run;
    inventory.kind_reason = detection.reason;
    switch (detection.kind) {
      case formats::FileKind::kXSpace:
        inventory.kind = "xplane";
        ReadXSpace(file, &content, &inventory);
        break;
      case formats::FileKind::kEmpty:
        inventory.kind = "empty";
        outcome_.anything_opened = true;
        if (content.stream != nullptr) outcome_.diagnostics.Merge(content.stream->diagnostics());
        outcome_.diagnostics.Add(
            DiagCode::kEmptyProfile,
            fmt::format(
                "{}: the file is empty; a profiler that fails to write (for one, beyond 2 GiB) leaves such files",
                file.path));
        break;
      case formats::FileKind::kChromeJson:
        if (compat() && (request_.want_ops || request_.views.any())) {
          outcome_.refused_for_compat = true;
          outcome_.diagnostics.Add(
              DiagCode::kUnsupportedFormat,
              fmt::format("{}: a timeline, which XProf's table can't be made from (--compat reads XSpace "
                          "files); leave --compat out",
                          file.path));
          return;
        }
        if (!ReadTimelineFile(file, opened, &inventory)) return;
        break;
      case formats::FileKind::kUnsupported:
        outcome_.diagnostics.Add(DiagCode::kUnsupportedFormat, fmt::format("{}: {}", file.path, detection.reason));
        return;
      case formats::FileKind::kUnknown:
        outcome_.diagnostics.Add(DiagCode::kNotAProfile, fmt::format("{}: {}", file.path, detection.reason));
        return;
    }
    outcome_.inventory.push_back(std::move(inventory));
  }

  void ReadXSpace(const input::InputFile& file, input::Content* content, analyze::FileInventory* inventory) {
    if (!content->mapped() && !SpoolStream(content)) return;
    outcome_.anything_opened = true;
    xplane::ReadPlan plan;
    plan.thorough_layout = request_.views.streams_rows();
    bool streamed = false;
    Diagnostics streaming;
    for (;;) {
      const xplane::Layout layout = xplane::ReadLayout(content->mapping.bytes(), plan.thorough_layout);
      if (inventory->host.empty() && !layout.hostnames.empty()) inventory->host = layout.hostnames.front();
      if ((StreamsViews() || request_.want_calls) && !streamed) {
        if (StreamLayout(file, *content, layout, &plan, &streaming) == xplane::ReadOutcome::kAgain) continue;
        streamed = true;
      }
      const xplane::ReadOutcome outcome = compat() && request_.want_ops
                                              ? ReadLikeXprof(file, *content, layout, &plan)
                                              : ReadLayout(file, *content, layout, &plan, inventory);
      if (outcome == xplane::ReadOutcome::kAgain) continue;
      outcome_.diagnostics.MergeAgain(streaming);
      xplane::DescribeContainer(layout, xplane::MessageName(ReaderOptions(file, *content, layout, true)),
                                &outcome_.diagnostics);
      if (!xplane::HasEvents(layout)) SayWithoutEvents(file.path);
      for (const std::string_view text : layout.errors) inventory->errors.emplace_back(text);
      for (const std::string_view text : layout.warnings) inventory->warnings.emplace_back(text);
      return;
    }
  }

  // Beside files with events such a file means that a host's part is lost; alone it is an empty profile.
  void SayWithoutEvents(const std::string& path) {
    outcome_.diagnostics.Add(DiagCode::kEmptyProfile, fmt::format("{}: the profile holds no events at all", path));
  }

  std::vector<trace::EventSink*> SinksOfFile() {
    std::vector<trace::EventSink*> sinks = views_.FreshSinks();
    launches_ = analyze::LaunchTable();
    if (request_.want_calls) sinks.push_back(&launches_);
    return sinks;
  }

  // For the analyses that look beyond ops.
  xplane::ReadOutcome StreamLayout(const input::InputFile& file, const input::Content& content,
                                   const xplane::Layout& layout, xplane::ReadPlan* plan, Diagnostics* found) {
    const std::vector<trace::EventSink*> sinks = SinksOfFile();
    xplane::EventStreamOptions wanted{request_.views.host_groups(),
                                      request_.views.device_groups() || request_.steps.has_value()};
    if (request_.views.tells_times()) {
      const std::optional<int64_t> start = TraceStart(file, content, layout, plan);
      if (!start) return xplane::ReadOutcome::kAgain;
      wanted.trace_start_ps = *start;
    }
    wanted.threads = std::max(1u, request_.threads);
    if (compat()) wanted.numbers = trace::NumberSlots::kTyped;
    const auto index = static_cast<uint32_t>(&file - request_.files.data());
    *found = Diagnostics();
    const bool last_reading = !ReadsLanes();
    wanted.tell_misplaced = last_reading;
    const xplane::ReadOutcome outcome = xplane::StreamEvents(layout, ReaderOptions(file, content, layout, last_reading),
                                                             index, wanted, sinks, plan, found);
    if (outcome != xplane::ReadOutcome::kDone) return outcome;
    views_.Keep();
    if (request_.views.any()) outcome_.empty = outcome_.empty && !xplane::HasEvents(layout);
    return outcome;
  }

  xplane::ReadOutcome ReadLikeXprof(const input::InputFile& file, const input::Content& content,
                                    const xplane::Layout& layout, xplane::ReadPlan* plan) {
    analyze::XprofTable table;
    Diagnostics found;
    const xplane::ReadOutcome outcome =
        xplane::ReadForXprof(layout, ReaderOptions(file, content, layout, true), &table, plan, &found);
    if (outcome == xplane::ReadOutcome::kDone) {
      run_xprof_.Merge(std::move(table));
      outcome_.diagnostics.Merge(found);
    }
    return outcome;
  }

  xplane::ReadOutcome ReadLayout(const input::InputFile& file, const input::Content& content,
                                 const xplane::Layout& layout, xplane::ReadPlan* plan,
                                 analyze::FileInventory* inventory) {
    FileOptions options = FileOptionsOf(file);
    if (request_.time) {
      const std::optional<int64_t> start = TraceStart(file, content, layout, plan);
      if (!start) return xplane::ReadOutcome::kAgain;
      SetWindow(*request_.time, *start, &options.ops);
    }
    const LaneRequest lanes = LanesOf(request_, &launches_, &options);
    std::vector<LaneAnalyses> threads;
    for (unsigned i = 0; i < std::max(1u, request_.threads); ++i) threads.emplace_back(lanes);
    if (RunReader(file, content, layout, plan, &threads, true) == xplane::ReadOutcome::kAgain) {
      return xplane::ReadOutcome::kAgain;
    }
    for (LaneAnalyses& thread : threads) {
      Take(options, &thread);
      if (request_.want_inventory && &thread != &threads[0]) threads[0].inventory->Merge(std::move(*thread.inventory));
    }
    if (request_.want_calls) outcome_.calls->EndFile();
    if (request_.want_inventory) TakeInventory(&threads[0], inventory);
    return xplane::ReadOutcome::kDone;
  }

  // False: it is no timeline, or can't be read.
  bool ReadTimelineFile(const input::InputFile& file, std::unique_ptr<input::Content>& content,
                        analyze::FileInventory* inventory) {
    const bool streams = StreamsViews() || request_.want_calls;
    const bool as_a_whole = streams || content->disk_bytes == 0;
    if (!content->mapped() && as_a_whole && !SpoolStream(content.get())) return false;
    FileOptions options = FileOptionsOf(file);
    TimelineInput timeline;
    timeline.path = file.path;
    timeline.host = file.host;
    timeline.temp_dir = request_.temp_dir;
    timeline.forced = chrome::DialectOf(request_.format_in);
    timeline.progress = request_.progress;
    timeline.threads = std::max(1u, request_.threads);
    if (streams) {
      const chrome::StreamFacts facts = StreamTimelineFile(timeline, options.ops.file, *content);
      if (!ReadsLanes()) return TakeFacts(file, facts.file, inventory);
      timeline.base_ps = facts.base_ps;
    }
    if (request_.time || steps_) {
      std::unique_ptr<input::Content> again;
      if (!content->mapped()) {
        Result<std::unique_ptr<input::Content>> copy = input::OpenContent(file.path);
        if (copy) again = std::move(*copy);
      }
      std::unique_ptr<input::Content>& source = again == nullptr ? content : again;
      std::vector<LaneAnalyses> look;
      Diagnostics ignored;
      const auto fresh = [&] { return FreshSink(kInventoryOnly, &look); };
      if (ReadTimeline(timeline, source, fresh, &ignored)) {
        const int64_t start_ps = StartOf(&look);
        if (request_.time) SetWindow(*request_.time, start_ps, &options.ops);
        if (steps_ && !timeline.base_ps) options.steps->Shift(start_ps);  // which were found from there
      }
    }
    std::vector<LaneAnalyses> threads;
    const LaneRequest lanes = LanesOf(request_, &launches_, &options);
    const auto fresh = [&] { return FreshSink(lanes, &threads); };
    Result<chrome::FileFacts> facts = ReadTimeline(timeline, content, fresh, &outcome_.diagnostics);
    if (!facts) {
      outcome_.diagnostics.Add(facts.error().code, facts.error().message);
      return false;
    }
    if (!TakeFacts(file, *facts, inventory)) return false;
    Take(options, &threads[0]);
    if (request_.want_calls) outcome_.calls->EndFile();
    if (request_.want_inventory) TakeInventory(&threads[0], inventory);
    return true;
  }

  // For the analyses that look beyond ops.
  chrome::StreamFacts StreamTimelineFile(const TimelineInput& timeline, uint32_t file_index,
                                         const input::Content& content) {
    Diagnostics found;
    const std::vector<trace::EventSink*> sinks = SinksOfFile();
    chrome::StreamFacts facts = StreamTimeline(timeline, file_index, content, sinks, &found);
    views_.Keep();
    if (request_.views.any()) outcome_.empty = outcome_.empty && !facts.any_event;
    // Whoever reads the lanes says the same once more.
    if (!ReadsLanes()) outcome_.diagnostics.Merge(found);
    return facts;
  }

  // False: it is no timeline.
  bool TakeFacts(const input::InputFile& file, const chrome::FileFacts& facts, analyze::FileInventory* inventory) {
    if (!facts.is_trace) {
      outcome_.diagnostics.Add(
          DiagCode::kNotAProfile,
          fmt::format("{}: JSON, but no timeline: it has no array of events (`traceEvents`)", file.path));
      return false;
    }
    outcome_.anything_opened = true;
    const auto is_event = [](const auto& phase) { return phase.first != 'M' && phase.second > 0; };
    if (std::none_of(facts.phases.begin(), facts.phases.end(), is_event)) SayWithoutEvents(file.path);
    inventory->kind = chrome::DialectName(facts.dialect.dialect);
    inventory->kind_reason = facts.dialect.reason;
    inventory->beside_lanes = chrome::EventsBesideLanes(facts.phases);
    if (inventory->host.empty() && facts.rank) inventory->host = "rank " + *facts.rank;
    return true;
  }

  FileOptions FileOptionsOf(const input::InputFile& file) const {
    FileOptions options;
    options.ops = OpOptionsOf(request_);
    options.ops.file = static_cast<uint32_t>(&file - request_.files.data());
    if (steps_) options.steps = steps_->Of(options.ops.file);
    return options;
  }

  // Adds what a thread made of a file to that of the run.
  void Take(const FileOptions& options, LaneAnalyses* thread) {
    if (thread->ops != nullptr) run_ops_.Merge(std::move(*thread->ops));
    if (thread->step_ops != nullptr) run_step_ops_.Merge(std::move(*thread->step_ops));
    if (thread->calls != nullptr) outcome_.calls->Merge(*thread->calls);
    if (thread->step_sums != nullptr) step_sums_->Merge(*thread->step_sums, options.steps->numbers);
  }

  static void TakeInventory(LaneAnalyses* thread, analyze::FileInventory* inventory) {
    inventory->planes = std::move(*thread->inventory).Finish();
    analyze::CountFromStart(&inventory->planes);
  }

  // Where time 0 of --time lies: the start of the file's earliest event on a lane with ops. Nothing: the file must be
  // read anew, as `plan` says by now.
  std::optional<int64_t> TraceStart(const input::InputFile& file, const input::Content& content,
                                    const xplane::Layout& layout, xplane::ReadPlan* plan) {
    const xplane::TraceStart found =
        xplane::FindTraceStart(layout, ReaderOptions(file, content, layout, false), request_.threads);
    if (found.late_header && !plan->thorough_layout) {
      plan->thorough_layout = true;
      return std::nullopt;
    }
    if (found.start_ps) return found.start_ps;
    std::vector<LaneAnalyses> threads;
    for (unsigned i = 0; i < std::max(1u, request_.threads); ++i) threads.emplace_back(kInventoryOnly);
    if (RunReader(file, content, layout, plan, &threads, false) == xplane::ReadOutcome::kAgain) return std::nullopt;
    return StartOf(&threads);
  }

  xplane::ReadOptions ReaderOptions(const input::InputFile& file, const input::Content& content,
                                    const xplane::Layout& layout, bool final_reading) const {
    xplane::ReadOptions options;
    options.path = file.path;
    options.unpacked = content.gzip;
    options.host = file.host;
    if (options.host.empty() && !layout.hostnames.empty()) options.host = layout.hostnames.front();
    options.on_done = [this, &content, final_reading](std::string_view part) {
      content.mapping.Release(part);
      if (final_reading && request_.progress != nullptr) request_.progress->bytes_done += part.size();
    };
    if (request_.progress != nullptr) options.cancelled = &request_.progress->cancelled;
    return options;
  }

  xplane::ReadOutcome RunReader(const input::InputFile& file, const input::Content& content,
                                const xplane::Layout& layout, xplane::ReadPlan* plan,
                                std::vector<LaneAnalyses>* threads, bool final_reading) {
    const xplane::ReadOptions options = ReaderOptions(file, content, layout, final_reading);
    std::vector<trace::Sink*> sinks;
    for (LaneAnalyses& thread : *threads) sinks.push_back(thread.sink());
    Diagnostics found;
    const xplane::ReadOutcome outcome = xplane::Read(layout, options, sinks, plan, &found);
    if (final_reading && outcome == xplane::ReadOutcome::kDone) outcome_.diagnostics.Merge(found);
    return outcome;
  }

  // A profile without ops is no answer, but it may hold other things: say which.
  void SayWhatThereIs() {
    if (outcome_.diagnostics.Has(DiagCode::kEmptyProfile)) return;
    if (request_.time || request_.steps) {
      outcome_.diagnostics.Add(DiagCode::kEmptyProfile,
                               request_.steps ? "no op and no device event lies in the chosen steps; where a program "
                                                "hands its work to others and goes on, as JAX does, ops run after "
                                                "the step that they are for"
                                              : "no op and no device event lies in the range of --time");
      return;
    }
    AnalysisRequest look = request_;
    look.want_ops = false;
    look.want_inventory = true;
    look.progress = nullptr;
    const std::vector<analyze::FileInventory> files =
        request_.want_inventory ? outcome_.inventory : Pipeline(look, spooled_).Run().inventory;
    outcome_.diagnostics.Add(DiagCode::kEmptyProfile, NothingToAnalyse(files));
  }

  std::shared_ptr<Spooled> spooled_;  // contents of pipes, by path, for whoever has to read them again
  const AnalysisRequest& request_;
  AnalysisOutcome outcome_;
  OpTable run_ops_;
  OpTable run_step_ops_;  // of what lies in steps, for means by step
  EventViews views_;
  analyze::LaunchTable launches_;  // of the file being read
  Diagnostics found_with_steps_;
  std::optional<RunSteps> steps_;  // if something needs them
  std::unique_ptr<analyze::OpStepSums> step_sums_;
  analyze::XprofTable run_xprof_;  // instead of it in compat modes
};

}  // namespace

AnalysisOutcome Analyze(const AnalysisRequest& request) { return Pipeline(request).Run(); }

}  // namespace tfprof::cli
