// XProf's op metrics database (reference: op_stats.md §2.2, §2.4 to §2.6).
#include "analyze/xprof_op_set.h"

#include <catch2/catch.hpp>

namespace tfprof::analyze {
namespace {

TEST_CASE("the key of an op is its module and name; entries are in order of appearance") {
  XprofOpSet set;
  set.Of(0, "b").metrics.time_ps = 1;
  set.Of(7, "b").metrics.time_ps = 2;
  set.Of(0, "a").metrics.time_ps = 3;
  set.Of(0, "b").metrics.time_ps += 10;
  set.Of(UINT64_MAX, "");
  REQUIRE(set.entries().size() == 4);
  CHECK(set.entries()[0].name == "b");
  CHECK(set.entries()[0].metrics.time_ps == 11);
  CHECK(set.entries()[1].module == 7);
  CHECK(set.entries()[2].name == "a");
  CHECK(set.entries()[3].module == UINT64_MAX);
}

TEST_CASE("names are kept by the set, not by who named them") {
  XprofOpSet set;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "an op with a rather long name " + std::to_string(i);
    set.Of(0, name).metrics.occurrences = static_cast<uint64_t>(i);
  }
  const XprofOpSet moved = std::move(set);
  REQUIRE(moved.entries().size() == 1000);
  XprofOpSet sum;
  sum.Combine(moved);
  sum.Combine(moved);
  CHECK(sum.entries().size() == 1000);
  CHECK(sum.entries()[999].metrics.occurrences == 2 * 999);
}

TEST_CASE("appended entries stand apart until they are combined") {
  XprofOpSet plane;
  plane.Append(1, "add").metrics.occurrences = 2;
  plane.Append(1, "add").metrics.occurrences = 3;
  CHECK(plane.entries().size() == 2);
  CHECK(&plane.Of(1, "add") == &plane.entries()[0]);
  XprofOpSet device;
  device.Combine(plane);
  REQUIRE(device.entries().size() == 1);
  CHECK(device.entries()[0].metrics.occurrences == 5);
}

XprofMetrics Metrics(const char* type, const char* provenance) {
  XprofMetrics m;
  m.type = type;
  m.provenance = provenance;
  return m;
}

TEST_CASE("texts are the first that are not empty, flags are either's, numbers add up") {
  XprofMetrics sum = Metrics("", "p");
  XprofMetrics other = Metrics("A", "q");
  other.eager = true;
  other.needs_cost_analysis = true;
  other.occurrences = 2;
  other.time_ps = 30;
  other.self_ps = 20;
  other.flops = 1.5;
  other.model_flops = 2.5;
  other.bytes = 3.5;
  sum.Add(other);
  sum.Add(Metrics("B", "r"));
  sum.Add(other);
  CHECK(sum.type == "A");
  CHECK(sum.provenance == "p");
  CHECK(sum.eager);
  CHECK(sum.needs_cost_analysis);
  CHECK(sum.occurrences == 4);
  CHECK(sum.time_ps == 60);
  CHECK(sum.self_ps == 40);
  CHECK(sum.flops == 3);
  CHECK(sum.model_flops == 5);
  CHECK(sum.bytes == 7);
}

TEST_CASE("only numbers, without occurrences, when an op becomes a framework op's") {
  XprofMetrics sum, other = Metrics("A", "p");
  other.eager = true;
  other.occurrences = 9;
  other.time_ps = 5;
  sum.AddNumbers(other);
  CHECK(sum.type.empty());
  CHECK_FALSE(sum.eager);
  CHECK(sum.occurrences == 0);
  CHECK(sum.time_ps == 5);
}

TEST_CASE("what a span leaves is an op called IDLE, also when it is 0") {
  XprofOpSet set;
  set.AddSpan(100, 100);
  REQUIRE(set.entries().size() == 1);
  CHECK(set.entries()[0].metrics.type == "IDLE");
  CHECK(set.entries()[0].metrics.time_ps == 0);
  set.AddSpan(50, 20);
  CHECK(set.entries()[0].metrics.self_ps == 30);
  CHECK(set.entries()[0].metrics.occurrences == 0);
  CHECK(set.total_ps() == 150);
  CHECK(set.op_ps() == 120);
}

TEST_CASE("an op called IDLE shares the row of idle time, under the first type") {
  XprofOpSet set;
  XprofMetrics foo = Metrics("Foo", "");
  foo.occurrences = 1;
  foo.time_ps = foo.self_ps = 10;
  set.Of(0, "IDLE").metrics.Add(foo);
  set.AddSpan(20, 10);
  REQUIRE(set.entries().size() == 1);
  CHECK(set.entries()[0].metrics.type == "Foo");
  CHECK(set.entries()[0].metrics.occurrences == 1);
  CHECK(set.entries()[0].metrics.time_ps == 20);
}

TEST_CASE("times wrap at 64 bits") {
  XprofOpSet set;
  set.AddSpan(0, 3000);
  CHECK(set.entries()[0].metrics.time_ps == UINT64_MAX - 2999);
  set.AddSpan(3000, 0);
  CHECK(set.entries()[0].metrics.time_ps == 0);
  set.SetTotals(5, 6);
  CHECK(set.total_ps() == 5);
  CHECK(set.op_ps() == 6);
}

}  // namespace
}  // namespace tfprof::analyze
