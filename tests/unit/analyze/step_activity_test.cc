#include "analyze/step_activity.h"

#include <catch2/catch.hpp>

namespace tfprof::analyze {
namespace {

using A = StepActivity;

TEST_CASE("a moment goes to the activity of the highest rank, the rest to other") {
  const StepParts parts =
      Sweep({{{10, 60}, A::kHostCompute}, {{20, 30}, A::kWaitInput}, {{25, 50}, A::kCompute32}}, {0, 100});
  CHECK(parts.of(A::kHostCompute) == 20);
  CHECK(parts.of(A::kWaitInput) == 5);
  CHECK(parts.of(A::kCompute32) == 25);
  CHECK(parts.of(A::kOther) == 50);
}

TEST_CASE("two devices at once count once") {
  const StepParts parts = Sweep({{{0, 40}, A::kCompute32}, {{20, 60}, A::kCompute32}}, {0, 60});
  CHECK(parts.of(A::kCompute32) == 60);
  CHECK(parts.of(A::kOther) == 0);
}

TEST_CASE("what lies outside the step is present and counts as a whole, not within") {
  const StepParts parts = Sweep({{{0, 30}, A::kCompute16}}, {20, 25});
  CHECK(parts.of(A::kCompute16) == 5);
  CHECK(parts.whole_ps[static_cast<size_t>(A::kCompute16)] == 30);
  const StepParts outside = Sweep({{{0, 10}, A::kCompute16}}, {20, 25});
  CHECK(outside.has(A::kCompute16));
  CHECK(outside.of(A::kCompute16) == 0);
  CHECK(outside.of(A::kOther) == 5);
}

TEST_CASE("a span without length holds its activity, as in XProf") {
  const StepParts parts = Sweep({{{5, 100}, A::kHostCompute}, {{10, 10}, A::kWaitInput}}, {0, 100});
  CHECK(parts.of(A::kHostCompute) == 5);
  CHECK(parts.of(A::kWaitInput) == 90);
  CHECK(parts.of(A::kOther) == 5);
}

TEST_CASE("a step without spans is all other") {
  const StepParts parts = Sweep({}, {7, 19});
  CHECK(parts.of(A::kOther) == 12);
  CHECK_FALSE(parts.has(A::kHostCompute));
}

}  // namespace
}  // namespace tfprof::analyze
