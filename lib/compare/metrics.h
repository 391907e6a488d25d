// What rules may speak of: names, units and values of metrics, and the quantities that limits are written in.
//
// A metric is a figure of a run (`steps.mean`), or of things in it that a glob names (`ops["*MatMul*"].self_us`: of
// each op that matches, one by one). Values are in the unit of the metric; times are microseconds as in every document.
// An exact metric is a count or a size: it has no noise, so any change is a fact.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compare/run_profile.h"

namespace tfprof::compare {

enum class MetricUnit : uint8_t { kMicroseconds, kCount, kBytes, kFraction, kWord, kState };
std::string_view UnitId(MetricUnit unit);  // "us", "count", "bytes", "fraction", ""

// `1.2ms`, `1200` (µs of a time), `2GiB`, `0.3` or `30%` of a fraction. Not negative, finite; an Error says what is
// expected.
Result<double> ParseQuantity(std::string_view text, MetricUnit unit);
// For people, such as `1.234 ms`, `1,204`, `2,048 bytes`, `33.4 %`.
std::string QuantityText(double value, MetricUnit unit);
// `+12.3 %`.
std::string RelativeText(double fraction);

enum class SubjectUse : uint8_t { kNone, kOptional, kRequired };
// What a metric is of, and so what its glob names.
enum class MetricOf : uint8_t { kRun, kOp, kType, kScope, kAllocator, kQuality, kOpSet };

struct Metric {
  std::string_view name;  // without the brackets: "ops.self_us"
  MetricOf of;
  SubjectUse subject;
  MetricUnit unit;
  bool exact;
  // The figure of a run; absent: the run doesn't tell. Null: not of the run as a whole, nor a number.
  std::optional<double> (*of_run)(const RunProfile& run);
};

std::span<const Metric> AllMetrics();
const Metric* FindMetric(std::string_view name);

// `*` stands for any characters, `?` for one; all of the name must match.
bool GlobMatches(std::string_view glob, std::string_view name);

// The figures of an op, a type or a scope in one run.
struct OpSums {
  double self_us = 0, total_us = 0, occurrences = 0;
  double share = 0;  // of all self time of its side (idle time is not counted), 0 to 1
};
double FigureOf(const OpSums& sums, const Metric& metric);

struct NamedSums {
  OpKey key;  // of a type only side and op_type, of a scope its name as op_name
  OpSums sums;
};
// What matches the glob, by the name that the metric's kind has; sorted by key. `per_step`: of one step where the run
// has steps, else of the whole run as `ops` prints it.
std::vector<NamedSums> SumsOf(const RunProfile& run, MetricOf of, std::string_view glob, bool per_step);

}  // namespace tfprof::compare
