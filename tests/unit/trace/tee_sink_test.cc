// One reading for several analyses: each gets all that it wants, none what it doesn't.
#include "trace/tee_sink.h"

#include <catch2/catch.hpp>

#include "support/recording_sink.h"

namespace tfprof::trace {
namespace {

using namespace tfprof::testing;

LaneInfo Named(std::string_view name) {
  LaneInfo info;
  info.name = name;
  return info;
}

TEST_CASE("events and ends reach every sink that opened the lane") {
  RecordingSink a, b, no;
  no.wants_lanes = false;
  TeeSink tee({&a, &no, &b});
  LaneConsumer* lane = tee.Open(Named("t"));
  REQUIRE(lane != nullptr);
  const std::vector<SeenEvent> events = {{5, 6, 7, EventBatch::kEager, 1}, {8, 9, 1, 0, 3}};
  Push(events, lane);
  Push({}, lane);
  lane->Close();
  for (const RecordingSink* sink : {&a, &b}) {
    REQUIRE(sink->lanes.size() == 1);
    CHECK(sink->names == std::vector<std::string>{"t"});
    CHECK(sink->lanes[0]->events == events);
    CHECK(sink->lanes[0]->batch_sizes == std::vector<size_t>{2, 0});
    CHECK(sink->lanes[0]->closed == 1);
  }
  OpDictionary ops;
  tee.EndPlane(ops);
  for (const RecordingSink* sink : {&a, &b, &no}) CHECK(sink->ended == std::vector<const OpDictionary*>{&ops});
}

TEST_CASE("a lane that nobody wants isn't opened") {
  RecordingSink no;
  no.wants_lanes = false;
  CHECK(TeeSink({&no, &no}).Open(Named("t")) == nullptr);
  CHECK(TeeSink({}).Open(Named("t")) == nullptr);
  TeeSink tee({&no});
  CHECK(tee.Open(Named("t")) == nullptr);
  no.wants_lanes = true;
  CHECK(tee.Open(Named("t")) != nullptr);
}

TEST_CASE("several lanes may be open at once, and used again after they are closed") {
  RecordingSink sink;
  TeeSink tee({&sink});
  LaneConsumer* first = tee.Open(Named("first"));
  LaneConsumer* second = tee.Open(Named("second"));
  REQUIRE(first != second);
  Push({{1, 1, 1}}, first);
  Push({{2, 2, 2}}, second);
  first->Close();
  LaneConsumer* third = tee.Open(Named("third"));
  Push({{3, 3, 3}}, third);
  Push({{4, 4, 4}}, second);
  second->Close();
  third->Close();
  REQUIRE(sink.lanes.size() == 3);
  CHECK(sink.lanes[0]->events == std::vector<SeenEvent>{{1, 1, 1}});
  CHECK(sink.lanes[1]->events == std::vector<SeenEvent>{{2, 2, 2}, {4, 4, 4}});
  CHECK(sink.lanes[2]->events == std::vector<SeenEvent>{{3, 3, 3}});
  for (const auto& lane : sink.lanes) CHECK(lane->closed == 1);
}

}  // namespace
}  // namespace tfprof::trace
