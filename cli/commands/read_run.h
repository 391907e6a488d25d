// One argument of `diff`, `check` and `baseline` read into what comparisons are made of.
//
// An argument is one run: whatever `ops` takes (of a log directory its newest run, all hosts of it), or a file that
// holds results: an op table that `ops` or TensorBoard saved (compare/saved_table.h), or a baseline, which holds
// several runs. What a file is, its content tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/status.h"
#include "cli/commands/session.h"
#include "compare/run_profile.h"
#include "input/discover.h"
#include "report/envelope.h"

namespace tfprof::cli {

// An argument and the files that it means.
struct RunSource {
  std::string argument;
  input::Discovery found;
  // What headings call it: the argument, and which run of how many it means where a directory holds several.
  std::string label;
};
// The selection is of runs and hosts of a log directory; saved results are no such thing.
RunSource FindRun(const std::string& argument, const input::Selection& selection);
// The same files named twice are one run, which is noted.
void DropRepeated(std::vector<RunSource>* sources, Diagnostics* diagnostics);

struct ReadRunOptions {
  std::optional<uint64_t> skip_steps;  // none: the default (compare/profile_of_run.h)
  bool ops_are_kernels = false;        // the rows are GPU kernels by their names; saved results have none
  // Memory peaks and kernel launches too: events of memory take longer to read than all ops.
  bool with_memory = true, with_kernels = true;
};

struct RunsRead {
  std::vector<compare::RunProfile> runs;  // of a baseline all it holds; none: nothing to compare was found
  std::vector<report::InputInfo> inputs;  // what was read, for the head of a document
  Diagnostics diagnostics;                // of finding and reading; each names the argument or a file of it
  Status refused;                         // the command line asks for what such an input can't tell
  bool is_baseline = false;               // so they come from a file that holds several
  bool anything_opened = false;           // see Verdict (cli/exit_code.h)
};

// Progress and interrupts are the session's.
RunsRead ReadRun(const RunSource& source, const ReadRunOptions& options, Session* session);

}  // namespace tfprof::cli
