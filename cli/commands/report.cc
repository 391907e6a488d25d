#include "cli/commands/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/kernels_select.h"
#include "analyze/op_tree.h"
#include "analyze/ops_select.h"
#include "cli/commands/advice.h"
#include "cli/commands/events.h"
#include "cli/commands/session.h"
#include "cli/pipeline.h"
#include "input/discover.h"
#include "report/info_report.h"
#include "report/input_report.h"
#include "report/kernels_report.h"
#include "report/memory_report.h"
#include "report/ops_report.h"
#include "report/overview_report.h"
#include "report/steps_report.h"
#include "report/summary_report.h"
#include "report/tree_report.h"

namespace tfprof::cli {
namespace {

// The summary tells of steps too where that costs next to nothing: finding them holds some 100 bytes an event.
constexpr uint64_t kMostSummaryBytes = uint64_t{32} << 20;

bool SummaryLooksForSteps(const Options& options, const std::vector<input::InputFile>& files) {
  return options.command == CommandId::kSummary && !options.time &&
         (options.steps.any() || BytesOf(files).value_or(UINT64_MAX) <= kMostSummaryBytes);
}

EventViewRequest ViewsOf(const Options& options) {
  EventViewRequest views;
  views.compat = options.compat;
  views.kernels = options.command == CommandId::kKernels;
  views.memory = options.command == CommandId::kMemory;
  views.tf_data = options.command == CommandId::kInput;
  views.steps = options.command == CommandId::kSteps || options.command == CommandId::kInput ||
                options.command == CommandId::kOverview;
  const bool prints_times = options.command == CommandId::kSteps || options.command == CommandId::kMemory;
  views.from_start = prints_times && options.compat == analyze::Compat::kNone;
  return views;
}

class Report {
 public:
  Report(const Options& options, Io& io) : options_(options), session_(options, io) {}

  ExitCode Run() {
    input::Discovery found = input::Discover(options_.inputs, options_.selection);
    if (Status bad = session_.OpenOutputs(found.files)) {
      session_.messages().Say(Severity::kError, bad->message);
      return ExitCode::kUsage;
    }
    for (const std::string& notice : found.notices) session_.messages().Inform(notice);
    diagnostics_ = std::move(found.diagnostics);
    if (options_.command == CommandId::kEvents) return AnswerWithEvents(std::move(found.files));
    if (!found.files.empty()) Read(std::move(found.files));
    if (outcome_.refused_for_compat && !outcome_.anything_opened) {
      session_.Say(diagnostics_);  // --compat can't be had of such inputs: the command is at fault, not they
      return ExitCode::kUsage;
    }
    return Answer(Judge());
  }

 private:
  Verdict Judge() {
    const Verdict verdict{outcome_.anything_opened, IsEmpty(), options_.strict, options_.allow_partial};
    // An answer to which a file, or a directory without a profile, could add nothing isn't whole.
    if (!verdict.empty && diagnostics_.Has(DiagCode::kEmptyProfile)) {
      diagnostics_.Add(DiagCode::kUnreadableInput,
                       "one of the inputs holds no profile; the answer is about the others");
    }
    return verdict;
  }

  // Here the inputs are read while the answer is written.
  ExitCode AnswerWithEvents(std::vector<input::InputFile> files) {
    if (files.empty()) return Answer({false, IsEmpty(), options_.strict, options_.allow_partial});
    report::ReportContext context;
    context.tool.version = TFPROF_VERSION;
    context.diagnostics = diagnostics_;
    AnalysisRequest request = RequestFor(std::move(files));
    EventsReading reading(options_, std::move(request), std::move(context));
    const bool written = !reading.anything_opens() ||
                         session_.Write([&](report::Format format) { return reading.MakeDocument(format); });
    outcome_.empty = reading.Outcome().empty;
    outcome_.anything_opened = reading.Outcome().anything_opened;
    diagnostics_.Merge(reading.Outcome().diagnostics);
    const Verdict verdict = Judge();
    const ExitCode code = ExitCodeFor(diagnostics_, verdict);
    session_.Say(diagnostics_);
    return written ? code : ExitCode::kUsage;
  }

  // Commands that make their answer from the op table too; its shares are then of op time.
  bool OpsServeAnother() const {
    return options_.command == CommandId::kInput || options_.command == CommandId::kOverview;
  }

  AnalysisRequest RequestFor(std::vector<input::InputFile> files) {
    AnalysisRequest request = session_.RequestFor(std::move(files));
    request.want_ops = options_.command == CommandId::kSummary || options_.command == CommandId::kOps ||
                       options_.command == CommandId::kTree || OpsServeAnother();
    request.want_calls = options_.command == CommandId::kTree;
    request.all_rows = OpsServeAnother();
    request.want_inventory = options_.command == CommandId::kSummary || options_.command == CommandId::kInfo ||
                             (options_.command == CommandId::kOps && session_.ForPeople()) ||
                             options_.command == CommandId::kTree;
    request.views = ViewsOf(options_);
    if (SummaryLooksForSteps(options_, request.files)) request.views.steps = summary_has_steps_ = true;
    request.by = options_.by;
    request.compat = options_.compat;
    request.include_idle = options_.include_idle && !OpsServeAnother();
    request.want_distribution = options_.columns.needs_distribution || analyze::NeedsDistribution(options_.rows.sort);
    request.want_step_means = options_.columns.needs_step_means;
    request.time = options_.time;
    if (options_.steps.any()) request.steps = options_.steps;
    return request;
  }

  void Read(std::vector<input::InputFile> files) {
    AnalysisRequest request = RequestFor(std::move(files));
    const bool tells_steps = request.views.steps && !summary_has_steps_;
    outcome_ = session_.Read(std::move(request));
    diagnostics_.Merge(outcome_.diagnostics);
    if (tells_steps && outcome_.anything_opened) NoteMissingSteps();
  }

  void NoteMissingSteps() {
    const analyze::StepKind kind = outcome_.views.steps.kind;
    if (kind == analyze::StepKind::kStep) return;
    diagnostics_.Add(
        DiagCode::kNoStepMarkers,
        kind == analyze::StepKind::kCall
            ? "the program marks no steps; its function calls and groups of device work stand in for them"
            : "no step can be seen in the profile, so step times can't be told; mark steps with "
              "tf.profiler.experimental.Trace(\"train\", step_num=i, _r=1) or, in JAX, StepTraceAnnotation");
  }

  // Whether there was nothing to report on.
  bool IsEmpty() {
    if (options_.command == CommandId::kInfo) {
      return std::all_of(outcome_.inventory.begin(), outcome_.inventory.end(), [](const analyze::FileInventory& file) {
        return std::all_of(file.planes.begin(), file.planes.end(),
                           [](const analyze::PlaneInventory& plane) { return plane.events() == 0; });
      });
    }
    if (options_.command == CommandId::kSummary) {
      // About ops, whether or not steps were looked for beside them.
      outcome_.empty = std::all_of(outcome_.ops.rows.begin(), outcome_.ops.rows.end(),
                                   [](const analyze::OpsRow& row) { return row.idle; });
    }
    const bool was_said = diagnostics_.Has(DiagCode::kEmptyProfile) || diagnostics_.Has(DiagCode::kNoStepChosen);
    if (outcome_.empty && outcome_.anything_opened && !was_said) {
      diagnostics_.Add(DiagCode::kEmptyProfile,
                       "there is nothing to analyse in the input; `tfprof-analyze info` tells what it holds instead");
    }
    return outcome_.empty;
  }

  ExitCode Answer(const Verdict& verdict) {
    const analyze::Compat compat = options_.compat;
    outcome_.ops.by = options_.by;
    outcome_.ops.compat = compat;
    outcome_.ops.include_idle = options_.include_idle;
    if (options_.command == CommandId::kOps) {
      Result<analyze::OpsSelector> selector = analyze::OpsSelector::Create(options_.rows);
      if (!selector) {
        session_.messages().Say(Severity::kError, selector.error().message);
        return ExitCode::kUsage;
      }
      selector->Apply(&outcome_.ops, &diagnostics_);
    }
    if (Status bad = MakeTree()) {
      session_.messages().Say(Severity::kError, bad->message);
      return ExitCode::kUsage;
    }
    if (options_.command == CommandId::kKernels) {
      if (!outcome_.views.kernels) outcome_.views.kernels.emplace().compat = compat;  // there was nothing to read
      SayWithoutKernels();
      analyze::SelectKernels({options_.kernels_by, options_.rows.include, options_.rows.exclude, options_.rows.limit},
                             &*outcome_.views.kernels, &diagnostics_);
    }
    if (options_.command == CommandId::kMemory) {
      if (!outcome_.views.memory) outcome_.views.memory.emplace().compat = compat;
      CheckMemory();
      analyze::LimitMemoryRows(options_.rows.limit, &*outcome_.views.memory, &diagnostics_);
    }
    if (options_.command == CommandId::kInput) SayWithoutTfData();
    ExitCode code = ExitCodeFor(diagnostics_, verdict);
    // Where nothing could be opened there is nothing to tell of, not even that it is empty.
    if ((code != ExitCode::kDamaged || verdict.anything_opened) &&
        !session_.Write([this](report::Format) { return MakeDocument(); })) {
      code = ExitCode::kUsage;
    }
    session_.Say(diagnostics_);
    return code;
  }

  // For the summary as for `tree`.
  Status MakeTree() {
    if (options_.command != CommandId::kTree && options_.command != CommandId::kSummary) return kOk;
    const analyze::CallTree none{analyze::CallTreeOptions()};
    const analyze::CallTree& calls = outcome_.calls == nullptr ? none : *outcome_.calls;
    Result<analyze::TreeResult> tree = analyze::MakeOpTree(outcome_.ops, calls, options_.tree);
    if (!tree) return tree.error();
    tree_ = std::move(*tree);
    if (tree_.nodes.size() < tree_.total_nodes) {
      diagnostics_.Add(DiagCode::kRowsLimited,
                       fmt::format("--depth or --min left out {} of {} nodes; totals count them",
                                   tree_.total_nodes - tree_.nodes.size(), tree_.total_nodes));
    }
    return kOk;
  }

  void SayWithoutKernels() {
    const analyze::KernelsResult& kernels = *outcome_.views.kernels;
    if (!kernels.rows.empty() || outcome_.empty) return;
    diagnostics_.Add(DiagCode::kNoDeviceActivity,
                     kernels.gpus == 0
                         ? "the profile holds no GPU, so it can't tell of GPU kernels; `ops` shows the ops of its host"
                         : "no event of the profile's GPUs tells launch parameters (`kernel_details`, Kineto's "
                           "`grid`), as kernels do; `ops` shows their events");
  }

  void CheckMemory() {
    const analyze::MemoryResult& memory = *outcome_.views.memory;
    uint64_t untimed = 0;
    for (const analyze::AllocatorMemory& allocator : memory.allocators) untimed += allocator.untimed;
    if (untimed > 0) {
      diagnostics_.Add(DiagCode::kUntimedEvent,
                       "memory events have no place in the trace's time; peaks and timelines are without them",
                       untimed);
    }
    if (!memory.allocators.empty() || outcome_.empty) return;
    diagnostics_.Add(DiagCode::kNoMemoryEvents,
                     fmt::format("the profile holds no memory events, so it can't tell of memory; {}",
                                 Advice(outcome_.inventory, {"ProfilerHook writes them with show_memory=True",
                                                             "torch.profiler writes them with profile_memory=True",
                                                             "TensorFlow's profiler writes them into its xplane.pb, at "
                                                             "host tracer level 2 and above"})));
  }

  void SayWithoutTfData() {
    const analyze::TfDataResult& tf_data = outcome_.views.tf_data;
    if (tf_data.calls_cut > 0) {
      diagnostics_.Add(
          DiagCode::kBrokenEvent,
          "ids of tf.data iterators are too entangled to follow all of their background work; self times of some "
          "calls include it",
          tf_data.calls_cut);
    }
    if (!tf_data.pipelines.empty() || outcome_.empty) return;
    diagnostics_.Add(
        DiagCode::kNoInputPipeline,
        fmt::format("the profile holds no call of a tf.data iterator, so it can't tell of input pipelines: {}",
                    Advice(outcome_.inventory,
                           {"a ProfilerHook's timeline holds none, tf.profiler.experimental.Profile writes them",
                            "PyTorch has none, a wait for its DataLoader is input time in `steps`",
                            "the input is made otherwise, or the host tracer was off"})));
  }

  report::Document MakeDocument() const {
    report::ReportContext context;
    context.tool.version = TFPROF_VERSION;
    for (const analyze::FileInventory& file : outcome_.inventory) {
      context.inputs.push_back({file.path, file.host, file.run, file.kind});
    }
    context.diagnostics = diagnostics_;
    switch (options_.command) {
      case CommandId::kInfo:
        return report::InfoDocument(outcome_.inventory, context, InfoOptions());
      case CommandId::kOps: {
        report::OpsReportOptions ops;
        ops.columns = options_.columns;
        ops.unit = options_.unit;
        if (session_.ForPeople()) ops.shape = report::RunShapeOf(outcome_.inventory);
        return report::OpsDocument(outcome_.ops, context, ops);
      }
      case CommandId::kTree: {
        report::TreeReportOptions tree;
        tree.unit = options_.unit;
        tree.side = options_.tree.side;
        tree.shape = report::RunShapeOf(outcome_.inventory);
        return report::TreeDocument(tree_, outcome_.ops, context, tree);
      }
      case CommandId::kKernels:
        return report::KernelsDocument(*outcome_.views.kernels, context, options_.unit);
      case CommandId::kMemory:
        return report::MemoryDocument(*outcome_.views.memory, context, options_.unit);
      case CommandId::kSteps:
        return report::StepsDocument(outcome_.views.steps, context, {options_.unit});
      case CommandId::kInput:
        return report::InputDocument(outcome_.ops, outcome_.views.steps, outcome_.views.tf_data, context,
                                     {options_.unit});
      case CommandId::kOverview:
        return report::OverviewDocument(outcome_.ops, outcome_.views.steps, context, {options_.unit});
      default:
        break;
    }
    report::SummaryReportOptions summary;
    summary.input_args = options_.inputs;
    const auto keep = [&summary](const char* name, std::string_view value) {
      summary.input_flags.push_back({name, std::string(value)});
    };
    if (options_.selection.run) keep("run", *options_.selection.run);
    if (options_.selection.host_regex) keep("host", *options_.selection.host_regex);
    if (!options_.format_in.empty()) keep("format-in", options_.format_in);
    if (!options_.steps_text.empty()) summary.step_flags.push_back({"steps", options_.steps_text});
    if (!options_.skip_steps_text.empty()) summary.step_flags.push_back({"skip-steps", options_.skip_steps_text});
    summary.time = options_.time_text;
    if (summary_has_steps_) summary.steps = &outcome_.views.steps;
    summary.unit = options_.unit;
    return report::SummaryDocument(outcome_.ops, tree_, outcome_.inventory, context, summary);
  }

  report::InfoReportOptions InfoOptions() const {
    report::InfoReportOptions info;
    if (options_.wide) info.lanes_per_plane = 0;
    return info;
  }

  const Options& options_;
  Session session_;
  AnalysisOutcome outcome_;
  bool summary_has_steps_ = false;
  analyze::TreeResult tree_;
  Diagnostics diagnostics_;
};

}  // namespace

ExitCode RunReport(const Options& options, Io& io) { return Report(options, io).Run(); }

}  // namespace tfprof::cli
