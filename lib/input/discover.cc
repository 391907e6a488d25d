#include "input/discover.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "input/run_search.h"

namespace tfprof::input {
namespace {

namespace fs = std::filesystem;

// "a, b, c and 4 more".
std::string ListOf(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  const auto shown = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
  std::string text = fmt::format("{}", fmt::join(names.begin(), shown, ", "));
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

// ` (did you mean NAME?)` if one of `names` is near.
std::string DidYouMean(const std::string& typed, const std::vector<std::string>& names) {
  const std::string_view nearest = NearestName(typed, {names.begin(), names.end()});
  return nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest);
}

std::string MissingMessage(const std::string& input, int error) {
  std::string message = fmt::format("{}: cannot be read: {}", input, std::strerror(error));
  if (error != ENOENT) return message;
  const fs::path path(input);
  std::vector<std::string> names;
  std::error_code ignored;  // no link, or no directory there: nothing to propose
  const fs::path target = fs::read_symlink(path, ignored);
  if (!ignored) return fmt::format("{}: cannot be read: it is a link to {}, which isn't there", input, target.native());
  fs::directory_iterator entries(path.has_parent_path() ? path.parent_path() : ".", ignored);
  for (; !ignored && entries != fs::directory_iterator(); entries.increment(ignored)) {
    names.push_back(entries->path().filename());
  }
  std::sort(names.begin(), names.end());
  return message + DidYouMean(path.filename(), names);
}

class Discoverer {
 public:
  explicit Discoverer(const Selection& selection) : selection_(selection) {
    if (!selection.host_regex) return;
    re2::RE2::Options options;
    options.set_log_errors(false);
    host_ = std::make_unique<re2::RE2>(*selection.host_regex, options);
  }

  Discovery Take(const std::vector<std::string>& inputs) && {
    if (host_ && !host_->ok()) {
      Fail(fmt::format("\"{}\" is no regular expression: {}", *selection_.host_regex, host_->error()));
      return std::move(out_);
    }
    for (const std::string& input : inputs) AddInput(input);
    return std::move(out_);
  }

 private:
  void Fail(std::string message) { out_.diagnostics.Add(DiagCode::kUnreadableInput, std::move(message)); }

  void AddInput(const std::string& input) {
    if (input == "-") {
      if (std::exchange(standard_input_, true)) return SayTwice(input);
      out_.files.push_back({input, "", "", 0, true});
      return;
    }
    struct stat info = {};
    if (stat(input.c_str(), &info) != 0) return Fail(MissingMessage(input, errno));
    if (S_ISDIR(info.st_mode)) return AddDirectory(input);
    AddNamedFile(input, {info.st_dev, info.st_ino}, static_cast<uint64_t>(S_ISREG(info.st_mode) ? info.st_size : 0));
  }

  void SayTwice(const std::string& path) {
    out_.diagnostics.Add(DiagCode::kDuplicateSource, fmt::format("{}: named twice, counted once", path));
  }

  void AddNamedFile(const std::string& path, FileId id, uint64_t bytes) {
    const std::string run = RunOfFile(path);
    const std::string file_name = fs::path(path).filename();
    const std::optional<ProfileName> name = ParseProfileName(file_name, !run.empty());
    if (name && name->kind == ProfileKind::kUnsupported && path.ends_with(".riegeli")) return SayUnsupported(path);
    const std::string host(name ? name->host : "");
    if (selection_.run && *selection_.run != run) {
      return Fail(fmt::format("{}: is not of run {} (--run)", path, *selection_.run));
    }
    if (host_ && !re2::RE2::PartialMatch(host, *host_)) {
      return Fail(fmt::format("{}: its host, {}, does not match {} (--host)", path,
                              host.empty() ? "unknown from the name" : host, *selection_.host_regex));
    }
    if (!seen_.insert(id).second) return SayTwice(path);
    out_.files.push_back({path, host, run, bytes, true});
  }

  void SayUnsupported(const std::string& path) {
    out_.diagnostics.Add(
        DiagCode::kUnsupportedFormat,
        path.ends_with(".riegeli")
            ? fmt::format("{}: Riegeli files are not read; keep or write the .xplane.pb of the run", path)
            : fmt::format("{}: the .trace files of TensorFlow 2.2 and before are not read; profile with "
                          "TensorFlow 2.3 or later, which writes .xplane.pb",
                          path));
  }

  void AddDirectory(const std::string& dir) {
    RunSearch search = FindRuns(dir);
    if (search.runs.empty()) return SayNoRun(dir, search);
    for (const std::string& reason : search.unreadable) {
      out_.diagnostics.Add(DiagCode::kIgnoredFile, fmt::format("{}; runs in it were not looked for", reason));
    }
    out_.runs += search.runs.size();
    if (selection_.run && !KeepRunsCalled(*selection_.run, dir, &search.runs)) return;
    Run& run = search.runs.front();
    ChooseSources(&run, &out_.diagnostics);
    if (host_ && !KeepHosts(&run)) return;
    SayRun(dir, search.runs);
    for (const ProfileFile& file : run.files) {
      if (file.kind == ProfileKind::kUnsupported) {
        SayUnsupported(file.path);
      } else if (seen_.insert(file.id).second) {
        out_.files.push_back({file.path, file.host, run.name, file.bytes, false});
      } else {
        SayTwice(file.path);
      }
    }
  }

  void SayNoRun(const std::string& dir, const RunSearch& search) {
    if (!search.unreadable.empty()) {
      return Fail(
          fmt::format("{}: no profile was found, but not all could be read: {}", dir, ListOf(search.unreadable)));
    }
    out_.diagnostics.Add(
        DiagCode::kEmptyProfile,
        fmt::format("{}: no profile in this directory or below it (looked for *.xplane.pb, "
                    "*.trace.json and timeline*.json); name the log directory that the profiler wrote to",
                    dir));
  }

  bool KeepRunsCalled(const std::string& wanted, const std::string& dir, std::vector<Run>* runs) {
    std::vector<std::string> names;
    for (const Run& run : *runs) names.push_back(run.name);
    std::erase_if(*runs, [&](const Run& run) { return run.name != wanted && !run.path.ends_with("/" + wanted); });
    if (!runs->empty()) return true;
    Fail(fmt::format("{}: holds no run {}{}; its runs are {}", dir, wanted, DidYouMean(wanted, names), ListOf(names)));
    return false;
  }

  bool KeepHosts(Run* run) {
    std::vector<std::string> names;
    for (const ProfileFile& file : run->files) names.push_back(file.host.empty() ? "(no name)" : file.host);
    std::erase_if(run->files, [&](const ProfileFile& file) { return !re2::RE2::PartialMatch(file.host, *host_); });
    if (!run->files.empty()) return true;
    Fail(fmt::format("{}: no host of this run matches {} (--host); its hosts are {}", run->path, *selection_.host_regex,
                     ListOf(names)));
    return false;
  }

  // What of a directory is used, unless it is just what was named.
  void SayRun(const std::string& dir, const std::vector<Run>& runs) {
    const Run& run = runs.front();
    const bool hosts =
        std::none_of(run.files.begin(), run.files.end(), [](const ProfileFile& file) { return file.host.empty(); });
    const std::string what = fmt::format("{}: using run {} ({} {}{})", dir, run.name, run.files.size(),
                                         hosts ? "host" : "file", run.files.size() == 1 ? "" : "s");
    if (runs.size() == 1) {
      if (run.path != dir) out_.notices.push_back(what);
      return;
    }
    std::vector<std::string> others;
    for (size_t i = 1; i < runs.size(); ++i) {
      // Two of one name are told apart by their paths.
      others.push_back(runs[i].name == run.name ? runs[i].path : runs[i].name);
    }
    out_.diagnostics.Add(DiagCode::kMultipleRuns, fmt::format("{}, the newest of {}; --run NAME chooses another: {}",
                                                              what, runs.size(), ListOf(others)));
  }

  const Selection& selection_;
  std::unique_ptr<re2::RE2> host_;
  std::set<FileId> seen_;
  bool standard_input_ = false;
  Discovery out_;
};

}  // namespace

Discovery Discover(const std::vector<std::string>& inputs, const Selection& selection) {
  return Discoverer(selection).Take(inputs);
}

}  // namespace tfprof::input
