// Runs readers and analyses over a list of files: the one place where formats and analyses meet.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/call_tree.h"
#include "analyze/inventory.h"
#include "analyze/op_steps.h"
#include "analyze/ops_result.h"
#include "analyze/step_choice.h"
#include "base/diagnostics.h"
#include "cli/event_views.h"
#include "cli/term/lost_input.h"
#include "input/discover.h"

namespace tfprof::cli {

// Picoseconds from the trace's start; either end may be open.
struct TimeRange {
  std::optional<int64_t> from_ps, to_ps;
};

// Shared with the progress display and the signal handler while `Analyze` runs.
struct Progress {
  std::atomic<uint64_t> bytes_done{0};
  std::atomic<uint64_t> bytes_total{0};
  std::atomic<bool> cancelled{false};  // set to stop early; the outcome is then incomplete
};

struct AnalysisRequest {
  std::vector<input::InputFile> files;
  unsigned threads = 1;
  bool want_ops = false;        // fill AnalysisOutcome::ops
  bool want_calls = false;      // fill AnalysisOutcome::calls
  bool want_inventory = false;  // fill AnalysisOutcome::inventory
  bool want_op_steps = false;   // fill AnalysisOutcome::op_steps
  bool want_step_means = false;  // with ops: fill OpsRow::per_step
  EventViewRequest views;       // what of AnalysisOutcome::views to fill
  analyze::OpsBy by = analyze::OpsBy::kOp;
  analyze::Compat compat = analyze::Compat::kNone;
  bool include_idle = true;
  bool all_rows = false;           // compat: more rows than XProf shows, for figures that XProf makes from all of them
  bool want_distribution = false;  // min, max, quantiles of each row
  std::optional<TimeRange> time;
  std::optional<analyze::StepChoice> steps;  // only these count; not with compat modes
  std::string format_in;           // kind to read inputs as (see `info`'s kinds); "": what their content tells
  std::string temp_dir = "/tmp";   // where pipes and gzip files are spooled (TMPDIR)
  Progress* progress = nullptr;    // may be null
  MappedInputs* mapped = nullptr;  // is told what is mapped where; may be null
};

struct AnalysisOutcome {
  analyze::OpsResult ops;  // all rows, sorted by self time; limits and filters come later (analyze/ops_select.h)
  std::vector<analyze::FileInventory> inventory;  // one per file read; path, kind, host, run and bytes are always set
  std::unique_ptr<analyze::CallTree> calls;       // if asked for
  analyze::OpStepsResult op_steps;                // if asked for
  EventViewResults views;
  Diagnostics diagnostics;
  bool anything_opened = false;  // false: no input could be opened or recognised at all
  bool refused_for_compat = false;  // some input was a timeline, which compat modes don't read
  bool empty = true;             // nothing to analyse: no op and no device event in any file
};

AnalysisOutcome Analyze(const AnalysisRequest& request);

}  // namespace tfprof::cli
