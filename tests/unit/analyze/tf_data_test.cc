#include "analyze/tf_data.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "analyze/tf_data_advice.h"
#include "formats/xplane/event_stream.h"
#include "support/xspace_builder.h"

namespace tfprof::analyze {
namespace {

using namespace tfprof::testing;

constexpr int64_t kUs = 1'000'000;

TfData ReadFile(const std::string& bytes, Compat compat, std::string_view host = "h") {
  const xplane::Layout layout = xplane::ReadLayout(bytes, true);
  TfData tf_data(compat);
  trace::EventSink* sinks[] = {&tf_data};
  xplane::ReadPlan plan;
  plan.thorough_layout = true;
  Diagnostics diagnostics;
  REQUIRE(xplane::StreamEvents(layout, {.path = "x.pb", .host = std::string(host)}, 0, {}, sinks, &plan, &diagnostics) ==
          xplane::ReadOutcome::kDone);
  return tf_data;
}
TfDataResult Read(const std::string& bytes, Compat compat = Compat::kNone) {
  return std::move(ReadFile(bytes, compat)).Finish();
}

const std::string kNames = EventName(1, "Iterator::Root") + EventName(2, "Iterator::Root::Prefetch") +
                           EventName(3, "Iterator::Root::Prefetch::Map") + EventName(4, "PrefetchProduce") +
                           EventName(5, "PrefetchConsume") + EventName(6, "other") +
                           EventName(7, "Iterator::Prefetch::Generator") + StatName(1, "id") + StatName(2, "parent_id") +
                           StatName(3, "element_id");
std::string Call(int64_t name, int64_t from_us, int64_t to_us, int64_t id, int64_t parent_id) {
  return EncodeEvent(name, from_us * kUs, (to_us - from_us) * kUs, IntStat(1, id) + IntStat(2, parent_id));
}
std::string Element(int64_t name, int64_t from_us, int64_t to_us, int64_t element) {
  return EncodeEvent(name, from_us * kUs, (to_us - from_us) * kUs, IntStat(3, element));
}
std::string Host(std::string_view first, std::string_view second = "") {
  return EncodePlane("/host:CPU", EncodeLine(1, "a", first) + EncodeLine(2, "b", second) + kNames);
}

TEST_CASE("a call's self time is without the calls in it, and the slowest call has the bottleneck") {
  const TfDataResult result = Read(Host(Call(1, 0, 10, 1, 0) + Call(2, 2, 8, 2, 1) + Call(1, 100, 200, 1, 0) +
                                        Call(2, 110, 190, 2, 1)));
  REQUIRE(result.pipelines.size() == 1);
  const TfDataPipeline& pipeline = result.pipelines[0];
  CHECK(pipeline.name == "Iterator::Root");
  CHECK(pipeline.calls == 2);
  CHECK(pipeline.slow_calls == 1);
  CHECK(pipeline.min_latency_ps == 10 * kUs);
  CHECK(pipeline.max_latency_ps == 100 * kUs);
  CHECK(pipeline.avg_latency_ps == 55.0 * kUs);
  REQUIRE(pipeline.iterators.size() == 2);
  CHECK(pipeline.iterators[0].self_ps == 24 * kUs);
  CHECK(pipeline.iterators[1].self_ps == 86 * kUs);
  CHECK(pipeline.iterators[1].parent_id == 1);
  REQUIRE(pipeline.bottleneck);
  CHECK(*pipeline.bottleneck == 1);
  CHECK(pipeline.bottleneck_ps == 80 * kUs);
  CHECK(pipeline.advice == TfDataAdvice("Prefetch"));
}

TEST_CASE("what another thread made for an element is below the call that took it, blocking only while both ran") {
  const auto file = [](int64_t made_from, int64_t made_to) {
    return Host(Call(1, 50, 150, 1, 0) + Call(2, 50, 150, 2, 1) + Element(5, 140, 141, 9),
                Element(4, made_from, made_to, 9) + Call(3, made_from, made_to, 3, 2));
  };
  const TfDataPipeline waited = Read(file(60, 140)).pipelines.at(0);
  REQUIRE(waited.iterators.size() == 3);
  CHECK(waited.iterators[2].name == "Map");
  CHECK(waited.iterators[2].blocking);
  CHECK(waited.iterators[1].self_ps == 20 * kUs);
  CHECK(*waited.bottleneck == 2);

  const TfDataPipeline ready = Read(file(0, 40)).pipelines.at(0);
  REQUIRE(ready.iterators.size() == 3);
  CHECK_FALSE(ready.iterators[2].blocking);
  CHECK(ready.iterators[1].self_ps == 100 * kUs);
  CHECK(*ready.bottleneck == 1);
}

TEST_CASE("children that ran at the same time are taken off once") {
  const std::string file = Host(Call(1, 0, 100, 1, 0) + Call(2, 0, 100, 2, 1) + Element(5, 98, 99, 9),
                                Element(4, 0, 80, 9) + Call(3, 0, 80, 3, 2) + Element(4, 81, 82, 7)) +
                           EncodePlane("/host:CPU", EncodeLine(3, "c", Element(4, 20, 100, 9) + Call(3, 20, 100, 4, 2)) + kNames);
  CHECK(Read(file).pipelines.at(0).iterators[1].self_ps == 0);
}

TEST_CASE("other events are transparent, but part calls in TensorFlow's analysis") {
  const std::string file = Host(Call(1, 0, 100, 1, 0) + EncodeEvent(6, 0, 100 * kUs) + Call(2, 10, 90, 2, 1));
  CHECK(Read(file).pipelines.at(0).iterators.size() == 2);
  CHECK(Read(file, Compat::kXprof).pipelines.at(0).iterators.size() == 1);
}

TEST_CASE("an unsigned id is an id, though TensorFlow's analysis reads 0") {
  const std::string big = Bytes(4, Int(1, 1) + Int(3, INT64_MIN + 5));  // uint64_value
  const std::string file = Host(EncodeEvent(1, 0, 100 * kUs, big));
  CHECK(Read(file).pipelines.at(0).iterators[0].id == INT64_MIN + 5);
  CHECK(Read(file, Compat::kXprof).pipelines.at(0).iterators[0].id == 0);
}

TEST_CASE("a pipeline that a second iterator reads is the device's and no bottleneck of the host") {
  const TfDataResult result = Read(Host(Call(1, 0, 90, 1, 0) + Call(7, 10, 80, 2, 1)));
  REQUIRE(result.pipelines.size() == 1);
  CHECK(result.pipelines[0].on_device);
  CHECK_FALSE(result.InputBound());
}

TEST_CASE("ids in circles end") {
  const std::string file = Host(Call(1, 0, 100, 1, 0) + Call(2, 0, 100, 2, 1) + Element(5, 10, 11, 9) +
                                Element(4, 20, 90, 9) + Call(2, 30, 80, 2, 2) + Element(5, 40, 41, 9));
  CHECK(Read(file).pipelines.at(0).iterators.size() == 2);
}

TEST_CASE("files merge in any order") {
  const std::string one = Host(Call(1, 0, 10, 1, 0)), two = Host(Call(1, 0, 70, 1, 0));
  const auto merged = [](TfData a, TfData b) {
    a.Merge(std::move(b));
    std::string order;
    for (const TfDataPipeline& pipeline : std::move(a).Finish().pipelines) order += pipeline.host;
    return order;
  };
  CHECK(merged(ReadFile(one, Compat::kNone, "a"), ReadFile(two, Compat::kNone, "b")) == "ba");
  CHECK(merged(ReadFile(two, Compat::kNone, "b"), ReadFile(one, Compat::kNone, "a")) == "ba");
}

TEST_CASE("advice knows versions of an iterator") {
  CHECK(TfDataAdvice("Map").find("num_parallel_calls") != std::string::npos);
  CHECK(TfDataAdvice("BatchV2").find("BatchV2 runs on one thread") == 0);
  CHECK(TfDataAdvice("ParallelMapV2").find("runs in parallel") != std::string::npos);
}

}  // namespace
}  // namespace tfprof::analyze
