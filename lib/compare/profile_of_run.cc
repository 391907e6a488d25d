#include "compare/profile_of_run.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/input_analysis.h"
#include "analyze/sample_statistics.h"
#include "base/count.h"
#include "base/utf8.h"
#include "compare/statistics.h"

namespace tfprof::compare {
namespace {

using analyze::int128;
using analyze::OpStepsResult;

constexpr double kMostPs = 9.2e18;        // that a figure per step may be in a baseline
constexpr uint64_t kStepsWithWarmUp = 3;  // from so many on the first one is dropped

int64_t Clamped(int128 value) {
  constexpr int128 kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::min(value, kMost));
}

SideFigures FiguresOf(const analyze::SideTotals& totals) {
  return {Clamped(totals.span_ps),     Clamped(totals.busy_ps),         Clamped(totals.idle_ps),
          Clamped(totals.sum_self_ps), Clamped(totals.unattributed_ps), totals.lanes};
}

// Places of the steps that count.
std::vector<size_t> RemainingSteps(const OpStepsResult& op_steps, const std::optional<uint64_t>& skip_steps) {
  const size_t count = op_steps.steps.size();
  const uint64_t warm_up = skip_steps.value_or(count >= kStepsWithWarmUp ? 1 : 0);
  std::vector<size_t> all, whole;
  for (size_t i = warm_up; i < count; ++i) {
    all.push_back(i);
    if (!op_steps.steps[i].cut) whole.push_back(i);
  }
  return whole.empty() ? all : whole;
}

bool StepsHoldTheWork(const RunFindings& findings) {
  const int128 all = findings.ops.host.sum_self_ps + findings.ops.device.sum_self_ps;
  return 2 * static_cast<int128>(findings.op_steps.outside_self_ps) <= all;
}

std::optional<StepFigures> StepsOf(const RunFindings& findings, const std::vector<size_t>& remaining) {
  if (remaining.empty()) return std::nullopt;
  std::vector<double> totals;
  for (const size_t i : remaining) totals.push_back(static_cast<double>(findings.op_steps.steps[i].total_ps));
  const analyze::SampleStatistics statistics = analyze::StatisticsOf(totals);
  StepFigures steps;
  steps.count = remaining.size();
  steps.warm_up = findings.op_steps.steps.size() - remaining.size();
  steps.mean_ps = statistics.mean;
  steps.median_ps = statistics.p50;
  steps.p95_ps = statistics.p95;
  steps.min_ps = statistics.min;
  steps.max_ps = statistics.max;
  steps.stddev_ps = statistics.stddev.value_or(0);
  steps.marked = findings.steps.kind != analyze::StepKind::kCall;
  steps.hold_work = StepsHoldTheWork(findings);
  return steps;
}

double PerStep(const std::vector<int64_t>& by_step, const std::vector<size_t>& remaining) {
  std::vector<double> values;
  double sum = 0;
  for (const size_t i : remaining) {
    values.push_back(static_cast<double>(by_step[i]));
    sum += values.back();
  }
  const double median = Median(values);
  return median != 0 ? median : sum / static_cast<double>(values.size());
}

using Key = std::tuple<trace::Side, std::string_view, std::string_view>;

std::vector<OpFigures> OpsOf(const RunFindings& findings, const std::vector<size_t>& remaining) {
  std::map<Key, const OpStepsResult::Op*> by_step;
  if (!remaining.empty() && findings.steps.kind == analyze::StepKind::kStep && StepsHoldTheWork(findings)) {
    for (const OpStepsResult::Op& op : findings.op_steps.ops) by_step[{op.side, op.op_type, op.op_name}] = &op;
  }
  std::vector<OpFigures> ops;
  for (const analyze::OpsRow& row : findings.ops.rows) {
    if (row.idle) continue;
    OpFigures op;
    op.key = {row.side, row.op_type, row.op_name};
    op.occurrences = row.occurrences;
    op.self_ps = Clamped(row.self_ps);
    op.total_ps = Clamped(row.total_ps);
    if (const auto at = by_step.find({row.side, row.op_type, row.op_name}); at != by_step.end()) {
      op.self_per_step_ps = PerStep(at->second->self_ps, remaining);
      op.occurrences_per_step = PerStep(at->second->occurrences, remaining);
    }
    ops.push_back(std::move(op));
  }
  return ops;
}

std::vector<OpFigures> KernelsAsOps(const analyze::KernelsResult& kernels) {
  std::vector<OpFigures> ops;
  for (const analyze::KernelRow& row : kernels.rows) {
    OpFigures op;
    op.key = {trace::Side::kDevice, "", row.kernel};
    op.occurrences = row.times.occurrences;
    op.self_ps = op.total_ps = Clamped(row.times.total_ps);
    ops.push_back(std::move(op));
  }
  return ops;
}

// The largest of a name over the hosts of a run.
std::vector<std::pair<std::string, uint64_t>> MemoryPeaks(const analyze::MemoryResult& memory) {
  std::map<std::string, uint64_t> peaks;
  for (const analyze::AllocatorMemory& allocator : memory.allocators) {
    if (!allocator.peak) continue;
    std::string name;
    AppendValidUtf8(allocator.id, &name);
    const int64_t bytes = std::max<int64_t>(0, allocator.peak->use.used_bytes());
    uint64_t& peak = peaks[name];
    peak = std::max(peak, static_cast<uint64_t>(bytes));
  }
  return {peaks.begin(), peaks.end()};
}

void FillInput(const RunFindings& findings, RunProfile* profile) {
  if (findings.steps.rows.empty()) return;
  const bool uses_tf_data = analyze::FindInputOps(findings.ops, findings.steps).uses_tf_data();
  profile->bottleneck = analyze::JudgeInput(findings.steps, uses_tf_data).bottleneck;
  if (profile->bottleneck != "unknown") profile->input_fraction = analyze::SharesOf(findings.steps).input / 100;
}

void AddUp(const OpFigures& from, OpFigures* to) {
  const auto add = [](const std::optional<double>& part, std::optional<double>* sum) {
    if (part) *sum = std::min(sum->value_or(0) + *part, kMostPs);
  };
  AddCount(from.occurrences, &to->occurrences);
  to->self_ps = Clamped(static_cast<int128>(to->self_ps) + from.self_ps);
  to->total_ps = Clamped(static_cast<int128>(to->total_ps) + from.total_ps);
  add(from.self_per_step_ps, &to->self_per_step_ps);
  add(from.occurrences_per_step, &to->occurrences_per_step);
}

}  // namespace

void SortOps(std::vector<OpFigures>* ops) {
  const auto make_valid = [](std::string* text) {
    if (IsValidUtf8(*text)) return;
    std::string valid;
    AppendValidUtf8(*text, &valid);
    *text = std::move(valid);
  };
  for (OpFigures& op : *ops) {
    make_valid(&op.key.op_type);
    make_valid(&op.key.op_name);
  }
  std::stable_sort(ops->begin(), ops->end(), [](const OpFigures& a, const OpFigures& b) { return a.key < b.key; });
  std::vector<OpFigures> unique;
  for (OpFigures& op : *ops) {
    if (!unique.empty() && unique.back().key == op.key) {
      AddUp(op, &unique.back());
    } else {
      unique.push_back(std::move(op));
    }
  }
  *ops = std::move(unique);
}

RunProfile ProfileOfRun(const RunFindings& findings) {
  RunProfile profile;
  const std::vector<size_t> remaining = RemainingSteps(findings.op_steps, findings.skip_steps);
  profile.steps = StepsOf(findings, remaining);
  if (findings.ops_are_kernels) {
    if (findings.kernels != nullptr) profile.ops = KernelsAsOps(*findings.kernels);
  } else {
    profile.ops = OpsOf(findings, remaining);
  }
  SortOps(&profile.ops);
  profile.host = FiguresOf(findings.ops.host);
  profile.device = FiguresOf(findings.ops.device);
  if (findings.memory != nullptr) profile.memory_peaks = MemoryPeaks(*findings.memory);
  // Events of GPUs without launch parameters tell of no kernels; that isn't none.
  const analyze::KernelsResult* kernels = findings.kernels;
  const bool tells_kernels =
      kernels != nullptr && kernels->gpus > 0 && (kernels->all.occurrences > 0 || kernels->gpus_at_work == 0);
  if (tells_kernels) profile.kernel_launches = kernels->all.occurrences;
  FillInput(findings, &profile);
  return profile;
}

}  // namespace tfprof::compare
