#include "cli/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "analyze/op_step_sums.h"
#include "analyze/op_table.h"
#include "analyze/step_windows.h"
#include "analyze/xprof_table.h"
#include "base/utf8.h"
#include "cli/read_timeline.h"
#include "formats/chrome/beside_lanes.h"
#include "formats/detect.h"
#include "formats/xplane/event.h"
#include "formats/xplane/event_stream.h"
#include "formats/xplane/layout.h"
#include "formats/xplane/reader.h"
#include "formats/xplane/xprof_reader.h"
#include "input/content.h"
#include "trace/tee_sink.h"

namespace tfprof::cli {
namespace {

using analyze::Inventory;
using analyze::OpTable;
using analyze::OpTableOptions;

// Where in a file its steps lie, and which of the run's they are.
struct FileSteps {
  analyze::StepWindows windows;
  std::vector<uint32_t> numbers;
};

// The analyses of one file that run over its lanes, once for each thread.
struct ThreadAnalyses {
  std::unique_ptr<OpTable> ops;
  std::unique_ptr<analyze::CallTree> calls;
  std::unique_ptr<Inventory> inventory;
  std::unique_ptr<analyze::OpStepSums> step_sums;
  std::unique_ptr<trace::TeeSink> tee;

  // Null options: that analysis isn't wanted.
  ThreadAnalyses(const OpTableOptions* op_options, const analyze::CallTreeOptions* call_options, bool want_inventory,
                 const FileSteps* file_steps = nullptr) {
    std::vector<trace::Sink*> sinks;
    if (file_steps != nullptr) {
      step_sums = std::make_unique<analyze::OpStepSums>(&file_steps->windows, file_steps->numbers.size());
      sinks.push_back(step_sums.get());
    }
    if (op_options != nullptr) sinks.push_back((ops = std::make_unique<OpTable>(*op_options)).get());
    if (call_options != nullptr) sinks.push_back((calls = std::make_unique<analyze::CallTree>(*call_options)).get());
    if (want_inventory) sinks.push_back((inventory = std::make_unique<Inventory>()).get());
    tee = std::make_unique<trace::TeeSink>(std::move(sinks));
  }
  trace::Sink* sink() { return tee.get(); }
};

class Pipeline {
 public:
  using Spooled = std::map<std::string, std::unique_ptr<input::Content>>;

  explicit Pipeline(const AnalysisRequest& request, std::shared_ptr<Spooled> spooled = std::make_shared<Spooled>())
      : spooled_(std::move(spooled)), request_(request), run_ops_(OptionsOf(request)), views_(request.views) {
    if (request.want_calls) outcome_.calls = std::make_unique<analyze::CallTree>(analyze::CallTreeOptions());
  }

  AnalysisOutcome Run() && {
    if (request_.want_op_steps) FindSteps();
    for (const input::InputFile& file : request_.files) {
      if (Cancelled()) break;
      ReadFile(file);
    }
    if (request_.want_ops) {
      outcome_.ops = compat()
                         ? std::move(run_xprof_)
                               .Finish(request_.compat, request_.include_idle, &outcome_.diagnostics, request_.all_rows)
                         : std::move(run_ops_).Finish(request_.include_idle, &outcome_.diagnostics);
      CheckNames();
      if (outcome_.empty && compat() && !Cancelled()) {
        // XProf's table shows nothing but idle time where no op claims a kernel; the kernels are there all the same.
        AnalysisRequest look = request_;
        look.compat = analyze::Compat::kNone;
        look.progress = nullptr;
        outcome_.empty = Pipeline(look, spooled_).Run().empty;
      }
      if (outcome_.empty && outcome_.anything_opened && !Cancelled()) SayWhatThereIs();
    }
    if (request_.views.any()) outcome_.views = std::move(views_).Finish();
    if (step_sums_ != nullptr) {
      outcome_.op_steps = step_sums_->Finish(std::move(step_times_));
      outcome_.empty = outcome_.empty && outcome_.op_steps.ops.empty();
    }
    return std::move(outcome_);
  }

 private:
  static OpTableOptions OptionsOf(const AnalysisRequest& request) {
    OpTableOptions options;
    options.by = request.by;
    options.distribution = request.want_distribution;
    return options;
  }

  // A reading of its own: the steps of all files have to be known before the first op is given to one.
  void FindSteps() {
    AnalysisRequest look;
    look.files = request_.files;
    look.views.steps = look.views.step_runs = true;
    look.format_in = request_.format_in;
    look.temp_dir = request_.temp_dir;
    look.mapped = request_.mapped;
    EventViewResults found = Pipeline(look, spooled_).Run().views;
    step_rows_ = std::move(found.steps.rows);
    step_runs_ = std::move(found.step_runs);
    step_times_ = analyze::JoinSteps(step_rows_, &step_numbers_);
    step_sums_ = std::make_unique<analyze::OpStepSums>(nullptr, step_times_.size());
  }

  std::optional<FileSteps> StepsOf(uint32_t file) const {
    if (!request_.want_op_steps) return std::nullopt;
    FileSteps steps{step_runs_.WindowsOf(file, step_rows_), {}};
    for (size_t i = 0; i < step_rows_.size(); ++i) {
      if (step_rows_[i].file == file) steps.numbers.push_back(step_numbers_[i]);
    }
    return steps;
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
    for (;;) {
      const xplane::Layout layout = xplane::ReadLayout(content->mapping.bytes(), plan.thorough_layout);
      if (inventory->host.empty() && !layout.hostnames.empty()) inventory->host = layout.hostnames.front();
      if ((request_.views.any() || request_.want_calls) && !streamed) {
        if (StreamLayout(file, *content, layout, &plan) == xplane::ReadOutcome::kAgain) continue;
        streamed = true;
      }
      const xplane::ReadOutcome outcome = compat() && request_.want_ops
                                              ? ReadLikeXprof(file, *content, layout, &plan)
                                              : ReadLayout(file, *content, layout, &plan, inventory);
      if (outcome == xplane::ReadOutcome::kAgain) continue;
      xplane::DescribeContainer(layout, xplane::MessageName(ReaderOptions(file, *content, layout, true)),
                                &outcome_.diagnostics);
      if (!HasEvents(layout)) SayWithoutEvents(file.path);
      for (const std::string_view text : layout.errors) inventory->errors.emplace_back(text);
      for (const std::string_view text : layout.warnings) inventory->warnings.emplace_back(text);
      return;
    }
  }

  static bool HasEvents(const xplane::Layout& layout) {
    for (const xplane::Plane& plane : layout.planes) {
      for (const xplane::Line& line : plane.lines) {
        xplane::Event event;
        if (xplane::EventCursor(line.body).Next(&event)) return true;
      }
    }
    return false;
  }

  // Beside files with events such a file means that a host's part is lost; alone it is an empty profile.
  void SayWithoutEvents(const std::string& path) {
    outcome_.diagnostics.Add(DiagCode::kEmptyProfile, fmt::format("{}: the profile holds no events at all", path));
  }

  // For the analyses that look beyond ops.
  xplane::ReadOutcome StreamLayout(const input::InputFile& file, const input::Content& content,
                                   const xplane::Layout& layout, xplane::ReadPlan* plan) {
    std::vector<trace::EventSink*> sinks = views_.FreshSinks();
    launches_ = analyze::LaunchTable();
    if (request_.want_calls) sinks.push_back(&launches_);
    xplane::EventStreamOptions wanted{request_.views.host_groups(), request_.views.device_groups()};
    if (request_.views.streams_rows()) {
      const std::optional<int64_t> start = TraceStart(file, content, layout, plan);
      if (!start) return xplane::ReadOutcome::kAgain;
      wanted.trace_start_ps = *start;
    }
    const auto index = static_cast<uint32_t>(&file - request_.files.data());
    Diagnostics found;
    const bool last_reading = !ReadsLanes();
    const xplane::ReadOutcome outcome = xplane::StreamEvents(layout, ReaderOptions(file, content, layout, last_reading),
                                                             index, wanted, sinks, plan, &found);
    if (outcome != xplane::ReadOutcome::kDone) return outcome;
    views_.Keep();
    if (request_.views.any()) outcome_.empty = outcome_.empty && !HasEvents(layout);
    outcome_.diagnostics.Merge(found);
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
    OpTableOptions op_options = OptionsOf(request_);
    op_options.file = static_cast<uint32_t>(&file - request_.files.data());
    if (request_.time) {
      const std::optional<int64_t> start = TraceStart(file, content, layout, plan);
      if (!start) return xplane::ReadOutcome::kAgain;
      SetWindow(*start, &op_options);
    }
    const analyze::CallTreeOptions call_options{op_options.from_ps, op_options.to_ps, &launches_};
    const std::optional<FileSteps> steps = StepsOf(op_options.file);
    std::vector<ThreadAnalyses> threads;
    for (unsigned i = 0; i < std::max(1u, request_.threads); ++i) {
      threads.emplace_back(request_.want_ops ? &op_options : nullptr, request_.want_calls ? &call_options : nullptr,
                           request_.want_inventory, steps ? &*steps : nullptr);
    }
    if (RunReader(file, content, layout, plan, &threads, true) == xplane::ReadOutcome::kAgain) {
      return xplane::ReadOutcome::kAgain;
    }
    for (ThreadAnalyses& thread : threads) {
      if (request_.want_ops) run_ops_.Merge(std::move(*thread.ops));
      if (request_.want_calls) outcome_.calls->Merge(*thread.calls);
      if (steps) step_sums_->Merge(*thread.step_sums, steps->numbers);
      if (request_.want_inventory && &thread != &threads[0]) threads[0].inventory->Merge(std::move(*thread.inventory));
    }
    if (request_.want_calls && !op_options.clips()) outcome_.calls->AddUnowned(launches_.unmatched_ps());
    if (request_.want_inventory) inventory->planes = std::move(*threads[0].inventory).Finish();
    return xplane::ReadOutcome::kDone;
  }

  // False: it is no timeline, or can't be read.
  bool ReadTimelineFile(const input::InputFile& file, std::unique_ptr<input::Content>& content,
                        analyze::FileInventory* inventory) {
    const bool as_a_whole = request_.views.any() || content->disk_bytes == 0;
    if (!content->mapped() && as_a_whole && !SpoolStream(content.get())) return false;
    OpTableOptions op_options = OptionsOf(request_);
    op_options.file = static_cast<uint32_t>(&file - request_.files.data());
    const TimelineInput timeline{file.path,         file.host,
                                 request_.temp_dir, chrome::DialectOf(request_.format_in),
                                 request_.progress, std::max(1u, request_.threads)};
    if (request_.views.any()) {
      const chrome::StreamFacts facts = StreamTimelineFile(timeline, op_options.file, *content);
      if (!ReadsLanes()) return TakeFacts(file, facts.file, inventory);
    }
    std::optional<FileSteps> steps = StepsOf(op_options.file);
    if (request_.time || steps) {
      std::unique_ptr<input::Content> again;
      if (!content->mapped()) {
        Result<std::unique_ptr<input::Content>> copy = input::OpenContent(file.path);
        if (copy) again = std::move(*copy);
      }
      std::unique_ptr<input::Content>& source = again == nullptr ? content : again;
      std::vector<ThreadAnalyses> look;
      Diagnostics ignored;
      const auto fresh = [&] { return FreshSink(&look, nullptr, nullptr, true); };
      if (ReadTimeline(timeline, source, fresh, &ignored)) {
        const int64_t start_ps = StartOf(&look);
        if (request_.time) SetWindow(start_ps, &op_options);
        if (steps) steps->windows.Shift(start_ps);  // which were found from there
      }
    }
    std::vector<ThreadAnalyses> threads;
    const analyze::CallTreeOptions call_options{op_options.from_ps, op_options.to_ps, nullptr};
    const auto fresh = [&] {
      return FreshSink(&threads, request_.want_ops ? &op_options : nullptr,
                       request_.want_calls ? &call_options : nullptr, request_.want_inventory,
                       steps ? &*steps : nullptr);
    };
    Result<chrome::FileFacts> facts = ReadTimeline(timeline, content, fresh, &outcome_.diagnostics);
    if (!facts) {
      outcome_.diagnostics.Add(facts.error().code, facts.error().message);
      return false;
    }
    if (!TakeFacts(file, *facts, inventory)) return false;
    if (request_.want_ops) run_ops_.Merge(std::move(*threads[0].ops));
    if (request_.want_calls) outcome_.calls->Merge(*threads[0].calls);
    if (steps) step_sums_->Merge(*threads[0].step_sums, steps->numbers);
    if (request_.want_inventory) inventory->planes = std::move(*threads[0].inventory).Finish();
    return true;
  }

  // For the analyses that look beyond ops.
  chrome::StreamFacts StreamTimelineFile(const TimelineInput& timeline, uint32_t file_index,
                                         const input::Content& content) {
    Diagnostics found;
    chrome::StreamFacts facts = StreamTimeline(timeline, file_index, content, views_.FreshSinks(), &found);
    views_.Keep();
    outcome_.empty = outcome_.empty && !facts.any_event;
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

  static trace::Sink* FreshSink(std::vector<ThreadAnalyses>* analyses, const OpTableOptions* op_options,
                                const analyze::CallTreeOptions* call_options, bool inventory,
                                const FileSteps* steps = nullptr) {
    analyses->clear();
    analyses->emplace_back(op_options, call_options, inventory, steps);
    return analyses->back().sink();
  }

  // Where time 0 of --time lies: the start of the file's earliest event on a lane with ops. Nothing: the file must be
  // read anew, as `plan` says by now.
  std::optional<int64_t> TraceStart(const input::InputFile& file, const input::Content& content,
                                    const xplane::Layout& layout, xplane::ReadPlan* plan) {
    std::vector<ThreadAnalyses> threads;
    for (unsigned i = 0; i < std::max(1u, request_.threads); ++i) threads.emplace_back(nullptr, nullptr, true);
    if (RunReader(file, content, layout, plan, &threads, false) == xplane::ReadOutcome::kAgain) return std::nullopt;
    return StartOf(&threads);
  }

  static int64_t StartOf(std::vector<ThreadAnalyses>* threads) {
    std::optional<int64_t> start;
    for (ThreadAnalyses& thread : *threads) {
      for (const analyze::PlaneInventory& plane : std::move(*thread.inventory).Finish()) {
        for (const analyze::LaneInventory& lane : plane.lanes) {
          const bool has_ops = lane.role != trace::Role::kView && lane.role != trace::Role::kOther;
          if (has_ops && lane.timed) start = std::min(start.value_or(INT64_MAX), lane.first_ps);
        }
      }
    }
    return start.value_or(0);
  }

  void SetWindow(int64_t start_ps, OpTableOptions* options) const {
    const auto from_start = [&](const std::optional<int64_t>& at, int64_t open) {
      int64_t sum = 0;
      return !at || __builtin_add_overflow(start_ps, *at, &sum) ? open : sum;
    };
    options->from_ps = from_start(request_.time->from_ps, INT64_MIN);
    options->to_ps = from_start(request_.time->to_ps, INT64_MAX);
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
                                std::vector<ThreadAnalyses>* threads, bool final_reading) {
    const xplane::ReadOptions options = ReaderOptions(file, content, layout, final_reading);
    std::vector<trace::Sink*> sinks;
    for (ThreadAnalyses& thread : *threads) sinks.push_back(thread.sink());
    Diagnostics found;
    const xplane::ReadOutcome outcome = xplane::Read(layout, options, sinks, plan, &found);
    if (final_reading && outcome == xplane::ReadOutcome::kDone) outcome_.diagnostics.Merge(found);
    return outcome;
  }

  // A profile without ops is no answer, but it may hold other things: say which.
  void SayWhatThereIs() {
    if (outcome_.diagnostics.Has(DiagCode::kEmptyProfile)) return;
    AnalysisRequest look = request_;
    look.want_ops = false;
    look.want_inventory = true;
    look.progress = nullptr;
    const std::vector<analyze::FileInventory> files =
        request_.want_inventory ? outcome_.inventory : Pipeline(look, spooled_).Run().inventory;
    uint64_t lanes = 0, events = 0;
    for (const analyze::FileInventory& file : files) {
      for (const analyze::PlaneInventory& plane : file.planes) {
        lanes += plane.lanes.size();
        events += plane.events();
      }
    }
    const std::string holds =
        events == 0 ? "it holds no events at all"
                    : fmt::format(
                          "it holds {} events on {} lines, none of them a framework op or device event (Python "
                          "frames, annotations and the like are none); `info` lists them",
                          events, lanes);
    outcome_.diagnostics.Add(DiagCode::kEmptyProfile, fmt::format("nothing to analyse in the profile: {}", holds));
  }

  // Names that are not UTF-8 are kept apart but can't be printed as they are.
  void CheckNames() {
    uint64_t bad = 0;
    std::string first;
    for (const analyze::OpsRow& row : outcome_.ops.rows) {
      outcome_.empty = outcome_.empty && row.idle;
      if (IsValidUtf8(row.op_name) && IsValidUtf8(row.op_type) && IsValidUtf8(row.key)) continue;
      if (bad++ == 0) first = row.op_name.empty() ? row.key : row.op_name;
    }
    if (bad == 0) return;
    outcome_.diagnostics.Add(
        DiagCode::kInvalidUtf8,
        fmt::format("names are not valid UTF-8; each bad byte is printed as U+FFFD; first: {}", first), bad);
  }

  std::shared_ptr<Spooled> spooled_;  // contents of pipes, by path, for whoever has to read them again
  const AnalysisRequest& request_;
  AnalysisOutcome outcome_;
  OpTable run_ops_;
  EventViews views_;
  analyze::LaunchTable launches_;  // of the file being read
  // For want_op_steps: the rows of all steps, which joined step each is, and these.
  std::vector<analyze::StepRow> step_rows_;
  std::vector<uint32_t> step_numbers_;
  std::vector<analyze::StepTime> step_times_;
  analyze::StepRuns step_runs_;
  std::unique_ptr<analyze::OpStepSums> step_sums_;
  analyze::XprofTable run_xprof_;  // instead of it in compat modes
};

}  // namespace

AnalysisOutcome Analyze(const AnalysisRequest& request) { return Pipeline(request).Run(); }

}  // namespace tfprof::cli
