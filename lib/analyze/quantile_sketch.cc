#include "analyze/quantile_sketch.h"

#include <algorithm>
#include <cmath>

#include "base/count.h"

namespace tfprof::analyze {
namespace {

constexpr int32_t kZeroBucket = -1;
constexpr double kGamma = (1 + QuantileSketch::kRelativeError) / (1 - QuantileSketch::kRelativeError);
const double kLogGamma = std::log(kGamma);

}  // namespace

void QuantileSketch::Add(int64_t value, uint64_t count) {
  const int32_t bucket =
      value <= 0 ? kZeroBucket : static_cast<int32_t>(std::ceil(std::log(static_cast<double>(value)) / kLogGamma));
  AddCount(count, &buckets_[bucket]);
  AddCount(count, &count_);
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void QuantileSketch::Merge(const QuantileSketch& other) {
  for (const auto& [bucket, count] : other.buckets_) AddCount(count, &buckets_[bucket]);
  AddCount(other.count_, &count_);
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

double QuantileSketch::Quantile(double q) const {
  if (count_ == 0) return 0;
  // Rank of the value: the nearest-rank definition.
  const auto rank = static_cast<uint64_t>(std::max(1.0, std::ceil(q * static_cast<double>(count_))));
  uint64_t seen = 0;
  for (const auto& [bucket, count] : buckets_) {
    AddCount(count, &seen);
    if (seen < rank) continue;
    if (bucket == kZeroBucket) return 0;
    // The middle of the bucket (γ^(i−1), γ^i], in the relative sense.
    const double middle = 2 * std::pow(kGamma, bucket) / (kGamma + 1);
    return std::clamp(middle, static_cast<double>(min_), static_cast<double>(max_));
  }
  return static_cast<double>(max_);
}

}  // namespace tfprof::analyze
