// What to do, as far as the command line says: the values of all flags, checked.
//
// Made from a CommandLine in one place, so that every wrong value is refused before anything is opened. Of one flag,
// and of flags that contradict each other (--idle and --no-idle, --strict and --allow-partial, --wide and --width), the
// last wins. Defaults are those of the members.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/kernels.h"
#include "analyze/op_tree.h"
#include "analyze/ops_result.h"
#include "analyze/ops_select.h"
#include "base/status.h"
#include "cli/flags/comparing.h"
#include "cli/flags/parse.h"
#include "cli/pipeline.h"
#include "input/discover.h"
#include "report/ops_columns.h"
#include "report/write.h"

namespace tfprof::cli {

enum class When { kAuto, kAlways, kNever };

struct OutputTarget {
  report::Format format = report::Format::kTable;
  std::string path;
};

struct Options {
  CommandId command = CommandId::kSummary;
  std::vector<std::string> inputs;

  input::Selection selection;
  std::optional<TimeRange> time;
  std::string time_text;       // the same as typed
  analyze::StepChoice steps;
  std::string steps_text, skip_steps_text;  // the same as typed
  std::string_view format_in;  // kind to read inputs as; "": what their content tells
  bool include_idle = true;
  analyze::OpsBy by = analyze::OpsBy::kOp;
  analyze::KernelsBy kernels_by = analyze::KernelsBy::kLaunch;
  analyze::Compat compat = analyze::Compat::kNone;
  analyze::OpsSelection rows;
  analyze::TreeSelection tree;
  bool limit_given = false;
  Comparing comparing;  // of diff, check and baseline
  report::OpsColumnChoice columns;

  report::Format format = report::Format::kTable;  // of standard output
  std::vector<OutputTarget> outputs;               // beside it
  report::Unit unit = report::Unit::kAuto;
  std::optional<size_t> width;
  bool wide = false;
  When color = When::kAuto;

  bool strict = false;
  bool allow_partial = false;
  std::optional<unsigned> threads;
  When progress = When::kAuto;
  bool quiet = false;

  bool list_columns = false;
  bool markdown = false;
  bool short_help = false, help = false, version = false;
};

// An Error is a usage error: its message names the flag, what is wrong, and what would be right.
Result<Options> MakeOptions(const CommandLine& line);

}  // namespace tfprof::cli
