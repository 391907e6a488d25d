#include "analyze/sample_statistics.h"

#include <catch2/catch.hpp>

namespace tfprof::analyze {
namespace {

TEST_CASE("mean, deviation of a sample and quantiles between neighbours") {
  const SampleStatistics s = StatisticsOf({4, 2, 8, 6});
  CHECK(s.mean == 5);
  CHECK(*s.stddev == Approx(2.5819888975));
  CHECK(s.min == 2);
  CHECK(s.p50 == 5);
  CHECK(s.p95 == Approx(7.7));
  CHECK(s.max == 8);
}

TEST_CASE("one value has no deviation") {
  const SampleStatistics s = StatisticsOf({3});
  CHECK_FALSE(s.stddev);
  CHECK(s.p50 == 3);
  CHECK(s.p95 == 3);
}

}  // namespace
}  // namespace tfprof::analyze
