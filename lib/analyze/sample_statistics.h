// Mean, deviation and quantiles of a handful of values.
#pragma once

#include <optional>
#include <vector>

namespace tfprof::analyze {

struct SampleStatistics {
  double mean = 0, min = 0, p50 = 0, p95 = 0, max = 0;
  std::optional<double> stddev;  // of a sample (n - 1); none for a single value
};

// Quantiles lie between neighbours, by rank. `values` isn't empty.
SampleStatistics StatisticsOf(std::vector<double> values);

}  // namespace tfprof::analyze
