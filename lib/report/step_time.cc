#include "report/step_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyze/sample_statistics.h"

namespace tfprof::report {

using analyze::StepCoverage;
using analyze::StepKind;
using analyze::StepRow;
using analyze::StepsResult;

namespace {

constexpr size_t kLeastForOutliers = 3;
constexpr size_t kOutliersNamed = 3;
constexpr double kVerySlow = 3;          // times the median
constexpr double kUnlikeCalls = 10;      // times the shortest
constexpr double kOutsideToTell = 0.01;  // of the trace

std::optional<analyze::SampleStatistics> StepTimes(const StepsResult& steps) {
  if (steps.slowest_ps.empty()) return std::nullopt;
  std::vector<double> ms;
  for (const uint64_t ps : steps.slowest_ps) ms.push_back(static_cast<double>(ps) / 1e9);
  return analyze::StatisticsOf(std::move(ms));
}

std::string Counted(const StepsResult& steps) {
  const bool calls = steps.kind == StepKind::kCall;
  return CountText(steps.rows.size(), calls ? "call" : "step", calls ? "calls" : "steps");
}

// Calls of several functions stand side by side, and the file doesn't tell which is whose.
bool HoldsUnlikeCalls(const StepsResult& steps, const analyze::SampleStatistics& times) {
  return steps.kind == StepKind::kCall && times.stddev && times.max > kUnlikeCalls * times.min;
}

struct Outliers {
  double median_ps = 0;
  std::vector<const StepRow*> slow;  // slowest first
};

Outliers FindOutliers(const StepsResult& steps) {
  Outliers found;
  if (steps.rows.size() < kLeastForOutliers) return found;
  std::vector<double> totals;
  for (const StepRow& row : steps.rows) totals.push_back(static_cast<double>(row.total_ps));
  found.median_ps = analyze::StatisticsOf(totals).p50;
  for (double& total : totals) total = std::fabs(total - found.median_ps);
  const double deviation = 1.4826 * analyze::StatisticsOf(totals).p50;
  for (const StepRow& row : steps.rows) {
    const double above = static_cast<double>(row.total_ps) - found.median_ps;
    if (above > 3 * deviation && above > 0.2 * found.median_ps) found.slow.push_back(&row);
  }
  std::stable_sort(found.slow.begin(), found.slow.end(),
                   [](const StepRow* a, const StepRow* b) { return a->total_ps > b->total_ps; });
  return found;
}

// Why the first step is very slow is seldom told by the trace, but it is known.
std::string_view ReasonFor(const StepRow& row, const StepsResult& steps, double times_median) {
  if (times_median < kVerySlow) return "";
  const bool first = std::none_of(steps.rows.begin(), steps.rows.end(), [&](const StepRow& other) {
    return other.file == row.file && other.start_ps < row.start_ps;
  });
  return first ? " (the first: tracing, compilation or cold caches)" : "";
}

double TimesMedian(const StepRow& row, const Outliers& outliers) {
  return static_cast<double>(row.total_ps) / outliers.median_ps;
}

}  // namespace

Value StepTimeValue(const StepsResult& steps) {
  const auto times = StepTimes(steps);
  const auto value = [&times](double analyze::SampleStatistics::*member) {
    return times ? Value((*times).*member) : Value();
  };
  return Value::Object{{"mean", value(&analyze::SampleStatistics::mean)},
                       {"stddev", times && times->stddev ? Value(*times->stddev) : Value()},
                       {"min", value(&analyze::SampleStatistics::min)},
                       {"p50", value(&analyze::SampleStatistics::p50)},
                       {"max", value(&analyze::SampleStatistics::max)}};
}

std::string StepTimeText(const StepsResult& steps, Unit unit) {
  const auto times = StepTimes(steps);
  if (!times) return "can't be told: the files hold no step";
  const auto text = [unit](double ms) { return TimeText(static_cast<int128>(ms * 1e9), unit); };
  if (!times->stddev) {
    return fmt::format("{} (one {}, so no deviation)", text(times->p50),
                       steps.kind == StepKind::kCall ? "call" : "step");
  }
  std::string out = fmt::format("{} is the median of {}, {} to {}", text(times->p50), Counted(steps),
                                text(times->min), text(times->max));
  if (HoldsUnlikeCalls(steps, *times)) {
    return out + "; they differ too much to be calls of one function, so there is no mean to go by";
  }
  out += fmt::format("; mean {}, deviation {}", text(times->mean), text(*times->stddev));
  const Outliers outliers = FindOutliers(steps);
  if (!outliers.slow.empty()) {
    const StepRow& slowest = *outliers.slow.front();
    const double ratio = TimesMedian(slowest, outliers);
    out += fmt::format("; {} took {:.1f} times the median{}", slowest.name, ratio, ReasonFor(slowest, steps, ratio));
  }
  return out;
}

std::vector<Sentence> OutlierSentences(const StepsResult& steps, Unit unit) {
  const Outliers outliers = FindOutliers(steps);
  std::vector<Sentence> sentences;
  for (size_t i = 0; i < std::min(outliers.slow.size(), kOutliersNamed); ++i) {
    const StepRow& row = *outliers.slow[i];
    const double times = TimesMedian(row, outliers);
    sentences.push_back(
        {fmt::format("Outlier: {} took {}, {:.1f} times the median of {}{}.", row.name, TimeText(row.total_ps, unit),
                     times, TimeText(static_cast<int128>(outliers.median_ps), unit), ReasonFor(row, steps, times)),
         Tone::kWarning});
  }
  if (outliers.slow.size() > kOutliersNamed) {
    sentences.push_back({fmt::format("{} more {} as far above the median.", outliers.slow.size() - kOutliersNamed,
                                     outliers.slow.size() == kOutliersNamed + 1 ? "is" : "are"),
                         Tone::kPlain});
  }
  return sentences;
}

std::optional<Sentence> OutsideOfSteps(const StepsResult& steps, Unit unit) {
  const StepCoverage& coverage = steps.coverage;
  const std::string_view what = steps.kind == StepKind::kCall ? "call" : "step";
  if (static_cast<double>(coverage.outside_ps()) <= kOutsideToTell * static_cast<double>(coverage.trace_ps)) {
    return std::nullopt;
  }
  const uint64_t outside_ps = coverage.outside_ps();
  std::string text = fmt::format(
      "{} between the first op and the last ({}) lie in no {}", TimeText(outside_ps, unit),
      PercentText(static_cast<double>(outside_ps) / static_cast<double>(coverage.trace_ps)), what);
  if (coverage.work_outside_ps > 0) {
    text += fmt::format(", {} of it with ops or devices at work",
                        coverage.work_outside_ps > outside_ps / 2 ? "most" : "part");
  }
  if (!coverage.misses_the_work()) return Sentence{text + "."};
  text += fmt::format(
      ": the program hands its work over and doesn't wait for it (as JAX does), so {} times are those "
      "of the handing over, not of the work.",
      what);
  return Sentence{std::move(text), Tone::kWarning};
}

}  // namespace tfprof::report
