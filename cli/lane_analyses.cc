#include "cli/lane_analyses.h"

#include <utility>

namespace tfprof::cli {

using analyze::OpTableOptions;

OpTableOptions OpOptionsOf(const AnalysisRequest& request) {
  OpTableOptions options;
  options.by = request.by;
  options.distribution = request.want_distribution;
  return options;
}

void SetWindow(const TimeRange& range, int64_t start_ps, OpTableOptions* options) {
  const auto from_start = [&](const std::optional<int64_t>& at, int64_t open) {
    int64_t sum = 0;
    return !at || __builtin_add_overflow(start_ps, *at, &sum) ? open : sum;
  };
  options->from_ps = from_start(range.from_ps, INT64_MIN);
  options->to_ps = from_start(range.to_ps, INT64_MAX);
}

bool StepMeansApart(const AnalysisRequest& request) {
  return request.want_ops && request.want_step_means && !request.steps;
}

LaneRequest LanesOf(const AnalysisRequest& request, const analyze::LaunchTable* launches, FileOptions* options) {
  options->step_ops = options->ops;
  if (options->steps) options->step_ops.steps = &options->steps->counted;
  if (request.steps) options->ops = options->step_ops;
  options->calls = {options->ops.from_ps, options->ops.to_ps, launches, options->ops.steps};
  LaneRequest lanes;
  if (request.want_ops) lanes.ops = &options->ops;
  if (StepMeansApart(request)) lanes.step_ops = &options->step_ops;
  if (request.want_calls) lanes.calls = &options->calls;
  if (request.want_op_steps) lanes.step_sums = &*options->steps;
  lanes.inventory = request.want_inventory;
  return lanes;
}

trace::Sink* FreshSink(const LaneRequest& lanes, std::vector<LaneAnalyses>* analyses) {
  analyses->clear();
  analyses->emplace_back(lanes);
  return analyses->back().sink();
}

int64_t StartOf(std::vector<LaneAnalyses>* threads) {
  analyze::Inventory whole;
  for (LaneAnalyses& thread : *threads) whole.Merge(std::move(*thread.inventory));
  return analyze::TraceStartOf(std::move(whole).Finish());
}

}  // namespace tfprof::cli
