// Quantiles of any durations, within one percent.
#include "analyze/quantile_sketch.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace tfprof::analyze {
namespace {

TEST_CASE("quantiles lie within one percent, merged or not") {
  std::mt19937_64 random(1);
  std::vector<int64_t> values;
  QuantileSketch whole, left, right;
  for (int i = 0; i < 20'000; ++i) {
    const auto value = static_cast<int64_t>(random() % 1'000'000'000'000) + 1;
    values.push_back(value);
    whole.Add(value);
    (i % 3 == 0 ? left : right).Add(value);
  }
  left.Merge(right);
  std::sort(values.begin(), values.end());
  for (const double q : {0.5, 0.9, 0.99}) {
    const auto exact = static_cast<double>(values[static_cast<size_t>(q * static_cast<double>(values.size())) - 1]);
    CHECK(whole.Quantile(q) == Approx(exact).epsilon(0.011));
    CHECK(left.Quantile(q) == whole.Quantile(q));
  }
  CHECK(left.min() == values.front());
  CHECK(left.max() == values.back());
  CHECK(QuantileSketch().Quantile(0.5) == 0);
}

TEST_CASE("a sketch of nothing") {
  const QuantileSketch none;
  CHECK(none.count() == 0);
  CHECK(none.Quantile(0) == 0);
  CHECK(none.Quantile(1) == 0);
}

TEST_CASE("all quantiles of one value are that value, however large or small") {
  for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{1'000'000}, INT64_MAX}) {
    QuantileSketch one;
    one.Add(value);
    CAPTURE(value);
    for (const double q : {0.0, 0.5, 1.0}) CHECK(one.Quantile(q) == static_cast<double>(value));
    CHECK(one.min() == value);
    CHECK(one.max() == value);
  }
}

TEST_CASE("the nearest rank counts: of 1 to 100 the median is 50") {
  QuantileSketch sketch;
  for (int64_t value = 100; value >= 1; --value) sketch.Add(value);
  CHECK(sketch.count() == 100);
  for (const int percent : {1, 50, 90, 99, 100}) {
    CHECK(sketch.Quantile(percent / 100.0) == Approx(percent).epsilon(QuantileSketch::kRelativeError));
  }
  CHECK(sketch.Quantile(0) == Approx(1).epsilon(QuantileSketch::kRelativeError));
}

TEST_CASE("a value may be added many times at once") {
  QuantileSketch sketch;
  sketch.Add(1000, 98);
  sketch.Add(5000);
  sketch.Add(9000);
  CHECK(sketch.count() == 100);
  CHECK(sketch.Quantile(0.98) == Approx(1000).epsilon(QuantileSketch::kRelativeError));
  CHECK(sketch.Quantile(0.99) == Approx(5000).epsilon(QuantileSketch::kRelativeError));
  CHECK(sketch.Quantile(1) == Approx(9000).epsilon(QuantileSketch::kRelativeError));
}

TEST_CASE("zeros are counted below everything else") {
  QuantileSketch sketch;
  sketch.Add(0, 3);
  sketch.Add(1);
  CHECK(sketch.Quantile(0.75) == 0);
  CHECK(sketch.Quantile(1) == Approx(1).epsilon(QuantileSketch::kRelativeError));
  CHECK(sketch.min() == 0);
}

TEST_CASE("merging with an empty sketch changes nothing") {
  QuantileSketch sketch, none;
  sketch.Add(7, 2);
  sketch.Merge(none);
  none.Merge(sketch);
  for (const QuantileSketch* s : {&sketch, &none}) {
    CHECK(s->count() == 2);
    CHECK(s->min() == 7);
    CHECK(s->max() == 7);
    CHECK(s->Quantile(0.5) == 7);
  }
}

}  // namespace
}  // namespace tfprof::analyze
