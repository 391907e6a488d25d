// The analyses of one file that run over its lanes, once for each reading thread: what an AnalysisRequest makes of a
// file.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analyze/call_tree.h"
#include "analyze/inventory.h"
#include "analyze/op_step_sums.h"
#include "analyze/op_table.h"
#include "cli/pipeline.h"
#include "cli/run_steps.h"
#include "trace/tee_sink.h"

namespace tfprof::cli {

// How the lanes of one file are to be read.
struct FileOptions {
  analyze::OpTableOptions ops;
  analyze::OpTableOptions step_ops;  // of what lies in steps
  analyze::CallTreeOptions calls;
  std::optional<FileSteps> steps;  // if something needs them
};

// Null: that one isn't wanted.
struct LaneRequest {
  const analyze::OpTableOptions* ops = nullptr;
  const analyze::OpTableOptions* step_ops = nullptr;
  const analyze::CallTreeOptions* calls = nullptr;
  const FileSteps* step_sums = nullptr;
  bool inventory = false;
};

struct LaneAnalyses {
  std::unique_ptr<analyze::OpTable> ops;
  std::unique_ptr<analyze::OpTable> step_ops;  // of what lies in steps
  std::unique_ptr<analyze::CallTree> calls;
  std::unique_ptr<analyze::Inventory> inventory;
  std::unique_ptr<analyze::OpStepSums> step_sums;
  std::unique_ptr<trace::TeeSink> tee;

  // What the request points to must outlive it.
  explicit LaneAnalyses(const LaneRequest& request) {
    std::vector<trace::Sink*> sinks;
    const auto add = [&sinks](auto& to, auto made) {
      to = std::move(made);
      sinks.push_back(to.get());
    };
    if (request.step_sums != nullptr) {
      const FileSteps& steps = *request.step_sums;
      add(step_sums, std::make_unique<analyze::OpStepSums>(&steps.all, steps.numbers.size()));
    }
    if (request.ops != nullptr) add(ops, std::make_unique<analyze::OpTable>(*request.ops));
    if (request.step_ops != nullptr) add(step_ops, std::make_unique<analyze::OpTable>(*request.step_ops));
    if (request.calls != nullptr) add(calls, std::make_unique<analyze::CallTree>(*request.calls));
    if (request.inventory) add(inventory, std::make_unique<analyze::Inventory>());
    tee = std::make_unique<trace::TeeSink>(std::move(sinks));
  }
  trace::Sink* sink() { return tee.get(); }
};

inline const LaneRequest kInventoryOnly = {.inventory = true};

analyze::OpTableOptions OpOptionsOf(const AnalysisRequest& request);
// Clips to the range, which counts from the file's start.
void SetWindow(const TimeRange& range, int64_t start_ps, analyze::OpTableOptions* options);
// What is to be read of a file's lanes; the answer points into `options`, whose op options and steps are set before.
LaneRequest LanesOf(const AnalysisRequest& request, const analyze::LaunchTable* launches, FileOptions* options);
// Where only chosen steps count, the rows themselves are what lies in steps.
bool StepMeansApart(const AnalysisRequest& request);

// A sink for one thread.
trace::Sink* FreshSink(const LaneRequest& lanes, std::vector<LaneAnalyses>* analyses);
// The start of the earliest event on a lane with ops, 0 if there is none, of what took inventory.
int64_t StartOf(std::vector<LaneAnalyses>* threads);

}  // namespace tfprof::cli
