// Finds the runs below a directory: which directories hold profiles, and which files of theirs are to be read.
//
// A run is a directory that holds profile files itself (profile_name.h): `plugins/profile/<run>` at any depth, or a
// directory of loose files. Symbolic links are followed, after all that is reached without them; a directory is entered
// once, whatever leads to it. Directories are visited in the order of their names: the result depends on nothing else.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "input/profile_name.h"

namespace tfprof::input {

// Equal for two paths to one file.
using FileId = std::pair<dev_t, ino_t>;

struct ProfileFile {
  std::string path;
  ProfileKind kind = ProfileKind::kXplane;
  std::string host, stem;  // see ProfileName
  uint64_t bytes = 0;
  int64_t modified_ns = 0;  // since the epoch
  FileId id;
};

struct Run {
  std::string path;
  std::string name;                // of the directory
  std::vector<ProfileFile> files;  // in order of stem
  int64_t newest_ns = 0;           // modification time of its newest file
  bool loose = false;              // not a `plugins/profile/<run>`
  // What is called as a profile file is and can't be read as one: path and reason, "" for what is no regular file.
  std::vector<std::pair<std::string, std::string>> unreadable;
};

struct RunSearch {
  std::vector<Run> runs;                // newest first
  std::vector<std::string> unreadable;  // directories that could not be read, with the reason
};

// A directory that holds `.xplane.pb` files and no `plugins/profile`, or that is a `plugins/profile/<run>`, is the run;
// else everything below counts. Newest: directories of loose files come after all `plugins/profile/<run>`. If all runs
// are called after their date, the latest of these is the newest, else the one with the file written last; then the
// name and the path decide.
RunSearch FindRuns(const std::string& dir);

// Leaves one file per host in `run`: an `.xplane.pb` rather than a `.trace.json`, a file that holds something rather
// than an empty one. What was left out is told as `duplicate-source`, what can't be read as `unreadable-input` (a link
// that leads nowhere) or `ignored-file` (a pipe).
void ChooseSources(Run* run, Diagnostics* diagnostics);

// The directory that `path` lies in, if it is a `plugins/profile/<run>`: the run's name, else "".
std::string RunOfFile(const std::string& path);

}  // namespace tfprof::input
