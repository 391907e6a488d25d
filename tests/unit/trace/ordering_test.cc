// Lanes come to analyses in nesting order, whatever order they were read in.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "trace/lane_orderer.h"
#include "trace/pipelined_lane.h"
#include "trace/span_sorter.h"

namespace tfprof::trace {
namespace {

struct Seen {
  int64_t start_ps, duration_ps;
  uint32_t op;
  bool operator==(const Seen&) const = default;
};

class Recorder : public LaneConsumer {
 public:
  void Add(const EventBatch& batch) override {
    CHECK(batch.size <= EventBatch::kMaxEvents);
    for (size_t i = 0; i < batch.size; ++i) seen.push_back({batch.start_ps[i], batch.duration_ps[i], batch.op[i]});
  }
  void Close() override { closed = true; }
  std::vector<Seen> seen;
  bool closed = false;
};

std::vector<Seen> Sorted(std::vector<Seen> events) {
  std::stable_sort(events.begin(), events.end(), [](const Seen& a, const Seen& b) {
    return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.duration_ps > b.duration_ps;
  });
  return events;
}

std::vector<Seen> Events(size_t count, int jitter, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Seen> events;
  for (size_t i = 0; i < count; ++i) {
    const int64_t back = jitter > 0 ? static_cast<int64_t>(random() % static_cast<unsigned>(jitter)) : 0;
    events.push_back({static_cast<int64_t>(i) * 10 - back * 10, static_cast<int64_t>(random() % 50), static_cast<uint32_t>(i)});
  }
  return events;
}

TEST_CASE("small disorder is put right in passing, large disorder is noticed") {
  for (const int jitter : {0, 3, 20}) {
    const std::vector<Seen> events = Events(5000, jitter, 7);
    Recorder recorder;
    LaneOrderer orderer;
    orderer.Start(&recorder, false);
    for (const Seen& e : events) orderer.Add(e.start_ps, e.duration_ps, e.op, 0);
    orderer.Finish();
    CHECK_FALSE(orderer.disordered());
    CHECK(recorder.seen == Sorted(events));
  }
  std::vector<Seen> events = Events(5000, 0, 7);
  events.push_back({5, 1, 99});
  for (const bool sort_all : {false, true}) {
    Recorder recorder;
    LaneOrderer orderer;
    orderer.Start(&recorder, sort_all);
    for (const Seen& e : events) orderer.Add(e.start_ps, e.duration_ps, e.op, 0);
    orderer.Finish();
    CHECK(orderer.disordered() == !sort_all);
    if (sort_all) CHECK(recorder.seen == Sorted(events));
  }
}

TEST_CASE("a pipelined lane gives the same batches") {
  const std::vector<Seen> events = Events(300'000, 3, 11);
  Recorder recorder;
  PipelinedLane pipeline(&recorder);
  LaneOrderer orderer;
  orderer.Start(&pipeline, false);
  for (const Seen& e : events) orderer.Add(e.start_ps, e.duration_ps, e.op, 0);
  orderer.Finish();
  pipeline.Close();
  CHECK(recorder.closed);
  CHECK(recorder.seen == Sorted(events));
}

TEST_CASE("spans are sorted within bounded memory") {
  std::mt19937 random(3);
  SpanSorter sorter("/tmp");
  const size_t count = SpanSorter::kSpansInMemory * 2 + 12'345;
  for (size_t i = 0; i < count; ++i) {
    const Status failed = sorter.Add({static_cast<uint32_t>(random() % 5), static_cast<uint32_t>(i),
                                      static_cast<int64_t>(random() % 1000), static_cast<int64_t>(random() % 3), 0});
    REQUIRE_FALSE(failed);
  }
  size_t visited = 0;
  bool ordered = true;
  WaitingSpan last;
  REQUIRE_FALSE(sorter.Finish([&](const WaitingSpan& span) {
    if (visited++ > 0) {
      ordered = ordered && std::tuple(last.lane, last.start_ps, -last.duration_ps, last.arrival) <
                               std::tuple(span.lane, span.start_ps, -span.duration_ps, span.arrival);
    }
    last = span;
  }));
  CHECK(visited == count);
  CHECK(ordered);
}

}  // namespace
}  // namespace tfprof::trace
