#include "formats/xplane/reader.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>
#include <string>

#include "analyze/op_table.h"
#include "support/xspace_builder.h"

namespace {
std::atomic<size_t> allocations{0};
}  // namespace

void* operator new(size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

analyze::OpsResult ReadOps(const std::string& bytes, Diagnostics* diagnostics, ReadPlan* plan, int* readings = nullptr) {
  for (;;) {
    if (readings != nullptr) ++*readings;
    const Layout layout = ReadLayout(bytes, plan->thorough_layout);
    analyze::OpTable table((analyze::OpTableOptions()));
    trace::Sink* sinks[] = {&table};
    if (Read(layout, {.path = "x.pb", .host = "h"}, sinks, plan, diagnostics) == ReadOutcome::kAgain) continue;
    return std::move(table).Finish(true, diagnostics);
  }
}

// A host thread of calls with a child each, and a GPU stream whose kernels name their op.
std::string Run(int calls) {
  std::string host, gpu;
  for (int64_t i = 0; i < calls; ++i) {
    host += EncodeEvent(1, i * 100'000, 50'000) + EncodeEvent(2, i * 100'000 + 10'000, 20'000);
    gpu += EncodeEvent(1, i * 100'000, 30'000, TextStat(1, "a:A"));
  }
  return EncodePlane("/host:CPU", EncodeLine(1, "t", host) + EventName(1, "p:P") + EventName(2, "c:C")) +
         EncodePlane("/device:GPU:0", EncodeLine(7, "s", gpu) + EventName(1, "k") + StatName(1, "tf_op"));
}

TEST_CASE("an op table of two planes") {
  Diagnostics diagnostics;
  ReadPlan plan;
  const analyze::OpsResult result = ReadOps(Run(10), &diagnostics, &plan);
  CHECK(diagnostics.Empty());
  REQUIRE(result.rows.size() == 5);  // a, IDLE; IDLE, p, c
  CHECK(result.device.sum_self_ps == 300'000);
  CHECK(result.device.idle_ps == 9 * 70'000);
  CHECK(result.host.sum_self_ps == 500'000);
  CHECK(result.host.idle_ps == 9 * 50'000);
}

TEST_CASE("allocations don't grow with the number of events") {
  const std::string few = Run(20'000), many = Run(200'000);
  const auto count = [](const std::string& bytes) {
    Diagnostics diagnostics;
    ReadPlan plan;
    const size_t before = allocations;
    ReadOps(bytes, &diagnostics, &plan);
    return allocations - before;
  };
  const size_t for_few = count(few), for_many = count(many);
  // Only merged busy intervals may grow: a 64 KB chunk for some 16,000 of them.
  CHECK(for_many < for_few + 200);
}

TEST_CASE("events far out of order are sorted by a second reading") {
  std::string events;
  for (int64_t i = 0; i < 3000; ++i) events += EncodeEvent(2, 1'000'000 + i * 1000, 500);
  events += EncodeEvent(1, 0, 10'000'000'000);
  const std::string bytes = EncodePlane("/host:CPU", EncodeLine(1, "t", events) + EventName(1, "p:P") + EventName(2, "c:C"));
  Diagnostics diagnostics;
  ReadPlan plan;
  int readings = 0;
  const analyze::OpsResult result = ReadOps(bytes, &diagnostics, &plan, &readings);
  CHECK(readings == 2);
  CHECK(result.host.sum_self_ps == 10'000'000'000);
  CHECK(result.host.busy_ps == 10'000'000'000);
}

TEST_CASE("a file cut at any byte gives what came before, and never more") {
  const std::string whole = Run(3);
  for (size_t size = 1; size < whole.size(); ++size) {
    Diagnostics diagnostics;
    ReadPlan plan;
    const analyze::OpsResult result = ReadOps(whole.substr(0, size), &diagnostics, &plan);
    CHECK(result.host.sum_self_ps <= 150'000);
    CHECK(result.device.sum_self_ps <= 90'000);
  }
}

}  // namespace
}  // namespace tfprof::xplane
