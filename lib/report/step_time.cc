#include "report/step_time.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "analyze/sample_statistics.h"

namespace tfprof::report {

using analyze::StepKind;
using analyze::StepsResult;

namespace {

std::optional<analyze::SampleStatistics> StepTimes(const StepsResult& steps) {
  if (steps.slowest_ps.empty()) return std::nullopt;
  std::vector<double> ms;
  for (const uint64_t ps : steps.slowest_ps) ms.push_back(static_cast<double>(ps) / 1e9);
  return analyze::StatisticsOf(std::move(ms));
}

}  // namespace

Value StepTimeValue(const StepsResult& steps) {
  const auto times = StepTimes(steps);
  if (!times) return Value::Object{{"mean", Value()}, {"stddev", Value()}, {"min", Value()}, {"max", Value()}};
  return Value::Object{{"mean", times->mean},
                       {"stddev", times->stddev ? Value(*times->stddev) : Value()},
                       {"min", times->min},
                       {"max", times->max}};
}

std::string StepTimeText(const StepsResult& steps, Unit unit) {
  const auto times = StepTimes(steps);
  if (!times) return "can't be told: the files hold no step";
  const auto text = [unit](double ms) { return TimeText(static_cast<int128>(ms * 1e9), unit); };
  const bool calls = steps.kind == StepKind::kCall;
  const std::string counted = CountText(steps.rows.size(), calls ? "call" : "step", calls ? "calls" : "steps");
  if (!times->stddev) return fmt::format("{} (one {}, so no deviation)", text(times->mean), calls ? "call" : "step");
  return fmt::format("{} on average of {}, deviation {}, {} to {}", text(times->mean), counted, text(*times->stddev),
                     text(times->min), text(times->max));
}

}  // namespace tfprof::report
