#include "analyze/sample_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tfprof::analyze {
namespace {

double Quantile(const std::vector<double>& sorted, double q) {
  const double rank = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

SampleStatistics StatisticsOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  SampleStatistics out;
  const auto count = static_cast<double>(values.size());
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  out.min = values.front();
  out.max = values.back();
  out.p50 = Quantile(values, 0.5);
  out.p95 = Quantile(values, 0.95);
  if (values.size() < 2) return out;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.stddev = std::sqrt(squares / (count - 1));
  return out;
}

}  // namespace tfprof::analyze
