// The cheap look for eager ops: never misses one that the event graph would find (reference: op_stats.md §6).
#include "formats/xplane/eager_reach.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

constexpr int64_t kEager = 1, kOp = 2, kOther = 3, kProcess = 4, kJax = 5;
constexpr int64_t kIsFunc = 10, kCorrelation = 11, kProducerType = 12, kProducer = 13, kConsumerType = 14,
                  kConsumer = 15;

std::string Names() {
  return EventName(kEager, "EagerExecute") + EventName(kOp, "a:A") + EventName(kOther, "other") +
         EventName(kProcess, "ExecutorState::Process") + EventName(kJax, "f:add") + StatName(kIsFunc, "is_func") +
         StatName(kCorrelation, "correlation_id") + StatName(kProducerType, "_pt") + StatName(kProducer, "_p") +
         StatName(kConsumerType, "_ct") + StatName(kConsumer, "_c");
}

EagerHints Hints(const std::string& lines) {
  const std::string bytes = EncodePlane("/host:CPU", lines + Names());
  const Layout layout = ReadLayout(bytes);
  const Plane& plane = layout.planes.at(0);
  REQUIRE(EagerReach::Concerns(plane));
  EagerReach reach(plane);
  for (const Line& line : plane.lines) {
    reach.StartLine(line);
    EventCursor cursor(line.body, &reach.filter());
    for (Event event; cursor.Next(&event);) reach.See(event);
  }
  return reach.hints();
}
bool Reaches(const std::string& events) { return Hints(EncodeLine(1, "t", events)).reaches_op; }

const std::string kEagerly = EncodeEvent(kEager, 0, 100, IntStat(kIsFunc, 0));

TEST_CASE("only planes that know the very name can hold an EagerExecute") {
  const auto concerns = [](const std::string& names) {
    return EagerReach::Concerns(ReadLayout(EncodePlane("p", names)).planes.at(0));
  };
  CHECK(concerns(Names()));
  CHECK_FALSE(concerns(EventName(1, "EagerExecute: MatMul") + EventName(2, "eagerexecute")));
  CHECK_FALSE(concerns(""));
}

TEST_CASE("an op, an executor or a launch within an eager call is reached") {
  CHECK(Reaches(kEagerly + EncodeEvent(kOp, 10, 5)));
  CHECK(Reaches(kEagerly + EncodeEvent(kProcess, 10, 5)));
  CHECK(Reaches(kEagerly + EncodeEvent(kOther, 10, 5, IntStat(kCorrelation, 7))));
  CHECK(Reaches(kEagerly + EncodeEvent(kOther, 10, 50) + EncodeEvent(kOp, 20, 5)));
  CHECK(Reaches(kEagerly + EncodeEvent(kOp, 100, 0)));  // ends are inclusive
}

TEST_CASE("every metadata entry of the name counts") {
  const std::string twice = EventName(99, "EagerExecute") +
                            EncodeLine(1, "t", EncodeEvent(99, 0, 100, IntStat(kIsFunc, 0)) + EncodeEvent(kOp, 10, 5));
  CHECK(Hints(twice).reaches_op);
}

TEST_CASE("what is not below an eager call is not reached") {
  CHECK_FALSE(Reaches(kEagerly));
  CHECK_FALSE(Reaches(EncodeEvent(kOp, 0, 5) + kEagerly));
  CHECK_FALSE(Reaches(kEagerly + EncodeEvent(kOp, 101, 5)));
  CHECK_FALSE(Reaches(kEagerly + EncodeEvent(kOther, 10, 5) + EncodeEvent(kJax, 20, 5)));
  CHECK_FALSE(Hints(EncodeLine(1, "t", kEagerly) + EncodeLine(2, "u", EncodeEvent(kOp, 10, 5))).reaches_op);
}

TEST_CASE("a call of a function, or one that doesn't say, is not eager; the int64 slot decides") {
  const std::string op = EncodeEvent(kOp, 10, 5);
  CHECK_FALSE(Reaches(EncodeEvent(kEager, 0, 100, IntStat(kIsFunc, 1)) + op));
  CHECK_FALSE(Reaches(EncodeEvent(kEager, 0, 100) + op));
  CHECK(Reaches(EncodeEvent(kEager, 0, 100, EventStat(UintValue(kIsFunc, 1))) + op));
}

TEST_CASE("calls one after the other, overlapping and nested ones reach as far as any") {
  const std::string inner = EncodeEvent(kEager, 10, 20, IntStat(kIsFunc, 0));
  CHECK(Reaches(kEagerly + inner + EncodeEvent(kOp, 90, 5)));
  CHECK(Reaches(kEagerly + EncodeEvent(kEager, 50, 100, IntStat(kIsFunc, 0)) + EncodeEvent(kOp, 140, 5)));
  CHECK(Reaches(kEagerly + EncodeEvent(kEager, 500, 100, IntStat(kIsFunc, 0)) + EncodeEvent(kOp, 590, 5)));
  CHECK_FALSE(Reaches(kEagerly + inner + EncodeEvent(kOp, 500, 5)));
  const std::string function = EncodeEvent(kEager, 500, 100, IntStat(kIsFunc, 1));
  CHECK_FALSE(Reaches(kEagerly + function + EncodeEvent(kOp, 510, 5)));
  CHECK(Reaches(kEagerly + function + EncodeEvent(kEager, 700, 9, IntStat(kIsFunc, 0)) + EncodeEvent(kOp, 701, 5)));
}

std::string Flow(int64_t type_stat, int64_t type, int64_t id_stat, int64_t id) {
  return IntStat(type_stat, type) + IntStat(id_stat, id);
}

TEST_CASE("flows that are made within an eager call lead on, if any event of the file takes them") {
  const std::string made = Flow(kProducerType, 1, kProducer, -7);
  const EagerHints hints = Hints(EncodeLine(1, "t", kEagerly + EncodeEvent(kOther, 10, 5, made)));
  CHECK_FALSE(hints.reaches_op);
  CHECK(hints.flows == std::set<std::pair<uint64_t, uint64_t>>{{1, uint64_t{0} - 7}});
  CHECK(Hints(EncodeLine(1, "t", kEagerly + EncodeEvent(kOther, 200, 5, made))).flows.empty());
  CHECK(Hints(EncodeLine(1, "t", EncodeEvent(kEager, 0, 9, IntStat(kIsFunc, 0) + made))).flows.size() == 1);
  const auto taken = [&](const std::string& stats) {
    const std::string bytes =
        EncodePlane("/host:CPU", Names()) +
        EncodePlane("/device:GPU:0",
                    EncodeLine(1, "s", EncodeEvent(kOther, 1, 1) + EncodeEvent(kOther, 1, 1, stats)) + Names());
    return AnyEventTakes(ReadLayout(bytes), hints);
  };
  CHECK(taken(Flow(kConsumerType, 1, kConsumer, -7)));
  CHECK_FALSE(taken(Flow(kConsumerType, 2, kConsumer, -7)));
  CHECK_FALSE(taken(Flow(kConsumerType, 1, kConsumer, 7)));
  CHECK_FALSE(taken(IntStat(kConsumer, -7)));
  CHECK_FALSE(AnyEventTakes(ReadLayout(""), hints));
}

TEST_CASE("hints of lines, planes and threads add up") {
  EagerHints a, b;
  a.flows = {{1, 2}};
  b.flows = {{1, 2}, {3, 4}};
  b.reaches_op = true;
  a.Merge(b);
  a.Merge(EagerHints());
  CHECK(a.reaches_op);
  CHECK(a.flows.size() == 2);
}

TEST_CASE("begins wrap at 64 bits as XProf's do") {
  const std::string bytes =
      EncodeLine(1, "t", EncodeEvent(kEager, -50, 100, IntStat(kIsFunc, 0)) + EncodeEvent(kOp, 40, 5), 1);
  CHECK(Hints(bytes).reaches_op);
}

}  // namespace
}  // namespace tfprof::xplane
