#include "compare/metrics.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/units.h"

namespace tfprof::compare {
namespace {

using Figure = std::optional<double>;

template <double StepFigures::*Member>
Figure OfSteps(const RunProfile& run) {
  if (!run.steps) return std::nullopt;
  return (*run.steps).*Member / kPsPerUs;
}

Figure StepCount(const RunProfile& run) {
  if (!run.steps) return std::nullopt;
  return static_cast<double>(run.steps->count);
}

// A side without lanes has no idle time to tell of.
template <SideFigures RunProfile::*Side, int64_t SideFigures::*Member>
Figure OfSide(const RunProfile& run) {
  const SideFigures& side = run.*Side;
  if (side.lanes == 0) return std::nullopt;
  return static_cast<double>(side.*Member) / kPsPerUs;
}

Figure Ratio(int64_t part, int64_t whole) {
  if (whole <= 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

Figure DeviceIdle(const RunProfile& run) { return Ratio(run.device.idle_ps, run.device.span_ps); }

// Idle time of the host is per thread, so its whole is what all threads did and didn't do.
Figure HostIdle(const RunProfile& run) {
  if (!run.host.tells_idle()) return std::nullopt;
  return Ratio(run.host.idle_ps, run.host.idle_ps + run.host.sum_self_ps);
}

Figure KernelCount(const RunProfile& run) {
  if (!run.kernel_launches) return std::nullopt;
  return static_cast<double>(*run.kernel_launches);
}

Figure InputFraction(const RunProfile& run) { return run.input_fraction; }

Figure LargestPeak(const RunProfile& run) {
  Figure largest;
  for (const auto& [name, bytes] : run.memory_peaks)
    largest = std::max(largest.value_or(0), static_cast<double>(bytes));
  return largest;
}

Figure Damaged(const RunProfile& run) { return run.damaged ? 1 : 0; }

using enum MetricUnit;
constexpr SubjectUse kNone = SubjectUse::kNone;
constexpr SubjectUse kRequired = SubjectUse::kRequired;

constexpr std::array kMetrics = {
    Metric{"steps.mean", MetricOf::kRun, kNone, kMicroseconds, false, OfSteps<&StepFigures::mean_ps>},
    Metric{"steps.median", MetricOf::kRun, kNone, kMicroseconds, false, OfSteps<&StepFigures::median_ps>},
    Metric{"steps.p95", MetricOf::kRun, kNone, kMicroseconds, false, OfSteps<&StepFigures::p95_ps>},
    Metric{"steps.min", MetricOf::kRun, kNone, kMicroseconds, false, OfSteps<&StepFigures::min_ps>},
    Metric{"steps.max", MetricOf::kRun, kNone, kMicroseconds, false, OfSteps<&StepFigures::max_ps>},
    Metric{"steps.count", MetricOf::kRun, kNone, kCount, true, StepCount},
    Metric{"ops.self_us", MetricOf::kOp, kRequired, kMicroseconds, false, nullptr},
    Metric{"ops.total_us", MetricOf::kOp, kRequired, kMicroseconds, false, nullptr},
    Metric{"ops.occurrences", MetricOf::kOp, kRequired, kCount, true, nullptr},
    Metric{"ops.share", MetricOf::kOp, kRequired, kFraction, false, nullptr},
    Metric{"types.self_us", MetricOf::kType, kRequired, kMicroseconds, false, nullptr},
    Metric{"types.total_us", MetricOf::kType, kRequired, kMicroseconds, false, nullptr},
    Metric{"types.occurrences", MetricOf::kType, kRequired, kCount, true, nullptr},
    Metric{"types.share", MetricOf::kType, kRequired, kFraction, false, nullptr},
    Metric{"scopes.self_us", MetricOf::kScope, kRequired, kMicroseconds, false, nullptr},
    Metric{"scopes.total_us", MetricOf::kScope, kRequired, kMicroseconds, false, nullptr},
    Metric{"scopes.occurrences", MetricOf::kScope, kRequired, kCount, true, nullptr},
    Metric{"scopes.share", MetricOf::kScope, kRequired, kFraction, false, nullptr},
    Metric{"device.idle_fraction", MetricOf::kRun, kNone, kFraction, false, DeviceIdle},
    Metric{"device.idle_us", MetricOf::kRun, kNone, kMicroseconds, false,
           OfSide<&RunProfile::device, &SideFigures::idle_ps>},
    Metric{"device.busy_us", MetricOf::kRun, kNone, kMicroseconds, false,
           OfSide<&RunProfile::device, &SideFigures::busy_ps>},
    Metric{"device.unattributed_us", MetricOf::kRun, kNone, kMicroseconds, false,
           OfSide<&RunProfile::device, &SideFigures::unattributed_ps>},
    Metric{"host.idle_fraction", MetricOf::kRun, kNone, kFraction, false, HostIdle},
    Metric{"host.idle_us", MetricOf::kRun, kNone, kMicroseconds, false,
           OfSide<&RunProfile::host, &SideFigures::idle_ps>},
    Metric{"host.busy_us", MetricOf::kRun, kNone, kMicroseconds, false,
           OfSide<&RunProfile::host, &SideFigures::busy_ps>},
    Metric{"kernels.count", MetricOf::kRun, kNone, kCount, true, KernelCount},
    Metric{"memory.peak_bytes", MetricOf::kAllocator, SubjectUse::kOptional, kBytes, true, LargestPeak},
    Metric{"input.fraction", MetricOf::kRun, kNone, kFraction, false, InputFraction},
    Metric{"bottleneck", MetricOf::kRun, kNone, kWord, true, nullptr},
    Metric{"op_set", MetricOf::kOpSet, kNone, kState, true, nullptr},
    Metric{"quality.damaged", MetricOf::kRun, kNone, kState, true, Damaged},
    Metric{"quality.count", MetricOf::kQuality, kRequired, kCount, true, nullptr},
};

std::string_view ScopeOf(std::string_view op_name) {
  const size_t slash = op_name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : op_name.substr(0, slash);
}

// What of an op's key a group keeps.
OpKey GroupKey(const OpKey& op, MetricOf of) {
  if (of == MetricOf::kType) return {op.side, op.op_type, ""};
  if (of == MetricOf::kScope) return {op.side, "", std::string(ScopeOf(op.op_name))};
  return op;
}

std::string_view NameOf(const OpKey& group, MetricOf of) {
  return of == MetricOf::kType ? group.op_type : group.op_name;
}

}  // namespace

std::span<const Metric> AllMetrics() { return kMetrics; }

const Metric* FindMetric(std::string_view name) {
  const auto found = std::find_if(kMetrics.begin(), kMetrics.end(), [&](const Metric& m) { return m.name == name; });
  return found == kMetrics.end() ? nullptr : &*found;
}

bool GlobMatches(std::string_view glob, std::string_view name) {
  // The last star is the only one that ever needs to take more: linear in time for each star.
  size_t g = 0, n = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      taken = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g;
      ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

double FigureOf(const OpSums& sums, const Metric& metric) {
  const std::string_view field = metric.name.substr(metric.name.find('.') + 1);
  if (field == "self_us") return sums.self_us;
  if (field == "total_us") return sums.total_us;
  return field == "share" ? sums.share : sums.occurrences;
}

std::vector<NamedSums> SumsOf(const RunProfile& run, MetricOf of, std::string_view glob, bool per_step) {
  const double steps = run.steps ? static_cast<double>(run.steps->count + run.steps->warm_up) : 0;
  const double parts = per_step && steps > 0 ? steps : 1;
  std::map<OpKey, OpSums> groups;
  for (const OpFigures& op : run.ops) {
    OpKey group = GroupKey(op.key, of);
    if (!GlobMatches(glob, NameOf(group, of))) continue;
    const SideFigures& side = op.key.side == trace::Side::kHost ? run.host : run.device;
    OpSums& sums = groups[std::move(group)];
    sums.self_us +=
        (per_step && op.self_per_step_ps ? *op.self_per_step_ps : static_cast<double>(op.self_ps) / parts) / kPsPerUs;
    sums.total_us += static_cast<double>(op.total_ps) / parts / kPsPerUs;
    sums.occurrences +=
        per_step && op.occurrences_per_step ? *op.occurrences_per_step : static_cast<double>(op.occurrences) / parts;
    sums.share += Ratio(op.self_ps, side.sum_self_ps).value_or(0);
  }
  std::vector<NamedSums> named;
  named.reserve(groups.size());
  for (auto& [key, sums] : groups) named.push_back({key, sums});
  return named;
}

}  // namespace tfprof::compare
