#include "cli/run_steps.h"

#include <algorithm>
#include <utility>

namespace tfprof::cli {

RunSteps::RunSteps(analyze::StepsResult found, analyze::StepRuns runs, std::optional<analyze::StepChoice> choice)
    : found_(std::move(found)), runs_(std::move(runs)) {
  times_ = analyze::JoinSteps(found_.rows, &numbers_);
  chosen_ = choice ? analyze::ChooseSteps(times_, *choice) : std::vector<bool>(times_.size(), true);
  counted_ = static_cast<uint64_t>(std::count(chosen_.begin(), chosen_.end(), true));
}

FileSteps RunSteps::Of(uint32_t file) const {
  FileSteps steps;
  std::vector<bool> chosen;
  for (size_t i = 0; i < found_.rows.size(); ++i) {
    if (found_.rows[i].file != file) continue;
    steps.numbers.push_back(numbers_[i]);
    chosen.push_back(chosen_[numbers_[i]]);
  }
  steps.all = runs_.WindowsOf(file, found_.rows);
  steps.counted = steps.all;
  steps.counted.Keep(chosen);
  return steps;
}

void RunSteps::KeepCounted(analyze::OpStepsResult* op_steps) const {
  const auto keep = [this](auto* by_step) {
    size_t kept = 0;
    for (size_t i = 0; i < chosen_.size(); ++i) {
      if (!chosen_[i]) continue;
      if (kept != i) (*by_step)[kept] = std::move((*by_step)[i]);
      ++kept;
    }
    by_step->resize(kept);
  };
  keep(&op_steps->steps);
  for (analyze::OpStepsResult::Op& op : op_steps->ops) {
    keep(&op.self_ps);
    keep(&op.occurrences);
  }
}

analyze::StepsResult RunSteps::ResultOf(analyze::StepsResult seen) const {
  analyze::StepsResult result = found_;
  result.rows.clear();
  result.slowest_ps.clear();
  for (size_t i = 0; i < found_.rows.size(); ++i) {
    if (!chosen_[numbers_[i]]) continue;
    result.rows.push_back(found_.rows[i]);
    result.slowest_ps.push_back(found_.rows[i].total_ps);
  }
  result.precision = seen.precision;
  result.enqueue_ratio = seen.enqueue_ratio;
  return result;
}

}  // namespace tfprof::cli
