#include "cli/commands/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/read_run.h"
#include "cli/commands/session.h"
#include "cli/file_lock.h"
#include "compare/baseline.h"
#include "report/baseline_report.h"

namespace tfprof::cli {
namespace {

// The session writes to what the options name as outputs: here the baseline.
Options WithOutput(const Options& options) {
  Options with = options;
  with.outputs.clear();
  if (!options.comparing.baseline_file.empty()) {
    with.outputs.push_back({report::Format::kJson, options.comparing.baseline_file});
  }
  return with;
}

// One run, whatever else it is called by.
bool IsSame(const compare::RunProfile& a, const compare::RunProfile& b) {
  return compare::WriteBaseline({{a}}) == compare::WriteBaseline({{b}});
}

class BaselineCommand {
 public:
  BaselineCommand(const Options& options, Io& io) : options_(WithOutput(options)), session_(options_, io) {}

  ExitCode Run() {
    if (Status bad = Lock()) return Fail(*bad);
    if (options_.comparing.action == BaselineAction::kAdd) {
      if (const std::optional<ExitCode> failed = ReadOld()) return *failed;
    }
    std::vector<RunSource> sources;
    for (const std::string& argument : options_.inputs) sources.push_back(FindRun(argument, options_.selection));
    DropRepeated(&sources, &diagnostics_);
    std::vector<input::InputFile> files;
    for (const RunSource& source : sources) {
      files.insert(files.end(), source.found.files.begin(), source.found.files.end());
      for (const std::string& notice : source.found.notices) session_.messages().Inform(notice);
    }
    if (Status bad = session_.OpenOutputs(files)) return Fail(*bad);
    bool whole = true;
    for (const RunSource& source : sources) whole &= Read(source);
    return Answer(whole);
  }

 private:
  bool shows() const { return options_.comparing.action == BaselineAction::kShow; }

  ExitCode Fail(const Error& error) {
    session_.messages().Say(Severity::kError, error.message);
    return ExitCode::kUsage;
  }

  // Held until the new baseline has the old one's name: what others add meanwhile would be lost.
  Status Lock() {
    const std::string& file = options_.comparing.baseline_file;
    if (shows() || file.empty()) return kOk;
    Status bad = lock_.Take(file, [&] {
      session_.messages().Inform(fmt::format("{}: waiting for another process that writes this baseline", file));
    });
    if (options_.comparing.action == BaselineAction::kAdd) return bad;
    return kOk;  // `save` keeps nothing of the old file, and where no lock can be had nobody adds to it either
  }

  // The baseline that runs are added to.
  std::optional<ExitCode> ReadOld() {
    const std::string& file = options_.comparing.baseline_file;
    RunsRead old = ReadRun(FindRun(file, {}), {}, &session_);
    if (!old.runs.empty() && !old.is_baseline) {
      return Fail({DiagCode::kUnreadableInput,
                   fmt::format("{}: is no baseline; `baseline save` makes one, with runs as its INPUTs", file)});
    }
    session_.Say(old.diagnostics);
    if (old.runs.empty()) return ExitCode::kDamaged;
    baseline_.runs = std::move(old.runs);
    return std::nullopt;
  }

  // False: there is no run in it, or not all of it.
  bool Read(const RunSource& source) {
    RunsRead read = ReadRun(source, {options_.comparing.skip_steps, false}, &session_);
    diagnostics_.Merge(read.diagnostics);
    anything_opened_ |= read.anything_opened;
    inputs_.insert(inputs_.end(), read.inputs.begin(), read.inputs.end());
    if (shows() && !read.runs.empty() && !read.is_baseline) {
      diagnostics_.Add(DiagCode::kUnsupportedFormat, fmt::format("{}: is no baseline", source.argument));
      return false;
    }
    bool whole = !read.runs.empty();
    for (compare::RunProfile& run : read.runs) {
      whole &= !run.damaged;
      if (!read.is_baseline) run.label = LabelOf(source);
      const bool known = std::any_of(baseline_.runs.begin(), baseline_.runs.end(),
                                     [&](const compare::RunProfile& other) { return IsSame(run, other); });
      if (known && !shows()) {
        diagnostics_.Add(DiagCode::kDuplicateSource,
                         fmt::format("{}: the baseline holds this run already; it counts once", run.label));
        continue;
      }
      baseline_.runs.push_back(std::move(run));
    }
    return whole;
  }

  // A log directory is the same for all of its runs. How many it holds is no part of a run's name: there will be more.
  static std::string LabelOf(const RunSource& source) {
    const std::string &argument = source.argument, &run = source.found.files.front().run;
    return run.empty() || argument.find(run) != std::string::npos ? argument : fmt::format("{} ({})", argument, run);
  }

  ExitCode Answer(bool whole) {
    ExitCode code =
        ExitCodeFor(diagnostics_, {anything_opened_, baseline_.runs.empty(), options_.strict, options_.allow_partial});
    if (!shows() && code == ExitCode::kDone && !whole && !options_.allow_partial) code = ExitCode::kDamaged;
    const bool writes = shows() ? !baseline_.runs.empty() : code == ExitCode::kDone;
    if (writes && !Write()) code = ExitCode::kUsage;
    session_.Say(diagnostics_);
    if (!writes && !shows()) {
      session_.messages().Say(Severity::kError,
                              anything_opened_ && code == ExitCode::kDamaged
                                  ? "no baseline was written: not all runs could be read whole (--allow-partial takes "
                                    "what could be read)"
                                  : "no baseline was written");
    }
    return code;
  }

  bool Write() {
    if (!shows()) {
      if (!session_.WriteText(compare::WriteBaseline(baseline_))) return false;
      if (options_.outputs.empty()) return true;  // it stands on standard output
    }
    report::ReportContext context;
    context.tool.version = TFPROF_VERSION;
    context.inputs = inputs_;
    context.diagnostics = diagnostics_;
    const std::string name = shows() ? options_.inputs.front() : options_.comparing.baseline_file;
    return session_.WriteToStandardOutput(report::BaselineDocument(baseline_, name, context, options_.unit));
  }

  const Options options_;
  FileLock lock_;
  Session session_;
  compare::Baseline baseline_;
  std::vector<report::InputInfo> inputs_;
  Diagnostics diagnostics_;
  bool anything_opened_ = false;
};

}  // namespace

ExitCode RunBaseline(const Options& options, Io& io) { return BaselineCommand(options, io).Run(); }

}  // namespace tfprof::cli
