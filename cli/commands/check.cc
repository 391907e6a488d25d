#include "cli/commands/check.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands/read_run.h"
#include "cli/commands/session.h"
#include "compare/check.h"
#include "report/check_report.h"

namespace tfprof::cli {
namespace {

constexpr size_t kMostRulesBytes = size_t{16} << 20;

Error Usage(std::string message) { return {DiagCode::kUnreadableInput, std::move(message)}; }

Result<std::string> TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char piece[1 << 14];
  while (file.read(piece, sizeof piece), file.gcount() > 0) {
    text.append(piece, static_cast<size_t>(file.gcount()));
    if (text.size() > kMostRulesBytes) return Usage(fmt::format("--rules: {}: is too large for a file of rules", path));
  }
  if (!file.eof()) return Usage(fmt::format("--rules: {}: cannot be read: {}", path, std::strerror(errno)));
  return text;
}

// Reports are read where the working directory is that of the repository: a path below it is told from there.
std::string PathInReports(const std::string& typed) {
  std::error_code failed;
  const std::filesystem::path here = std::filesystem::current_path(failed);
  const std::filesystem::path path(typed);
  if (failed || !path.is_absolute()) return typed;
  const std::filesystem::path relative = path.lexically_normal().lexically_relative(here);
  return relative.empty() || *relative.begin() == ".." ? typed : relative.string();
}

std::vector<std::string> PathsInReports(std::vector<std::string> typed) {
  for (std::string& path : typed) path = PathInReports(path);
  return typed;
}

// One side: what its arguments mean, and what was read of them.
struct Side {
  std::vector<RunSource> sources;
  std::vector<compare::RunProfile> runs;
  bool anything_opened = false;
};

class CheckCommand {
 public:
  CheckCommand(const Options& options, Io& io) : options_(options), session_(options, io) {
    context_.tool.version = TFPROF_VERSION;
    report_.next = PathsInReports(options.inputs);
    report_.baselines = PathsInReports(options.comparing.base);
    if (!options.comparing.rules_file.empty()) report_.rules_file = PathInReports(options.comparing.rules_file);
    for (const compare::Rule& rule : options.comparing.fail_if) report_.fail_if.push_back(rule.text);
    report_.inconclusive_fails = options.comparing.on_inconclusive == OnInconclusive::kFail;
    report_.unit = options.unit;
  }

  ExitCode Run() {
    Status bad = TakeRules();
    if (!bad) bad = compare::CheckRules(rules_, !options_.comparing.base.empty());
    if (!bad) bad = FindRuns();
    if (!bad) bad = ReadSide(&base_);
    if (!bad) bad = ReadSide(&next_);
    if (bad) {
      session_.messages().Say(Severity::kError, bad->message);
      return ExitCode::kUsage;
    }
    return Answer();
  }

 private:
  Status TakeRules() {
    const Comparing& comparing = options_.comparing;
    if (!comparing.rules_file.empty()) {
      const Result<std::string> text = TextOf(comparing.rules_file);
      if (!text) return text.error();
      Result<compare::RuleSet> rules = compare::ParseRules(text.value());
      if (!rules) return Usage(fmt::format("--rules: {}: {}", comparing.rules_file, rules.error().message));
      rules_ = std::move(*rules);
    }
    for (const compare::Rule& rule : comparing.fail_if) compare::AddRule(rule, &rules_);
    report_.compare = rules_.compare;
    return kOk;
  }

  Status FindRuns() {
    std::vector<input::InputFile> files;
    const auto find = [&](const std::vector<std::string>& arguments, Side* side) {
      for (const std::string& argument : arguments) {
        RunSource source = FindRun(argument, options_.selection);
        files.insert(files.end(), source.found.files.begin(), source.found.files.end());
        notices_.insert(notices_.end(), source.found.notices.begin(), source.found.notices.end());
        side->sources.push_back(std::move(source));
      }
    };
    find(options_.comparing.base, &base_);
    find(options_.inputs, &next_);
    for (Side* side : {&base_, &next_}) DropRepeated(&side->sources, &diagnostics_);
    if (!options_.comparing.rules_file.empty()) {
      input::InputFile rules;
      rules.path = options_.comparing.rules_file;
      files.push_back(std::move(rules));
    }
    if (Status bad = session_.OpenOutputs(files)) return bad;
    for (const std::string& notice : notices_) session_.messages().Inform(notice);
    return kOk;
  }

  Status ReadSide(Side* side) {
    ReadRunOptions reading;
    reading.skip_steps = options_.comparing.skip_steps;
    Diagnostics found;
    for (const RunSource& source : side->sources) {
      RunsRead read = ReadRun(source, reading, &session_);
      if (read.refused) return read.refused;
      found.Merge(read.diagnostics);
      context_.inputs.insert(context_.inputs.end(), read.inputs.begin(), read.inputs.end());
      std::move(read.runs.begin(), read.runs.end(), std::back_inserter(side->runs));
      side->anything_opened = side->anything_opened || read.anything_opened;
    }
    if (!side->runs.empty() && found.Has(DiagCode::kEmptyProfile)) {
      found.Add(DiagCode::kUnreadableInput, "one of the inputs holds no profile; the verdict is about the others");
    }
    // A run that is missing altogether is lost as well, though no profile says so.
    if (side == &next_ && !side->runs.empty() && IsAnythingLost(found)) side->runs.front().damaged = true;
    diagnostics_.Merge(found);
    return kOk;
  }

  static bool IsAnythingLost(const Diagnostics& found) {
    for (const Diagnostic& item : found.items()) {
      if (SeverityOf(item.code) == Severity::kError) return true;
    }
    return false;
  }

  bool AllOpened() const { return next_.anything_opened && (base_.sources.empty() || base_.anything_opened); }
  bool IsEmpty() const { return next_.runs.empty() || (base_.runs.empty() && !base_.sources.empty()); }

  Result<compare::CheckResult> Decide() const {
    if (!IsEmpty()) return compare::Check(base_.runs, next_.runs, rules_);
    compare::CheckResult nothing;
    nothing.outcome = compare::Outcome::kInconclusive;
    nothing.statement = fmt::format("inconclusive: there is nothing to check{}",
                                    next_.runs.empty() ? " in the new run" : " against in the baseline");
    for (const compare::RunProfile& run : base_.runs) nothing.base_runs.push_back(run.label);
    for (const compare::RunProfile& run : next_.runs) nothing.next_runs.push_back(run.label);
    return nothing;
  }

  ExitCode Answer() {
    const ExitCode read = ExitCodeFor(diagnostics_, {AllOpened(), IsEmpty(), options_.strict, options_.allow_partial});
    bool written = true;
    ExitCode decided = read;
    if (AllOpened()) {
      const Result<compare::CheckResult> result = Decide();
      if (!result) {
        session_.messages().Say(Severity::kError, result.error().message);
        return ExitCode::kUsage;
      }
      context_.diagnostics = diagnostics_;
      if (read == ExitCode::kDone) decided = CodeOf(result.value().outcome);
      written = session_.Write(
          [&](report::Format format) { return report::CheckDocument(result.value(), context_, report_, format); });
    }
    session_.Say(diagnostics_);
    return written ? decided : ExitCode::kUsage;
  }

  ExitCode CodeOf(compare::Outcome outcome) const {
    switch (outcome) {
      case compare::Outcome::kPassed:
        return ExitCode::kDone;
      case compare::Outcome::kFailed:
        return ExitCode::kRegression;
      case compare::Outcome::kInconclusive:
        break;
    }
    switch (options_.comparing.on_inconclusive) {
      case OnInconclusive::kPass:
        return ExitCode::kDone;
      case OnInconclusive::kFail:
        return ExitCode::kRegression;
      case OnInconclusive::kTell:
        break;
    }
    return ExitCode::kNothing;
  }

  const Options& options_;
  Session session_;
  compare::RuleSet rules_;
  Side base_, next_;
  std::vector<std::string> notices_;
  Diagnostics diagnostics_;
  report::ReportContext context_;
  report::CheckReportOptions report_;
};

}  // namespace

ExitCode RunCheck(const Options& options, Io& io) { return CheckCommand(options, io).Run(); }

}  // namespace tfprof::cli
