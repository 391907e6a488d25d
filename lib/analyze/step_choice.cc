#include "analyze/step_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "base/counted.h"

namespace tfprof::analyze {

std::optional<uint64_t> StepNumber(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789");
  const std::string_view digits = name.substr(last == name.npos ? 0 : last + 1);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && !digits.empty() ? std::optional(number) : std::nullopt;
}

std::vector<bool> ChooseSteps(const std::vector<StepTime>& steps, const StepChoice& choice) {
  std::vector<bool> chosen(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i < choice.skip) continue;
    const std::optional<uint64_t> number = StepNumber(steps[i].name);
    const bool open = !choice.from && !choice.to;
    chosen[i] = !choice.by_number || open ||
                (number && *number >= choice.from.value_or(0) && *number <= choice.to.value_or(UINT64_MAX));
  }
  return chosen;
}

void SetStepMeans(const OpsResult& in_steps, uint64_t steps, OpsResult* ops) {
  using Key = std::tuple<Side, std::string_view, std::string_view, std::string_view>;
  const auto key_of = [](const OpsRow& row) { return Key(row.side, row.key, row.op_type, row.op_name); };
  const auto count = static_cast<double>(steps);
  std::map<Key, PerStep> means;
  for (const OpsRow& row : in_steps.rows) {
    if (row.idle) continue;
    means[key_of(row)] = {static_cast<double>(row.self_ps) / count, static_cast<double>(row.occurrences) / count};
  }
  for (OpsRow& row : ops->rows) {
    if (row.idle) continue;
    const auto at = means.find(key_of(row));
    row.per_step = at == means.end() ? PerStep() : at->second;
  }
}

std::string TellChoice(const std::vector<StepTime>& steps, const std::vector<bool>& chosen) {
  const auto count = std::count(chosen.begin(), chosen.end(), true);
  if (steps.empty()) {
    return "no step can be seen in the profile, so --steps and --skip-steps can choose none; mark steps with "
           "tf.profiler.experimental.Trace(\"train\", step_num=i, _r=1) or, in JAX, StepTraceAnnotation";
  }
  const auto range = [](const StepTime& first, const StepTime& last) {
    return &first == &last ? first.name : fmt::format("{} to {}", first.name, last.name);
  };
  if (count == 0) {
    return fmt::format("--steps and --skip-steps leave no step; the profile has {}: {}", steps.size(),
                       range(steps.front(), steps.back()));
  }
  const auto first = static_cast<size_t>(std::find(chosen.begin(), chosen.end(), true) - chosen.begin());
  const auto last =
      chosen.size() - 1 - static_cast<size_t>(std::find(chosen.rbegin(), chosen.rend(), true) - chosen.rbegin());
  return fmt::format("{} of {} {}: {}{}", count, Counted(steps.size(), "step", "steps"),
                     count == 1 ? "counts" : "count", range(steps[first], steps[last]),
                     static_cast<size_t>(count) == last - first + 1 ? "" : ", not all between them");
}

}  // namespace tfprof::analyze
