#include "base/units.h"

#include <catch2/catch.hpp>

namespace tfprof {
namespace {

TEST_CASE("times in sentences have three digits and the unit that fits") {
  CHECK(ShortTime(0) == "0 ns");
  CHECK(ShortTime(1) == "0.00 ns");
  CHECK(ShortTime(10'000) == "10.0 ns");
  CHECK(ShortTime(934.42e6) == "934 µs");
  CHECK(ShortTime(1.59e9) == "1.59 ms");
  CHECK(ShortTime(-16.24e9) == "-16.2 ms");
  CHECK(ShortTime(4050e12) == "4050 s");
}

TEST_CASE("what rounds to a thousand is one of the next unit") {
  CHECK(ShortTime(999.4e6) == "999 µs");
  CHECK(ShortTime(999.6e6) == "1.00 ms");
  CHECK(ShortTime(9.996e9) == "10.0 ms");
  CHECK(ShortTime(99.96e3) == "100 ns");
}

}  // namespace
}  // namespace tfprof
