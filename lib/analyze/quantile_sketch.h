// Quantiles of durations within 1 %, mergeable, without keeping the durations (a DDSketch: buckets that grow by 2 %).
#pragma once

#include <cstdint>
#include <map>

namespace tfprof::analyze {

class QuantileSketch {
 public:
  static constexpr double kRelativeError = 0.01;

  void Add(int64_t value, uint64_t count = 1);
  void Merge(const QuantileSketch& other);

  uint64_t count() const { return count_; }
  int64_t min() const { return min_; }
  int64_t max() const { return max_; }
  // The value below which a share q (0…1) of all values lies; within kRelativeError of a value that was added.
  double Quantile(double q) const;

 private:
  std::map<int32_t, uint64_t> buckets_;  // index of the bucket → count; values ≤ 0 are in kZeroBucket
  uint64_t count_ = 0;
  int64_t min_ = INT64_MAX;
  int64_t max_ = INT64_MIN;
};

}  // namespace tfprof::analyze
