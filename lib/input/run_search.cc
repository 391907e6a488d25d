#include "input/run_search.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>

namespace tfprof::input {
namespace {

namespace fs = std::filesystem;

// The last names of a path: <grandparent>/<parent>/<name>.
struct Names {
  std::string grandparent, parent, name;

  static Names Of(const std::string& path) {
    std::error_code error;
    fs::path full = fs::absolute(path, error).lexically_normal();
    if (!full.has_filename()) full = full.parent_path();  // "logs/"
    return {full.parent_path().parent_path().filename(), full.parent_path().filename(), full.filename()};
  }
  Names Below(const std::string& child) const { return {parent, name, child}; }
  bool IsRun() const { return grandparent == "plugins" && parent == "profile"; }
};

std::string Join(const std::string& dir, const std::string& name) {
  return dir.ends_with('/') ? dir + name : dir + "/" + name;
}

class Walk {
 public:
  explicit Walk(RunSearch* out) : out_(out) {}

  void Top(const std::string& dir) {
    const Names names = Names::Of(dir);
    Listing top = List(dir, names.IsRun());
    // A JSON file that isn't called a trace counts if there is nothing better to read.
    std::vector<ProfileFile> plain;
    TakePlain(&top.files, &plain);
    const bool loose = std::any_of(top.files.begin(), top.files.end(),
                                   [](const ProfileFile& file) { return file.kind == ProfileKind::kXplane; });
    std::error_code error;
    const bool is_run = names.IsRun() || (loose && !fs::is_directory(Join(dir, "plugins/profile"), error));
    Keep(dir, names, std::move(top.files), std::move(top.unreadable));
    if (!is_run) Below(dir, names, top.subdirs);
    if (out_->runs.empty()) Keep(dir, names, std::move(plain), {});
  }

 private:
  using Unreadable = decltype(Run::unreadable);
  struct Subdir {
    std::string name;
    bool link = false;
  };
  struct Listing {
    std::vector<Subdir> subdirs;
    std::vector<ProfileFile> files;
    Unreadable unreadable;
  };

  static void TakePlain(std::vector<ProfileFile>* files, std::vector<ProfileFile>* plain) {
    const auto first = std::stable_partition(
        files->begin(), files->end(), [](const ProfileFile& file) { return file.kind != ProfileKind::kPlainJson; });
    std::move(first, files->end(), std::back_inserter(*plain));
    files->erase(first, files->end());
  }

  Listing List(const std::string& dir, bool in_run) {
    Listing listing;
    struct stat info = {};
    if (stat(dir.c_str(), &info) == 0 && !seen_.insert({info.st_dev, info.st_ino}).second) return listing;
    std::error_code error;
    fs::directory_iterator entries(dir, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      std::string name = entries->path().filename();
      std::error_code unknown;  // a link that leads nowhere is neither
      if (entries->is_directory(unknown)) {
        listing.subdirs.push_back({std::move(name), entries->is_symlink(unknown)});
        continue;
      }
      const std::optional<ProfileName> profile = ParseProfileName(name, in_run);
      if (!profile) continue;
      std::string path = Join(dir, name);
      const bool there = stat(path.c_str(), &info) == 0;
      if (!there || !S_ISREG(info.st_mode)) {
        listing.unreadable.push_back({std::move(path), there ? "" : std::strerror(errno)});
        continue;
      }
      listing.files.push_back({std::move(path), profile->kind, std::string(profile->host), std::string(profile->stem),
                               static_cast<uint64_t>(info.st_size),
                               int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec,
                               FileId{info.st_dev, info.st_ino}});
    }
    if (error) out_->unreadable.push_back(fmt::format("{}: {}", dir, error.message()));
    std::sort(listing.subdirs.begin(), listing.subdirs.end(),
              [](const Subdir& a, const Subdir& b) { return a.name < b.name; });
    std::sort(listing.files.begin(), listing.files.end(), [](const ProfileFile& a, const ProfileFile& b) {
      return std::tie(a.stem, a.kind, a.path) < std::tie(b.stem, b.kind, b.path);
    });
    return listing;
  }

  void Below(const std::string& dir, const Names& names, const std::vector<Subdir>& subdirs) {
    struct Pending {
      std::string path;
      Names names;
    };
    std::vector<Pending> stack;  // a tree may be deeper than the call stack
    std::vector<Pending> links;
    const auto push = [&](const std::string& parent, const Names& of_parent, const std::vector<Subdir>& children) {
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        (child->link ? links : stack).push_back({Join(parent, child->name), of_parent.Below(child->name)});
      }
    };
    push(dir, names, subdirs);
    while (!stack.empty() || !links.empty()) {
      if (stack.empty()) stack.swap(links);
      const Pending at = std::move(stack.back());
      stack.pop_back();
      Listing listing = List(at.path, at.names.IsRun());
      std::vector<ProfileFile> plain;
      TakePlain(&listing.files, &plain);
      Keep(at.path, at.names, std::move(listing.files), std::move(listing.unreadable));
      push(at.path, at.names, listing.subdirs);
    }
  }

  void Keep(const std::string& path, const Names& names, std::vector<ProfileFile> files, Unreadable unreadable) {
    if (files.empty()) return;
    std::sort(unreadable.begin(), unreadable.end());
    Run run{path, names.name, std::move(files), INT64_MIN, !names.IsRun(), std::move(unreadable)};
    for (const ProfileFile& file : run.files) run.newest_ns = std::max(run.newest_ns, file.modified_ns);
    out_->runs.push_back(std::move(run));
  }

  RunSearch* out_;
  std::set<FileId> seen_;  // directories
};

void SortNewestFirst(std::vector<Run>* runs) {
  const bool any_proper = std::any_of(runs->begin(), runs->end(), [](const Run& run) { return !run.loose; });
  const bool dated = std::all_of(runs->begin(), runs->end(), [any_proper](const Run& run) {
    return (any_proper && run.loose) || RunDate(run.name).has_value();
  });
  std::sort(runs->begin(), runs->end(), [dated](const Run& a, const Run& b) {
    if (a.loose != b.loose) return b.loose;
    if (dated && RunDate(a.name) != RunDate(b.name)) return RunDate(a.name) > RunDate(b.name);
    if (!dated && a.newest_ns != b.newest_ns) return a.newest_ns > b.newest_ns;
    return std::tie(b.name, a.path) < std::tie(a.name, b.path);
  });
}

}  // namespace

RunSearch FindRuns(const std::string& dir) {
  RunSearch search;
  Walk(&search).Top(dir);
  SortNewestFirst(&search.runs);
  return search;
}

void ChooseSources(Run* run, Diagnostics* diagnostics) {
  for (const auto& [path, reason] : run->unreadable) {
    if (reason.empty()) {
      diagnostics->Add(DiagCode::kIgnoredFile, fmt::format("{}: is no regular file and was not read", path));
    } else {
      diagnostics->Add(DiagCode::kUnreadableInput,
                       fmt::format("{}: cannot be read: {}; its host is missing from the answer", path, reason));
    }
  }
  const auto better = [](const ProfileFile& a, const ProfileFile& b) {
    const bool a_empty = a.bytes == 0, b_empty = b.bytes == 0;
    return std::tie(a_empty, a.kind, a.path) < std::tie(b_empty, b.kind, b.path);
  };
  std::vector<ProfileFile> chosen, copies;
  std::vector<std::string> left_out;
  for (ProfileFile& file : run->files) {
    if (file.kind == ProfileKind::kCopy) {
      copies.push_back(std::move(file));
    } else if (chosen.empty() || chosen.back().stem != file.stem) {
      chosen.push_back(std::move(file));
    } else {
      if (better(file, chosen.back())) std::swap(file, chosen.back());
      left_out.push_back(fs::path(file.path).filename());
    }
  }
  if (chosen.empty() && !copies.empty()) {
    chosen.push_back(std::move(copies.front()));
    copies.erase(copies.begin());
  }
  for (const ProfileFile& copy : copies) left_out.push_back(fs::path(copy.path).filename());
  run->files = std::move(chosen);
  if (left_out.empty()) return;
  diagnostics->Add(
      DiagCode::kDuplicateSource,
      left_out.size() == 1
          ? fmt::format("{}: {} tells of the same run and host as another file there and was not used", run->path,
                        left_out[0])
          : fmt::format("{}: {} files, such as {}, tell of the same run and hosts as others there and were not used",
                        run->path, left_out.size(), left_out[0]),
      left_out.size());
}

std::string RunOfFile(const std::string& path) {
  const Names dir = Names::Of(fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".");
  return dir.IsRun() ? dir.name : "";
}

}  // namespace tfprof::input
