// Lanes come to analyses in nesting order, whatever order they were read in.
#include "trace/lane_orderer.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "support/recording_sink.h"

namespace tfprof::trace {
namespace {

using namespace tfprof::testing;

constexpr auto kHold = static_cast<int64_t>(LaneOrderer::kHold);

std::vector<SeenEvent> Sorted(std::vector<SeenEvent> events) {
  std::stable_sort(events.begin(), events.end(), [](const SeenEvent& a, const SeenEvent& b) {
    return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.duration_ps > b.duration_ps;
  });
  return events;
}

// Events ten picoseconds apart, each moved back by up to `jitter` places.
std::vector<SeenEvent> Events(size_t count, int64_t jitter, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<SeenEvent> events;
  for (size_t i = 0; i < count; ++i) {
    const int64_t back = jitter > 0 ? static_cast<int64_t>(random()) % jitter : 0;
    events.push_back({(static_cast<int64_t>(i) - back) * 10, static_cast<int64_t>(random() % 50), static_cast<uint32_t>(i),
                      static_cast<uint8_t>(random() % 2)});
  }
  return events;
}

struct Outcome {
  std::vector<SeenEvent> events;
  bool disordered = false;
};

Outcome Order(const std::vector<SeenEvent>& events, bool sort_all) {
  RecordingLane recorder;
  LaneOrderer orderer;
  orderer.Start(&recorder, sort_all);
  for (const SeenEvent& e : events) orderer.Add(e.start_ps, e.duration_ps, e.op, e.flags);
  orderer.Finish();
  CHECK(recorder.closed == 0);
  for (const size_t size : recorder.batch_sizes) CHECK(size <= EventBatch::kMaxEvents);
  return {recorder.events, orderer.disordered()};
}

TEST_CASE("small disorder is put right in passing") {
  for (const int64_t jitter : {int64_t{0}, int64_t{3}, kHold}) {
    for (const size_t count : {0, 1, 2, 1024, 1088, 1089, 5000}) {
      CAPTURE(jitter, count);
      const std::vector<SeenEvent> events = Events(count, jitter, 7);
      const Outcome outcome = Order(events, false);
      CHECK_FALSE(outcome.disordered);
      CHECK(outcome.events == Sorted(events));
    }
  }
}

TEST_CASE("an event that comes late by fewer places than are held is put right wherever it stands") {
  for (size_t place = 1060; place < 1200; ++place) {
    std::vector<SeenEvent> events = Events(2300, 0, 1);
    events[place].start_ps -= (kHold - 1) * 10;
    CAPTURE(place);
    const Outcome outcome = Order(events, false);
    CHECK_FALSE(outcome.disordered);
    CHECK(outcome.events == Sorted(events));
  }
}

TEST_CASE("an event that comes later than that is noticed, and sorted on request") {
  std::vector<SeenEvent> events = Events(5000, 0, 7);
  events.push_back({5, 1, 99});
  CHECK(Order(events, false).disordered);
  const Outcome sorted = Order(events, true);
  CHECK_FALSE(sorted.disordered);
  CHECK(sorted.events == Sorted(events));
}

TEST_CASE("of events that start together the longer comes first, of equal ones the earlier in the file") {
  const std::vector<SeenEvent> events = {{10, 1, 0}, {10, 5, 1}, {10, 5, 2}, {0, 100, 3}, {10, 0, 4}, {10, 1, 5}};
  const std::vector<uint32_t> wanted = {3, 1, 2, 0, 5, 4};
  for (const bool sort_all : {false, true}) {
    std::vector<uint32_t> ops;
    for (const SeenEvent& e : Order(events, sort_all).events) ops.push_back(e.op);
    CHECK(ops == wanted);
  }
  // A parent of the same start that is late by a whole buffer is out of order, its longer duration tells.
  std::vector<SeenEvent> late(3000, SeenEvent{10, 5, 1});
  late.push_back({10, 6, 2});
  CHECK(Order(late, false).disordered);
  late.back().duration_ps = 5;
  CHECK_FALSE(Order(late, false).disordered);
}

TEST_CASE("times at the limits of int64") {
  const std::vector<SeenEvent> events = {{INT64_MIN, INT64_MAX, 0}, {INT64_MIN, 0, 1}, {0, INT64_MAX, 2}, {INT64_MAX, 0, 3}};
  for (const bool sort_all : {false, true}) {
    CHECK(Order(events, sort_all).events == events);
    CHECK_FALSE(Order(events, sort_all).disordered);
  }
}

TEST_CASE("rows that a reader fills itself count as if they were added") {
  std::vector<SeenEvent> events = Events(4000, kHold, 5);
  for (const bool late : {false, true}) {
    if (late) events.push_back({0, 1, 1});
    RecordingLane recorder;
    LaneOrderer orderer;
    orderer.Start(&recorder, false);
    for (size_t done = 0; done < events.size();) {
      const LaneOrderer::Rows rows = orderer.Reserve(events.size() - done);
      REQUIRE(rows.size >= 1);
      REQUIRE(rows.size <= events.size() - done);
      const size_t n = std::max<size_t>(1, rows.size - rows.size / 3);  // not all that was reserved
      for (size_t i = 0; i < n; ++i) {
        rows.start_ps[i] = events[done + i].start_ps;
        rows.duration_ps[i] = events[done + i].duration_ps;
        rows.op[i] = events[done + i].op;
        rows.flags[i] = events[done + i].flags;
      }
      orderer.Commit(n);
      done += n;
    }
    orderer.Finish();
    CHECK(orderer.disordered() == late);
    if (!late) CHECK(recorder.events == Sorted(events));
  }
}

TEST_CASE("events without a place in time are handed on with their occurrences, in batches of their own") {
  RecordingLane recorder;
  LaneOrderer orderer;
  orderer.Start(&recorder, false);
  for (uint64_t i = 0; i < EventBatch::kMaxEvents + 1; ++i) orderer.AddUntimed(9, 3, EventBatch::kEager, i);
  orderer.Add(5, 6, 7, 0);
  orderer.Finish();
  REQUIRE(recorder.events.size() == EventBatch::kMaxEvents + 2);
  uint64_t occurrences = 0;
  std::vector<SeenEvent> timed;
  for (const SeenEvent& e : recorder.events) {
    if ((e.flags & EventBatch::kOutOfTime) == 0) {
      timed.push_back(e);
      continue;
    }
    CHECK(e.flags == (EventBatch::kEager | EventBatch::kOutOfTime));
    CHECK(e.duration_ps == 9);
    CHECK(e.op == 3);
    occurrences += e.occurrences;
  }
  CHECK(occurrences == 1024 * 1025 / 2);
  CHECK(timed == std::vector<SeenEvent>{{5, 6, 7}});
  CHECK_FALSE(orderer.disordered());
}

TEST_CASE("an orderer starts anew for each lane") {
  std::vector<SeenEvent> events = Events(3000, 0, 2);
  events.push_back({5, 1, 99});
  LaneOrderer orderer;
  for (int round = 0; round < 3; ++round) {
    RecordingLane disordered, sorted;
    orderer.Start(&disordered, false);
    for (const SeenEvent& e : events) orderer.Add(e.start_ps, e.duration_ps, e.op, e.flags);
    orderer.Finish();
    CHECK(orderer.disordered());
    orderer.Start(&sorted, round == 1);
    for (const SeenEvent& e : Sorted(events)) orderer.Add(e.start_ps, e.duration_ps, e.op, e.flags);
    orderer.Finish();
    CHECK_FALSE(orderer.disordered());
    CHECK(sorted.events == Sorted(events));
  }
}

}  // namespace
}  // namespace tfprof::trace
