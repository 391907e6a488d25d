#include "cli/commands/read_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "analyze/kernels_select.h"
#include "base/counted.h"
#include "cli/pipeline.h"
#include "compare/baseline.h"
#include "compare/profile_of_run.h"
#include "compare/saved_table.h"
#include "input/content.h"
#include "report/run_shape.h"

namespace tfprof::cli {
namespace {

using compare::SavedKind;

// A message of a run among others says which run it is about, unless it begins with the name of a file.
void AddNamed(const Diagnostics& from, const RunSource& source, Diagnostics* to) {
  const auto names_it = [&](const Diagnostic& item) {
    return item.message.starts_with(source.argument) ||
           std::any_of(source.found.files.begin(), source.found.files.end(),
                       [&](const input::InputFile& file) { return item.message.starts_with(file.path); });
  };
  for (const Diagnostic& item : from.Sorted()) {
    to->Add(item.code, names_it(item) ? item.message : fmt::format("{}: {}", source.argument, item.message),
            item.count);
  }
}

// What a file holds, if it may be saved results: a regular file that the user named. What comes through a pipe can be
// looked at only once, and is taken for a profile.
std::unique_ptr<input::Content> OpenNamed(const RunSource& source) {
  if (source.found.files.size() != 1 || !source.found.files.front().named) return nullptr;
  const std::string& path = source.found.files.front().path;
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return nullptr;
  Result<std::unique_ptr<input::Content>> content = input::OpenContent(path);
  return content ? std::move(*content) : nullptr;  // who reads it as a profile says why it can't be opened
}

class RunReader {
 public:
  RunReader(const RunSource& source, const ReadRunOptions& options, Session* session)
      : source_(source), options_(options), session_(*session) {}

  RunsRead Read() && {
    AddNamed(source_.found.diagnostics, source_, &read_.diagnostics);
    if (!source_.found.files.empty()) {
      std::unique_ptr<input::Content> named = OpenNamed(source_);
      const SavedKind kind = named == nullptr ? SavedKind::kNone : compare::DetectSaved(named->head);
      if (kind == SavedKind::kNone) {
        named.reset();
        ReadProfile();
      } else {
        ReadSaved(kind, named.get());
      }
    }
    return std::move(read_);
  }

 private:
  void ReadSaved(SavedKind kind, input::Content* content) {
    if (options_.ops_are_kernels) {
      read_.refused =
          Error{DiagCode::kUnreadableInput,
                fmt::format("{}: saved results tell no kernels; --by kernel reads profiles", source_.argument)};
      return;
    }
    AnalysisRequest request = session_.RequestFor(source_.found.files);
    if (!content->mapped()) {
      Diagnostics found;
      Result<input::Mapping> spooled = input::Spool(content, request.temp_dir, &found);
      AddNamed(found, source_, &read_.diagnostics);
      if (!spooled) return read_.diagnostics.Add(spooled.error().code, spooled.error().message);
      content->mapping = std::move(*spooled);
    }
    request.mapped->Add(content->mapping.bytes(), content->path);
    const input::InputFile& file = source_.found.files.front();
    read_.inputs.push_back({file.path, "", "", std::string(compare::SavedKindName(kind))});
    read_.anything_opened = true;
    if (options_.skip_steps) {
      read_.diagnostics.Add(DiagCode::kNoStepMarkers,
                            fmt::format("{}: saved results can't be cut to steps any more; --skip-steps isn't applied "
                                        "to them",
                                        source_.argument));
    }
    if (kind == SavedKind::kBaseline) return TakeBaseline(content->mapping.bytes());
    Result<compare::RunProfile> profile =
        compare::ParseSavedTable(content->mapping.bytes(), kind, source_.argument, &read_.diagnostics);
    if (!profile) return read_.diagnostics.Add(profile.error().code, profile.error().message);
    for (const Diagnostic& item : read_.diagnostics.Sorted()) {
      profile->diagnostics.emplace_back(CodeName(item.code), item.count);
    }
    SayDamage(*profile);
    if (profile->ops.empty()) {
      read_.diagnostics.Add(DiagCode::kEmptyProfile, fmt::format("{}: the table holds no op", source_.argument));
      return;
    }
    read_.runs.push_back(std::move(*profile));
  }

  void TakeBaseline(std::string_view text) {
    Result<compare::Baseline> baseline = compare::ParseBaseline(text);
    if (!baseline) {
      return read_.diagnostics.Add(baseline.error().code,
                                   fmt::format("{}: {}", source_.argument, baseline.error().message));
    }
    for (const compare::RunProfile& run : baseline->runs) SayDamage(run);
    read_.is_baseline = true;
    read_.runs = std::move(baseline->runs);
  }

  // Damage of long ago: the trace isn't there any more, the figures are.
  void SayDamage(const compare::RunProfile& run) {
    if (!run.damaged) return;
    read_.diagnostics.Add(DiagCode::kPartialTable, fmt::format("{}: part of the run {} was lost when it was saved",
                                                               source_.argument, run.label));
  }

  void ReadProfile() {
    AnalysisRequest request = session_.RequestFor(source_.found.files);
    request.want_ops = request.want_op_steps = request.want_inventory = true;
    request.views.steps = true;
    request.views.memory = options_.with_memory;
    request.views.kernels = options_.with_kernels;
    AnalysisOutcome outcome = session_.Read(std::move(request));
    AddNamed(outcome.diagnostics, source_, &read_.diagnostics);
    read_.anything_opened = outcome.anything_opened;
    for (const analyze::FileInventory& file : outcome.inventory) {
      read_.inputs.push_back({file.path, file.host, file.run, file.kind});
    }
    if (!outcome.anything_opened) return;
    if (outcome.empty) {
      if (!read_.diagnostics.Has(DiagCode::kEmptyProfile)) {
        read_.diagnostics.Add(DiagCode::kEmptyProfile,
                              fmt::format("{}: there is nothing to analyse in it", source_.argument));
      }
      return;
    }
    TakeProfile(&outcome);
  }

  void TakeProfile(AnalysisOutcome* outcome) {
    analyze::KernelsResult* kernels = outcome->views.kernels ? &*outcome->views.kernels : nullptr;
    if (options_.ops_are_kernels && kernels != nullptr) {
      analyze::SelectKernels({analyze::KernelsBy::kKernel, {}, {}, 0}, kernels, &outcome->diagnostics);
    }
    const compare::RunFindings findings{outcome->ops,
                                        outcome->op_steps,
                                        outcome->views.steps,
                                        outcome->views.memory ? &*outcome->views.memory : nullptr,
                                        kernels,
                                        options_.ops_are_kernels,
                                        options_.skip_steps};
    compare::RunProfile profile = compare::ProfileOfRun(findings);
    profile.label = source_.label;
    profile.environment = EnvironmentOf(*outcome);
    for (const Diagnostic& item : outcome->diagnostics.Sorted()) {
      profile.diagnostics.emplace_back(CodeName(item.code), item.count);
      profile.damaged |= SeverityOf(item.code) == Severity::kError;
    }
    SumUp(&profile.diagnostics);
    SayAboutSteps(*outcome, profile);
    read_.runs.push_back(std::move(profile));
  }

  static void SumUp(std::vector<std::pair<std::string, uint64_t>>* counts) {
    std::map<std::string, uint64_t> sums;
    for (const auto& [code, count] : *counts) sums[code] += count;
    counts->assign(sums.begin(), sums.end());
  }

  static compare::Environment EnvironmentOf(const AnalysisOutcome& outcome) {
    const report::RunShape shape = report::RunShapeOf(outcome.inventory);
    compare::Environment environment;
    std::set<std::string> kinds;
    for (const analyze::FileInventory& file : outcome.inventory) kinds.insert(file.kind);
    environment.kind = fmt::format("{}", fmt::join(kinds, ", "));
    environment.hosts = std::max<size_t>(1, shape.hosts.size());
    environment.devices = shape.devices.size();
    // "CPU" is also what is said of devices whose kind isn't told.
    const std::string& type = outcome.views.steps.device_type;
    if (type != "CPU" || shape.devices.empty()) environment.device_type = type;
    return environment;
  }

  void SayAboutSteps(const AnalysisOutcome& outcome, const compare::RunProfile& profile) {
    if (!profile.steps && !outcome.op_steps.steps.empty()) {
      read_.diagnostics.Add(DiagCode::kNoStepMarkers,
                            fmt::format("{}: it has {} and --skip-steps leaves out all of them; its figures are "
                                        "those of the whole run",
                                        source_.argument, Counted(outcome.op_steps.steps.size(), "step", "steps")));
    }
  }

  const RunSource& source_;
  const ReadRunOptions& options_;
  Session& session_;
  RunsRead read_;
};

RunSource SourceOf(const std::string& argument, const input::Selection& selection) {
  RunSource source{argument, input::Discover({argument}, selection), argument};
  const input::Discovery& found = source.found;
  if (found.runs > 1 && !found.files.empty()) {
    source.label = fmt::format("{} ({}, {} of {} runs)", argument, found.files.front().run,
                               selection.run ? "one" : "the newest", found.runs);
  }
  return source;
}

}  // namespace

RunSource FindRun(const std::string& argument, const input::Selection& selection) {
  RunSource whole = SourceOf(argument, {});
  const std::unique_ptr<input::Content> named = OpenNamed(whole);
  if (named != nullptr && compare::DetectSaved(named->head) != SavedKind::kNone) return whole;
  if (!selection.run && !selection.host_regex) return whole;
  return SourceOf(argument, selection);
}

void DropRepeated(std::vector<RunSource>* sources, Diagnostics* diagnostics) {
  std::map<std::vector<std::string>, std::string> seen;
  std::erase_if(*sources, [&](const RunSource& source) {
    std::vector<std::string> files;
    for (const input::InputFile& file : source.found.files) {
      std::error_code failed;
      const std::filesystem::path place = std::filesystem::canonical(file.path, failed);
      if (failed) return false;
      files.push_back(place.string());
    }
    if (files.empty()) return false;
    const auto [at, is_new] = seen.emplace(std::move(files), source.argument);
    if (is_new) return false;
    diagnostics->Add(DiagCode::kDuplicateSource,
                     fmt::format("{}: is the same run as {}; it counts once", source.argument, at->second));
    return true;
  });
}

RunsRead ReadRun(const RunSource& source, const ReadRunOptions& options, Session* session) {
  return RunReader(source, options, session).Read();
}

}  // namespace tfprof::cli
