#include "cli/commands/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "cli/commands/read_run.h"
#include "cli/commands/session.h"
#include "compare/comparison.h"
#include "report/diff_report.h"

namespace tfprof::cli {
namespace {

using compare::CompareBy;
using compare::Comparison;

constexpr uint64_t kRowsForPeople = 20;  // per side, unless a limit is asked for

class Diff {
 public:
  Diff(const Options& options, Io& io) : options_(options), session_(options, io) {}

  ExitCode Run() {
    Find(options_.comparing.base, &base_.sources);
    Find(options_.inputs, &next_.sources);
    for (Side* side : {&base_, &next_}) DropRepeated(&side->sources, &diagnostics_);
    std::vector<input::InputFile> files;
    for (const Side* side : {&base_, &next_}) {
      for (const RunSource& source : side->sources) {
        files.insert(files.end(), source.found.files.begin(), source.found.files.end());
        for (const std::string& notice : source.found.notices) session_.messages().Inform(notice);
      }
    }
    if (Status bad = session_.OpenOutputs(files)) return Refuse(*bad);
    for (Side* side : {&base_, &next_}) {
      if (Status bad = Read(side)) return Refuse(*bad);
    }
    return Answer();
  }

 private:
  struct Side {
    std::vector<RunSource> sources;
    std::vector<compare::RunProfile> runs;
    bool anything_opened = false;
  };

  void Find(const std::vector<std::string>& arguments, std::vector<RunSource>* sources) const {
    for (const std::string& argument : arguments) sources->push_back(FindRun(argument, options_.selection));
  }

  ExitCode Refuse(const Error& error) {
    session_.messages().Say(Severity::kError, error.message);
    return ExitCode::kUsage;
  }

  Status Read(Side* side) {
    const bool by_kernel = options_.comparing.by == CompareBy::kKernel;
    const ReadRunOptions read_options{options_.comparing.skip_steps, by_kernel, false, by_kernel};
    size_t without = 0;
    for (const RunSource& source : side->sources) {
      RunsRead read = ReadRun(source, read_options, &session_);
      if (read.refused) return read.refused;
      side->anything_opened |= read.anything_opened;
      without += read.runs.empty();
      std::move(read.runs.begin(), read.runs.end(), std::back_inserter(side->runs));
      inputs_.insert(inputs_.end(), read.inputs.begin(), read.inputs.end());
      diagnostics_.Merge(read.diagnostics);
    }
    // An answer to which a run could add nothing isn't whole.
    if (without > 0 && !side->runs.empty()) {
      diagnostics_.Add(DiagCode::kUnreadableInput, "a run has nothing to compare in it; the answer is about the others",
                       without);
    }
    return kOk;
  }

  ExitCode Answer() {
    compare::CompareOptions compare_options;
    compare_options.by = options_.comparing.by;
    Comparison comparison;
    comparison.by = options_.comparing.by;
    for (const compare::RunProfile& run : base_.runs) comparison.base_runs.push_back(run.label);
    for (const compare::RunProfile& run : next_.runs) comparison.next_runs.push_back(run.label);
    bool nothing = base_.runs.empty() || next_.runs.empty();
    if (nothing) {
      SayWhatIsMissing();
    } else {
      Result<Comparison> compared = compare::Compare(base_.runs, next_.runs, compare_options);
      if (compared) {
        comparison = std::move(*compared);
        nothing = !HasCommonRow(comparison);
        if (nothing) SayNothingInCommon(comparison);
      } else {
        nothing = true;
        diagnostics_.Add(DiagCode::kEmptyProfile, compared.error().message);
      }
    }
    const bool opened = base_.anything_opened || next_.anything_opened;
    ExitCode code = ExitCodeFor(diagnostics_, {opened, nothing, options_.strict, options_.allow_partial});
    if (opened && !Write(comparison)) code = ExitCode::kUsage;
    session_.Say(diagnostics_);
    return code;
  }

  void SayWhatIsMissing() {
    const char* which = !next_.runs.empty()   ? "the base has no"
                        : !base_.runs.empty() ? "the new side has no"
                                              : "neither side has a";
    diagnostics_.Add(DiagCode::kEmptyProfile, fmt::format("there is nothing to compare: {} run with ops", which));
  }

  static bool HasCommonRow(const Comparison& comparison) {
    return std::any_of(comparison.rows.begin(), comparison.rows.end(), [](const compare::ChangeRow& row) {
      return row.kind == compare::RowKind::kOp && row.presence == compare::Presence::kBoth;
    });
  }

  void SayNothingInCommon(const Comparison& comparison) {
    size_t base = 0, next = 0;
    for (const compare::ChangeRow& row : comparison.rows) {
      if (row.kind != compare::RowKind::kOp) continue;
      base += row.presence == compare::Presence::kGone;
      next += row.presence == compare::Presence::kNew;
    }
    const std::string noun(report::CompareByName(comparison.by));
    diagnostics_.Add(DiagCode::kEmptyProfile,
                     base > 0 && next > 0
                         ? fmt::format("the two sides have no {} in common: they are runs of different programs", noun)
                         : fmt::format("there is nothing to compare: {} {}",
                                       base > 0   ? "the new side has no"
                                       : next > 0 ? "the base has no"
                                                  : "neither side has a",
                                       noun));
  }

  bool Write(const Comparison& comparison) {
    report::ReportContext context;
    context.tool.version = TFPROF_VERSION;
    context.inputs = inputs_;
    return session_.Write([&](report::Format format) {
      report::DiffReportOptions report_options;
      report_options.unit = options_.unit;
      report_options.selection = SelectionFor(format);
      context.diagnostics = diagnostics_;
      NoteLimit(comparison, report_options.selection, &context.diagnostics);
      return report::DiffDocument(comparison, context, report_options);
    });
  }

  compare::RowSelection SelectionFor(report::Format format) const {
    const bool people = format == report::Format::kTable || format == report::Format::kMarkdown;
    compare::RowSelection selection;
    selection.side = options_.rows.side;
    selection.include = options_.rows.include;
    selection.exclude = options_.rows.exclude;
    selection.idle = options_.include_idle;
    selection.order = options_.comparing.sort;
    selection.limit = people && !options_.limit_given ? kRowsForPeople : options_.rows.limit;
    return selection;
  }

  void NoteLimit(const Comparison& comparison, const compare::RowSelection& selection, Diagnostics* diagnostics) const {
    uint64_t cut = 0;
    for (const compare::OtherRows& others : compare::SelectRows(comparison.rows, selection).others) cut += others.rows;
    if (cut == 0) return;
    diagnostics->Add(DiagCode::kRowsLimited,
                     fmt::format("{} summed in the row of the others (--limit {})", Counted(cut, "row is", "rows are"),
                                 selection.limit),
                     cut);
  }

  const Options& options_;
  Session session_;
  Side base_, next_;
  std::vector<report::InputInfo> inputs_;
  Diagnostics diagnostics_;
};

}  // namespace

ExitCode RunDiff(const Options& options, Io& io) { return Diff(options, io).Run(); }

}  // namespace tfprof::cli
