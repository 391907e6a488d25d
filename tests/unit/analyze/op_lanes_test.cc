// Events of one lane as counts and times of its ops, and what is odd about them (design §3 rules 2 to 4).
#include "analyze/op_lanes.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "support/recording_sink.h"

namespace tfprof::analyze {
namespace {

using namespace tfprof::testing;
using trace::EventBatch;
using trace::Op;
using Intervals = std::vector<std::pair<int64_t, int64_t>>;

// One lane after the other on one plane of three ops; times in ns unless a test says otherwise.
template <typename Lane>
class Reading {
 public:
  explicit Reading(OpTableOptions options = {}) : options_(options), lane_(options_, [this](OpLane*) { ++closed; }) {
    for (const char* name : {"a", "b", "c"}) ops.Intern({"T", name, "", true});
    plane.ops = &ops;
    lane_.Reset({}, &plane);
  }
  // Reads a whole lane and keeps its totals.
  void Read(const std::vector<std::vector<SeenEvent>>& batches) {
    lane_.Reset({}, &plane);
    for (const std::vector<SeenEvent>& batch : batches) Push(batch, &lane_);
    lane_.Finish();
    totals = std::move(lane_.totals());
    busy.clear();
    totals.busy.ForEach([this](int64_t start, int64_t end) { busy.emplace_back(start, end); });
    lane_.Close();
  }
  int64_t self(uint32_t op) const { return static_cast<int64_t>(plane.records[op].self_ps); }
  int64_t total(uint32_t op) const { return static_cast<int64_t>(plane.records[op].total_ps); }
  uint64_t occurrences(uint32_t op) const { return plane.records[op].occurrences; }

  trace::OpDictionary ops;
  PlaneRecords plane;
  LaneTotals totals;
  Intervals busy;
  int closed = 0;

 private:
  OpTableOptions options_;
  Lane lane_;
};

std::vector<SeenEvent> Ns(std::vector<SeenEvent> events) {
  for (SeenEvent& e : events) {
    e.start_ps *= 1000;
    e.duration_ps *= 1000;
  }
  return events;
}

TEST_CASE("a parent's self time is what its children leave") {
  Reading<NestedLane> r;
  r.Read({Ns({{0, 100, 0}, {10, 20, 1}, {15, 5, 2}, {40, 10, 1}}), Ns({{200, 50, 1}})});
  CHECK(r.total(0) == 100'000);
  CHECK(r.self(0) == 70'000);
  CHECK(r.occurrences(1) == 3);
  CHECK(r.total(1) == 80'000);
  CHECK(r.self(1) == 75'000);
  CHECK(r.self(2) == 5'000);
  CHECK(r.busy == Intervals{{0, 100'000}, {200'000, 250'000}});
  CHECK(r.totals.overlaps == 0);
  CHECK(r.totals.any_op);
  CHECK(r.closed == 1);
}

TEST_CASE("recursion: each frame is an occurrence, the total is the union") {
  Reading<NestedLane> r;
  r.Read({Ns({{0, 100, 0}, {10, 50, 0}, {20, 10, 0}, {100, 10, 0}})});
  CHECK(r.occurrences(0) == 4);
  CHECK(r.total(0) == 110'000);
  CHECK(r.self(0) == 110'000);
}

TEST_CASE("events that are no ops are transparent and count for nothing") {
  Reading<NestedLane> r;
  r.Read({Ns({{0, 1000, Op::kNone}, {0, 100, 0}, {10, 80, Op::kNone}, {20, 30, 1}})});
  CHECK(r.self(0) == 70'000);
  CHECK(r.self(1) == 30'000);
  CHECK(r.busy == Intervals{{0, 100'000}});
  Reading<NestedLane> none;
  none.Read({Ns({{0, 1000, Op::kNone}})});
  CHECK_FALSE(none.totals.any_op);
  CHECK(none.busy.empty());
  CHECK(none.plane.touched.empty());
}

TEST_CASE("on partial overlap the earlier keeps its total and loses the overlap; the first place is kept") {
  Reading<NestedLane> r;
  r.Read({Ns({{0, 100, 0}, {60, 100, 1}, {300, 100, 0}, {350, 100, 1}})});
  CHECK(r.total(0) == 200'000);
  CHECK(r.self(0) == 110'000);
  CHECK(r.self(1) == 200'000);
  CHECK(r.totals.overlaps == 2);
  CHECK(r.totals.first_overlap_ps == 60'000);
  CHECK(r.busy == Intervals{{0, 160'000}, {300'000, 450'000}});
}

TEST_CASE("a child that ends a little late is a child: its overhang is its own, and no overlap") {
  Reading<NestedLane> r;
  r.Read({{{0, 100'000, 0}, {50'000, 60'000, 1}}});  // 10 ns late, as much as is tolerated
  CHECK(r.self(0) == 50'000);
  CHECK(r.total(1) == 60'000);
  CHECK(r.self(1) == 60'000);
  CHECK(r.totals.overlaps == 0);
  Reading<NestedLane> more;
  more.Read({{{0, 100'000, 0}, {50'000, 60'001, 1}}});
  CHECK(more.totals.overlaps == 1);
}

TEST_CASE("instants, twins and events that end together are all there") {
  Reading<NestedLane> r;
  r.Read({{{0, 100, 0}, {0, 100, 1}, {50, 50, 2}, {100, 0, 2}, {100, 0, 2}}});
  CHECK(r.occurrences(0) == 1);
  CHECK(r.self(0) == 0);
  CHECK(r.self(1) == 50);
  CHECK(r.occurrences(2) == 3);
  CHECK(r.self(2) == 50);
  CHECK(r.total(2) == 50);
}

TEST_CASE("ages at the limits of int64 don't overflow") {
  Reading<NestedLane> r;
  r.Read({{{INT64_MIN, INT64_MAX, 0}, {0, INT64_MAX, 0}, {1, INT64_MAX - 1, 1}}});
  CHECK(r.plane.records[0].total_ps == int128{INT64_MAX} * 2);
  CHECK(r.plane.records[0].self_ps == int128{INT64_MAX} + 1);
  CHECK(r.self(1) == INT64_MAX - 1);
}

TEST_CASE("lanes add up on their plane, each with a nesting of its own") {
  Reading<NestedLane> r;
  r.Read({{{0, 100, 0, EventBatch::kEager}}});
  r.Read({{{50, 100, 0}, {60, 10, 1}}});
  CHECK(r.occurrences(0) == 2);
  CHECK(r.total(0) == 200);
  CHECK(r.self(0) == 190);
  CHECK(r.plane.records[0].eager);
  CHECK_FALSE(r.plane.records[1].eager);
  CHECK(r.plane.touched == std::vector<uint32_t>{0, 1});
  CHECK(r.busy == Intervals{{50, 150}});
}

TEST_CASE("ops that are found while the lane is read have room") {
  Reading<NestedLane> r;
  r.Read({{{0, 10, 0}}});
  const uint32_t late = r.ops.Intern({"T", "late", "", true});
  r.Read({{{0, 10, late}}});
  CHECK(r.total(late) == 10);
}

TEST_CASE("ops of one cover group share a total") {
  Reading<NestedLane> r;
  r.plane.cover_group_of = [](uint32_t op) { return op == 2 ? 1u : 0u; };
  r.Read({{{0, 100, 0}, {10, 50, 1}, {20, 10, 2}}});
  CHECK(r.total(0) + r.total(1) == 100);
  CHECK(r.total(2) == 10);
  CHECK(r.self(0) == 50);
  CHECK(r.self(1) == 40);
  r.Read({{{0, 100, 1}}});  // another lane, another union
  CHECK(r.total(0) + r.total(1) == 200);
}

TEST_CASE("untimed events count in their row only") {
  const std::vector<std::vector<SeenEvent>> batches = {{{0, 100, 0}, {20, 70, 1, EventBatch::kOutOfTime, 5}}};
  Reading<NestedLane> nested;
  Reading<StreamLane> stream;
  nested.Read(batches);
  stream.Read(batches);
  CHECK(nested.self(0) == 100);
  CHECK(nested.occurrences(1) == 5);
  CHECK(nested.self(1) == 70);
  CHECK(nested.total(1) == 70);
  CHECK(nested.busy == Intervals{{0, 100}});
  CHECK(stream.occurrences(1) == 5);
  CHECK(stream.self(1) == 70);
  CHECK(stream.totals.overlaps == 0);
  CHECK(stream.busy == Intervals{{0, 100}});
}

TEST_CASE("a window clips events; what lies outside or only touches its start isn't there") {
  OpTableOptions options;
  options.from_ps = 100;
  options.to_ps = 200;
  const std::vector<std::vector<SeenEvent>> batches = {{{0, 100, 2},
                                                        {50, 100, 0},
                                                        {100, 0, 1},
                                                        {100, 5, 1},
                                                        {190, 100, 0},
                                                        {200, 0, 2},
                                                        {200, 5, 2},
                                                        {0, 9, 2, EventBatch::kOutOfTime}}};
  Reading<NestedLane> nested(options);
  Reading<StreamLane> stream(options);
  nested.Read(batches);
  stream.Read(batches);
  CHECK(nested.total(0) == 60);
  CHECK(nested.self(0) == 55);
  CHECK(nested.occurrences(1) == 2);
  CHECK(nested.total(1) == 5);
  CHECK(nested.occurrences(2) == 0);
  CHECK(stream.total(0) == 60);
  CHECK(stream.self(0) == 60);
  CHECK(stream.occurrences(1) == 2);
  CHECK(stream.occurrences(2) == 0);
  CHECK(nested.busy == Intervals{{100, 150}, {190, 200}});
  CHECK(stream.busy == Intervals{{100, 150}, {190, 200}});
}

TEST_CASE("distributions are of single events, clipped ones as they are clipped") {
  OpTableOptions options;
  options.distribution = true;
  options.to_ps = 1000;
  Reading<NestedLane> nested(options);
  nested.Read({{{0, 10, 0}, {20, 30, 0}, {990, 100, 0}, {995, 1, 1}}});
  REQUIRE(nested.plane.records[0].durations != nullptr);
  CHECK(nested.plane.records[0].durations->count() == 3);
  CHECK(nested.plane.records[0].durations->min() == 10);
  CHECK(nested.plane.records[0].durations->max() == 30);
  Reading<StreamLane> stream(options);
  stream.Read({{{990, 100, 0}}});
  CHECK(stream.plane.records[0].durations->max() == 10);
  Reading<StreamLane> plain;
  plain.Read({{{0, 10, 0}}});
  CHECK(plain.plane.records[0].durations == nullptr);
}

TEST_CASE("records of two readings add up") {
  OpRecord a, b;
  a.total_ps = a.self_ps = INT64_MAX;
  a.occurrences = 1;
  b.total_ps = INT64_MAX;
  b.self_ps = 5;
  b.occurrences = 2;
  b.eager = true;
  b.durations = std::make_unique<QuantileSketch>();
  b.durations->Add(7, 2);
  a.Add(b);
  a.Add(OpRecord());
  CHECK(a.total_ps == int128{INT64_MAX} * 2);
  CHECK(a.self_ps == int128{INT64_MAX} + 5);
  CHECK(a.occurrences == 3);
  CHECK(a.eager);
  REQUIRE(a.durations != nullptr);
  CHECK(a.durations->count() == 2);
}

TEST_CASE("on a stream nothing nests: self is total is duration, and the union is busy") {
  Reading<StreamLane> r;
  r.Read({{{0, 100, 0}, {50, 100, 1}, {150, 10, 0}, {300, 10, Op::kNone}}});
  CHECK(r.total(0) == 110);
  CHECK(r.self(0) == 110);
  CHECK(r.self(1) == 100);
  CHECK(r.busy == Intervals{{0, 160}});
  CHECK(r.totals.overlaps == 1);
  CHECK(r.totals.first_overlap_ps == 50);
  CHECK(r.totals.overruns == 0);
}

TEST_CASE("an event that covers the starts of two later ones runs over them, and counts once") {
  Reading<StreamLane> r;
  r.Read({{{0, 10, 1}, {20, 100, 0}, {30, 5, 1}, {40, 5, 1}, {50, 5, 1}, {200, 5, 1}}});
  CHECK(r.totals.overruns == 1);
  CHECK(r.totals.first_overrun_ps == 20);
  CHECK(r.totals.overlaps == 1);
  r.Read({{{0, 100, 0}, {30, 5, 1}, {100, 5, 1}, {105, 5, 1}}});  // one start inside, one at the very end
  CHECK(r.totals.overruns == 0);
  r.Read({{{0, 100, 0}, {0, 100, 1}}});  // twins overlap wholly
  CHECK(r.totals.overlaps == 0);
}

TEST_CASE("unattributed events are summed") {
  Reading<StreamLane> r;
  r.Read({{{0, 10, 0, EventBatch::kUnattributed}, {20, 5, 0}, {30, 7, 1, EventBatch::kUnattributed}}});
  CHECK(r.totals.unattributed_ps == 17);
  CHECK(r.self(0) == 15);
}

}  // namespace
}  // namespace tfprof::analyze
