#include "analyze/step_activity.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

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

TEST_CASE("unions of activities give what the sweep over their spans gives") {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    const TimeSpan step{200, 1'500};
    std::vector<ActivitySpan> spans;
    StepActivities halves[2];
    for (int i = 0; i < 300; ++i) {
      const uint64_t begin = random() % 2'000;
      const ActivitySpan span{{begin, begin + 1 + random() % 9}, static_cast<A>(1 + random() % (kStepActivities - 1))};
      spans.push_back(span);
      halves[i % 2].Add(span.time, span.activity);
    }
    halves[0].Merge(halves[1]);
    CHECK(halves[0].Parts(step).ps == Sweep(spans, step).ps);
    std::vector<ActivitySpan> some;
    for (const ActivitySpan& span : spans) {
      if (span.activity == A::kCollectives || span.activity == A::kCompute16) some.push_back({span.time, A::kCompute16});
    }
    CHECK(halves[0].AnyOf({A::kCompute16, A::kCollectives}, step) == Sweep(some, step).of(A::kCompute16));
    for (ActivitySpan& span : spans) {
      if (span.activity == A::kKernelLaunch) span.activity = A::kHostCompute;
    }
    halves[0].Relabel(A::kKernelLaunch, A::kHostCompute);
    CHECK(halves[0].Parts(step).ps == Sweep(spans, step).ps);
  }
}

TEST_CASE("a span of no length is nothing that went on") {
  StepActivities activities;
  activities.Add({5, 5}, A::kWaitInput);
  CHECK(activities.empty());
  CHECK(activities.Parts({0, 10}).of(A::kOther) == 10);
}

}  // namespace
}  // namespace tfprof::analyze
