#include "analyze/input_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/counted.h"
#include "base/units.h"

namespace tfprof::analyze {
namespace {

// Percent of the step time (XProf's).
constexpr double kHighlyInputBound = 20, kModeratelyInputBound = 5, kPotentiallyInputBound = 3;
constexpr double kMostlyUnseen = 50;  // ours: with less seen there is no verdict
constexpr double kHighShare = 15, kModerateShare = 3;

double Milliseconds(uint64_t ps) { return static_cast<double>(ps) / 1e9; }
double SafeDivide(double a, double b) { return std::fabs(b) < 1e-10 ? 0 : a / b; }

bool EqualAnyCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char c, char l) { return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == l; });
}

std::string_view CategoryOf(const OpsRow& op) {
  if (op.op_type.starts_with("InfeedEnqueue") || op.op_type == "MemcpyHToD") return "Enqueue";
  if (op.op_type == "Dataset") {
    for (const std::string_view reader :
         {"::TFRecord", "::TextLine", "::FixedLengthRecord", "::SSTable", "::RecordIO", "::ArrayRecord"}) {
      if (!op.op_name.ends_with(reader)) continue;
      for (const std::string_view early :
           {"::MemoryReader", "::MemoryWriter", "::Interleave", "::Prefetch", "::ParallelMap"}) {
        if (op.op_name.find(early) != std::string::npos) return "Advanced file read";
      }
      return "Demanded file read";
    }
    return "Preprocessing";
  }
  if (EqualAnyCase(op.op_type, "enqueue")) return "Enqueue";
  if (EqualAnyCase(op.op_type, "read")) return "Demanded file read";
  if (EqualAnyCase(op.op_type, "preprocessing")) return "Preprocessing";
  return EqualAnyCase(op.op_type, "unknown") ? "Unknown" : "";
}

// XProf's sentence; `told`: it is about "All Others".
std::string InputStatement(double input, double other, std::string_view* bottleneck, bool* told) {
  *told = false;
  if (input >= kHighlyInputBound) {
    *bottleneck = "host";
    return fmt::format(
        "Your program is HIGHLY input-bound because {:.1f}% of the total step time sampled is waiting for input. "
        "Therefore, you should first focus on reducing the input time.",
        input);
  }
  if (input >= kModeratelyInputBound) {
    *bottleneck = "both";
    return fmt::format(
        "Your program is MODERATELY input-bound because {:.1f}% of the total step time sampled is waiting for "
        "input. Therefore, you would need to reduce both the input time and other time.",
        input);
  }
  if (other >= kPotentiallyInputBound) {
    *bottleneck = "both";
    *told = true;
    return fmt::format(
        "Your program is POTENTIALLY input-bound because {:.1f}% of the total step time sampled is spent on "
        "'All Others' time (which could be due to I/O or Python execution or both).",
        other);
  }
  *bottleneck = "device";
  return fmt::format(
      "Your program is NOT input-bound because only {:.1f}% of the total step time sampled is waiting for input. "
      "Therefore, you should focus on reducing other time.",
      input);
}

std::string_view LevelName(double percent) {
  return percent < kModerateShare ? "no" : percent >= kHighShare ? "high" : "moderate";
}

// XProf's sentence.
Level LevelOf(double percent, std::string_view spent_on) {
  if (percent < kModerateShare) return {};
  return {LevelName(percent), fmt::format("{:.1f} % of the total step time sampled is {}", percent, spent_on)};
}

InputVerdict JudgeLikeXprof(const StepsResult& steps, bool uses_tf_data) {
  InputVerdict verdict;
  const StepShares shares = SharesOf(steps);
  if (shares.total_ms <= 0) {
    verdict.statement = "No step time measured. Therefore we cannot tell where the performance bottleneck is.";
    return verdict;
  }
  bool told = false;
  verdict.statement = InputStatement(shares.input, shares.other, &verdict.bottleneck, &told);
  verdict.kernel_launch = LevelOf(shares.kernel_launch, "spent on 'Kernel Launch'.");
  if (uses_tf_data && !verdict.kernel_launch.statement.empty()) {
    verdict.kernel_launch.statement +=
        " It could be due to CPU contention with tf.data. In this case, you may try to set the environment variable "
        "TF_GPU_THREAD_MODE=gpu_private.";
  }
  if (!told) {
    verdict.other =
        LevelOf(shares.other, "spent on 'All Others' time. This could be due to Python execution overhead.");
  }
  verdict.collectives = LevelOf(shares.collectives, "spent on 'Device Collective Communication'.");
  return verdict;
}

// The part of the steps, input aside, that takes most of their time.
std::pair<std::string_view, double> LargestPart(const StepsResult& steps) {
  std::pair<std::string_view, double> largest{"", 0};
  double total = 0;
  for (const StepRow& row : steps.rows) total += Milliseconds(row.total_ps);
  for (const StepColumn& column : StepColumns()) {
    double sum = 0;
    for (const StepRow& row : steps.rows) sum += Milliseconds(column.ps(row));
    if (column.id != "input_us" && sum > largest.second) largest = {column.label, sum};
  }
  largest.second = total > 0 ? 100 * largest.second / total : 0;
  return largest;
}

// "8 steps", or what stands in for them.
std::string CountedSteps(const StepsResult& steps) {
  if (steps.kind == StepKind::kStep) return Counted(steps.rows.size(), "step", "steps");
  return Counted(steps.rows.size(), "call", "calls") + " (the program marks no steps)";
}

// Whether what the steps don't show could turn the verdict, and how; "": it holds.
std::string WhyNoVerdict(const StepsResult& steps, const StepShares& shares) {
  const StepCoverage& coverage = steps.coverage;
  if (coverage.misses_the_work()) {
    return fmt::format(
        "{} last {} together, but for {} work went on outside of them: the program hands "
        "its work to other threads and doesn't wait for it",
        CountedSteps(steps), ShortTime(static_cast<double>(coverage.in_steps_ps)),
        ShortTime(static_cast<double>(coverage.work_outside_ps)));
  }
  if (shares.input >= kHighlyInputBound) return "";
  if (shares.other >= kMostlyUnseen) {
    return fmt::format("in {:.1f}% of the time of {} nothing was recorded ({:.1f}% is waiting for input)", shares.other,
                       CountedSteps(steps), shares.input);
  }
  const double between = 100 * coverage.between_fraction();
  if (between >= kHighlyInputBound) {
    return fmt::format(
        "{:.1f}% of the time from the first to the last of {} lies between them, where waiting isn't "
        "seen ({:.1f}% of their own time is waiting for input)",
        between, CountedSteps(steps), shares.input);
  }
  return "";
}

// Ours. A part below this says nothing that one could act on, though XProf calls it moderate.
Level PartOf(const StepsResult& steps, double percent, std::string_view what) {
  Level level{LevelName(percent), ""};
  if (percent >= kModeratelyInputBound) {
    level.statement = fmt::format("{:.1f}% of the time of {} is {}", percent, CountedSteps(steps), what);
  }
  return level;
}

InputVerdict JudgeStrictly(const StepsResult& steps) {
  InputVerdict verdict;
  const StepShares shares = SharesOf(steps);
  if (shares.total_ms <= 0) {
    verdict.statement =
        "The files hold no step, so how long one waits for input can't be told; the times of the input ops can.";
    return verdict;
  }
  const std::string counted = CountedSteps(steps);
  const std::string measured = fmt::format("{:.1f}% of the time of {}", shares.input, counted);
  const auto [part, percent] = LargestPart(steps);
  if (const std::string doubt = WhyNoVerdict(steps, shares); !doubt.empty()) {
    verdict.statement = fmt::format("Whether training waits for input can't be told: {}.", doubt);
  } else if (shares.input >= kHighlyInputBound) {
    verdict.bottleneck = "host";
    verdict.statement =
        fmt::format("Highly input-bound: {} is waiting for input or copying it to the device.", measured);
  } else if (shares.input >= kModeratelyInputBound) {
    verdict.bottleneck = "both";
    verdict.statement = fmt::format(
        "Moderately input-bound: {} is waiting for input or copying it to the device; the largest part is {}, "
        "{:.1f}%.",
        measured, part, percent);
  } else {
    verdict.bottleneck = "device";
    verdict.statement = fmt::format(
        "Not input-bound: {} is waiting for input or copying it to the device; the largest part is "
        "{}, {:.1f}%.",
        measured, part, percent);
  }
  verdict.kernel_launch = PartOf(steps, shares.kernel_launch, "launching kernels while no device computes.");
  verdict.other = PartOf(steps, shares.other, "covered by no event: neither the host nor a device was seen at work.");
  verdict.collectives = PartOf(steps, shares.collectives, "communication between devices while none computes.");
  return verdict;
}

}  // namespace

const std::vector<StepColumn>& StepColumns() {
  static const std::vector<StepColumn> columns = {
      {"device_compute_us", "device compute", ToldBy::kDevice, [](const StepRow& r) { return r.compute_ps(); }},
      {"device_to_device_us", "device to device", ToldBy::kDevice,
       [](const StepRow& r) { return r.of(StepActivity::kDeviceToDevice); }},
      {"device_collectives_us", "collectives", ToldBy::kDevice,
       [](const StepRow& r) { return r.of(StepActivity::kCollectives); }},
      {"host_compute_us", "host compute", ToldBy::kHost, [](const StepRow& r) { return r.host_compute_ps(); }},
      {"kernel_launch_us", "kernel launch", ToldBy::kDevice,
       [](const StepRow& r) { return r.of(StepActivity::kKernelLaunch); }},
      {"input_us", "input", ToldBy::kHost, [](const StepRow& r) { return r.input_ps(); }},
      {"output_us", "output", ToldBy::kDevice, [](const StepRow& r) { return r.of(StepActivity::kDeviceToHost); }},
      // No event of the profilers seen is known to be compilation; XProf shows 0.
      {"compile_us", "compilation", ToldBy::kNobody, [](const StepRow& r) { return r.of(StepActivity::kHostCompile); }},
      {"other_us", "other", ToldBy::kHost, [](const StepRow& r) { return r.of(StepActivity::kOther); }},
  };
  return columns;
}

StepShares SharesOf(const StepsResult& steps) {
  StepShares shares;
  for (const StepRow& row : steps.rows) {
    shares.total_ms += Milliseconds(row.total_ps);
    shares.input += Milliseconds(row.of(StepActivity::kWaitInput)) + Milliseconds(row.of(StepActivity::kHostToDevice));
    shares.output += Milliseconds(row.of(StepActivity::kDeviceToHost));
    shares.kernel_launch += Milliseconds(row.of(StepActivity::kKernelLaunch));
    shares.other += Milliseconds(row.of(StepActivity::kOther));
    shares.collectives += Milliseconds(row.of(StepActivity::kCollectives));
  }
  for (double* share : {&shares.input, &shares.output, &shares.kernel_launch, &shares.other, &shares.collectives}) {
    *share = shares.total_ms > 0 ? 100.0 * *share / shares.total_ms : 0;
  }
  return shares;
}

InputVerdict JudgeInput(const StepsResult& steps, bool uses_tf_data) {
  return steps.compat == Compat::kNone ? JudgeStrictly(steps) : JudgeLikeXprof(steps, uses_tf_data);
}

InputOps FindInputOps(const OpsResult& ops, const StepsResult& steps) {
  InputOps result;
  double whole_ps = 0;
  std::map<std::string_view, double> self_us;
  for (const OpsRow& op : ops.rows) {
    const std::string_view category = op.side == Side::kHost && !op.idle ? CategoryOf(op) : "";
    if (category.empty()) continue;
    result.ops.push_back({&op, 0, 0, category});
    whole_ps += static_cast<double>(op.self_ps);
    self_us[category] += static_cast<double>(op.self_ps) / 1e6;
  }
  for (InputOp& op : result.ops) {
    op.total_fraction = SafeDivide(static_cast<double>(op.op->total_ps), whole_ps);
    op.self_fraction = SafeDivide(static_cast<double>(op.op->self_ps), whole_ps);
  }
  if (result.ops.empty()) return result;
  double copies_ms = 0, steps_ms = 0;
  for (const StepRow& row : steps.rows) copies_ms += Milliseconds(row.of(StepActivity::kHostToDevice));
  for (const uint64_t ps : steps.slowest_ps) steps_ms += Milliseconds(ps);
  const double ratio = std::min(1.0, steps.enqueue_ratio.value_or(steps_ms > 0 ? SafeDivide(copies_ms, steps_ms) : 0));
  const double demanded = self_us["Demanded file read"], advanced = self_us["Advanced file read"];
  const double preprocessing = self_us["Preprocessing"], rest = demanded + advanced + preprocessing;
  result.enqueue_us = self_us["Enqueue"];
  // What an enqueue doesn't take of the time from one to the next is the making of what it enqueues.
  const double later = ratio != 0 ? result.enqueue_us * (1 - ratio) / ratio : rest;
  result.demanded_file_read_us = SafeDivide(later * demanded, rest);
  result.advanced_file_read_us = SafeDivide(later * advanced, rest);
  result.preprocessing_us = SafeDivide(later * preprocessing, rest);
  result.unclassified_non_enqueue_us =
      std::max(0.0, later - (result.demanded_file_read_us + result.advanced_file_read_us + result.preprocessing_us));
  return result;
}

}  // namespace tfprof::analyze
