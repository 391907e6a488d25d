// From what the user typed to the list of files to read.
//
// INPUT is a file, a run directory, a log directory at any depth, several of them, or `-` (standard input). A log
// directory means its newest run and all hosts of it. Files named by the user are taken whatever they are called
// (their content decides later); in a directory only profile files count, cache and side files are passed over
// (reference: xspace.md §7). Nothing is opened for writing, nothing but directories is read here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/status.h"

namespace tfprof::input {

struct InputFile {
  std::string path;  // as to be opened; "-" for standard input
  std::string host;  // from the file name; "" if it tells none
  std::string run;   // name of the run directory; "" if not in one
  uint64_t bytes = 0;
  bool named = false;  // the user typed this very file
};

struct Selection {
  std::optional<std::string> run;         // --run NAME
  std::optional<std::string> host_regex;  // --host RE, whole-name search
};

struct Discovery {
  std::vector<InputFile> files;      // hosts of a run in order of their names
  uint64_t runs = 0;                 // that directories hold, chosen or not
  std::vector<std::string> notices;  // what was chosen, one sentence each, for stderr: "using run 2026_… (4 hosts)"
  Diagnostics diagnostics;           // unreadable-input, empty-profile (no profile in a directory), multiple-runs, …
};

Discovery Discover(const std::vector<std::string>& inputs, const Selection& selection);

}  // namespace tfprof::input
