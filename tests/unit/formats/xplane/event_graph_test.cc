// Who is whose parent to XProf's grouping, and what follows from it (reference: op_stats.md §6).
#include "formats/xplane/event_graph.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

constexpr int64_t kEager = 1, kOp = 2, kOther = 3, kProcess = 4, kGetNext = 5, kContext = 6, kData = 7;
constexpr int64_t kIsFunc = 10, kCorrelation = 11, kProducerType = 12, kProducer = 13, kConsumerType = 14, kConsumer = 15,
                  kPid = 16, kAsync = 17, kId = 18, kIter = 19, kRoot = 20;

std::string Names() {
  return EventName(kEager, "EagerExecute") + EventName(kOp, "a:A") + EventName(kOther, "other") +
         EventName(kProcess, "ExecutorState::Process") + EventName(kGetNext, "IteratorGetNextOp::DoCompute") +
         EventName(kContext, "TraceContext") + EventName(kData, "InstantiatedCapturedFunction::Run") +
         StatName(kIsFunc, "is_func") + StatName(kCorrelation, "correlation_id") + StatName(kProducerType, "_pt") +
         StatName(kProducer, "_p") + StatName(kConsumerType, "_ct") + StatName(kConsumer, "_c") + StatName(kPid, "_pid") +
         StatName(kAsync, "_a") + StatName(kId, "id") + StatName(kIter, "iter_num") + StatName(kRoot, "_r");
}
std::string Host(const std::string& lines) { return EncodePlane("/host:CPU", lines + Names()); }
std::string Gpu(const std::string& events) { return EncodePlane("/device:GPU:0", EncodeLine(1, "s", events) + Names()); }

// A graph with the bytes that it is of; nodes are numbered as events stand in the file.
struct Graph {
  explicit Graph(std::string file) : bytes(std::move(file)), layout(ReadLayout(bytes)), graph(layout) {}
  // One digit or mark for each node: "10" means the first is eager, the second not.
  std::string Eager() const {
    std::string text;
    for (uint32_t n = 0; n < graph.nodes().size(); ++n) text += graph.IsEager(n) ? '1' : '0';
    return text;
  }
  std::string Groups() {
    graph.AssignGroups();
    std::string text;
    for (const EventGraph::Node& node : graph.nodes()) text += node.group == kNoEventGroup ? "-" : std::to_string(node.group);
    return text;
  }
  std::vector<uint32_t> NestedIn() const {
    std::vector<uint32_t> parents;
    for (const EventGraph::Node& node : graph.nodes()) parents.push_back(node.nested_in);
    return parents;
  }

  std::string bytes;
  Layout layout;
  EventGraph graph;
};

Graph OfLine(const std::string& events) { return Graph(Host(EncodeLine(1, "t", events))); }

const std::string kEagerly = EncodeEvent(kEager, 0, 100, IntStat(kIsFunc, 0));
const std::string kFunction = EncodeEvent(kEager, 0, 100, IntStat(kIsFunc, 1));
std::string Flow(int64_t type_stat, int64_t id_stat, int64_t id) { return IntStat(type_stat, 5) + IntStat(id_stat, id); }
std::string Makes(int64_t id) { return Flow(kProducerType, kProducer, id); }
std::string Takes(int64_t id) { return Flow(kConsumerType, kConsumer, id); }
std::string Step(int64_t id, int64_t iteration) { return IntStat(kId, id) + IntStat(kIter, iteration); }

TEST_CASE("an event nests in the innermost of its line around it, ends included") {
  constexpr uint32_t kNone = EventGraph::kNone;
  CHECK(OfLine(EncodeEvent(kOther, 0, 100) + EncodeEvent(kOther, 10, 50) + EncodeEvent(kOther, 10, 50) +
               EncodeEvent(kOther, 60, 40) + EncodeEvent(kOther, 90, 20) + EncodeEvent(kOther, 110, 0))
            .NestedIn() == std::vector<uint32_t>{kNone, 0, 1, 0, kNone, 4});
  CHECK(Graph("").graph.nodes().empty());
}

TEST_CASE("lines are apart, and asynchronous events take no part in nesting") {
  constexpr uint32_t kNone = EventGraph::kNone;
  CHECK(Graph(Host(EncodeLine(1, "t", EncodeEvent(kOther, 0, 100)) + EncodeLine(2, "u", EncodeEvent(kOther, 1, 2)))).NestedIn() ==
        std::vector<uint32_t>{kNone, kNone});
  CHECK(OfLine(EncodeEvent(kOther, 0, 100) + EncodeEvent(kOther, 10, 50, IntStat(kAsync, 1)) + EncodeEvent(kOther, 20, 5) +
               EncodeEvent(kOther, 30, 5, IntStat(kAsync, 0)))
            .NestedIn() == std::vector<uint32_t>{kNone, kNone, 0, 0});
}

TEST_CASE("nodes know where they stand and what they are") {
  const Graph graph(Host(EncodeLine(1, "t", EncodeEvent(kOther, 5, 6) + EncodeEvent(kOp, 7, 8, Step(-3, 4)), 2)) +
                    Gpu(EncodeEvent(kOther, 1, 1, EventStat(UintValue(kCorrelation, 9)))));
  REQUIRE(graph.graph.nodes().size() == 3);
  const EventGraph::Node &op = graph.graph.nodes()[1], &kernel = graph.graph.nodes()[2];
  CHECK(op.begin_ps == 2007);
  CHECK(op.end_ps == 2015);
  CHECK(op.ordinal == 1);
  CHECK(op.kind == EventKind::kTfOp);
  CHECK(op.step_int64() == -3);
  CHECK(op.iteration_int64() == 4);
  CHECK(kernel.plane == 1);
  CHECK(kernel.kind == EventKind::kExecute);
  CHECK_FALSE(kernel.has_step_id);
}

TEST_CASE("eager is what the nearest EagerExecute around says, the event itself included") {
  CHECK(OfLine(kEagerly + EncodeEvent(kOp, 10, 5) + EncodeEvent(kOp, 200, 5)).Eager() == "110");
  CHECK(OfLine(kFunction + EncodeEvent(kOp, 10, 5)).Eager() == "00");
  CHECK(OfLine(EncodeEvent(kEager, 0, 100) + EncodeEvent(kOp, 10, 5)).Eager() == "00");
  CHECK(OfLine(EncodeEvent(kEager, 0, 100, EventStat(UintValue(kIsFunc, 1))) + EncodeEvent(kOp, 10, 5)).Eager() == "11");
  CHECK(OfLine(kEagerly + EncodeEvent(kEager, 10, 50, IntStat(kIsFunc, 1)) + EncodeEvent(kOp, 20, 5)).Eager() == "100");
  CHECK(OfLine(kFunction + EncodeEvent(kEager, 10, 50, IntStat(kIsFunc, 0)) + EncodeEvent(kOp, 20, 5)).Eager() == "011");
}

TEST_CASE("a kernel hangs under the last launch of its correlation id, whatever the slots") {
  const std::string launch = EncodeEvent(kOther, 10, 5, EventStat(UintValue(kCorrelation, 7)));
  const std::string kernel = Gpu(EncodeEvent(kOther, 500, 5, IntStat(kCorrelation, 7)) + EncodeEvent(kOther, 600, 5, IntStat(kCorrelation, 8)));
  CHECK(Graph(Host(EncodeLine(1, "t", kEagerly + launch)) + kernel).Eager() == "1110");
  const std::string again = EncodeEvent(kOther, 300, 5, IntStat(kCorrelation, 7));
  CHECK(Graph(Host(EncodeLine(1, "t", kEagerly + launch + again)) + kernel).Eager() == "11000");
}

TEST_CASE("flows lead from who makes to who takes, within one process") {
  const std::string maker = kEagerly + EncodeEvent(kOther, 10, 5, Makes(7));
  const auto eager = [&](const std::string& stats) {
    return Graph(Host(EncodeLine(1, "t", maker) + EncodeLine(2, "u", EncodeEvent(kOther, 500, 50, stats) + EncodeEvent(kOp, 510, 5)))).Eager();
  };
  CHECK(eager(Takes(7)) == "1111");
  CHECK(eager(Takes(8)) == "1100");
  CHECK(eager(IntStat(kConsumerType, 6) + IntStat(kConsumer, 7)) == "1100");
  CHECK(eager(Takes(7) + IntStat(kPid, 3)) == "1100");
  CHECK(eager("") == "1100");
}

TEST_CASE("nesting is nearer than a flow, being looked at first") {
  const std::string taker = EncodeEvent(kEager, 0, 100, IntStat(kIsFunc, 1)) + EncodeEvent(kOp, 10, 5, Takes(7));
  const std::string maker = EncodeEvent(kEager, 0, 100, IntStat(kIsFunc, 0) + Makes(7));
  CHECK(Graph(Host(EncodeLine(1, "t", maker) + EncodeLine(2, "u", taker))).Eager() == "100");
}

TEST_CASE("a flow with 64 makers and 64 takers links nothing, with fewer of either it does") {
  for (const int takers : {63, 64}) {
    std::string made, taken;
    for (int i = 0; i < 64; ++i) made += EncodeEvent(kEager, i * 10, 5, IntStat(kIsFunc, 0) + Makes(7));
    for (int i = 0; i < takers; ++i) taken += EncodeEvent(kOp, i * 10, 5, Takes(7));
    const std::string eager = Graph(Host(EncodeLine(1, "t", made) + EncodeLine(2, "u", taken))).Eager();
    CHECK(eager.substr(64) == std::string(static_cast<size_t>(takers), takers == 64 ? '0' : '1'));
  }
}

TEST_CASE("a process event leads to what gets its next element in the same step and iteration") {
  const auto eager = [](const std::string& step) {
    return Graph(Host(EncodeLine(1, "t", kEagerly + EncodeEvent(kProcess, 10, 5, Step(3, 0))) +
                      EncodeLine(2, "u", EncodeEvent(kGetNext, 500, 50, step) + EncodeEvent(kOp, 510, 5))))
        .Eager();
  };
  CHECK(eager(Step(3, 0)) == "1111");
  CHECK(eager(Step(3, 1)) == "1100");
  CHECK(eager(IntStat(kId, 3)) == "1100");
}

TEST_CASE("links may form a circle") {
  CHECK(OfLine(EncodeEvent(kOp, 0, 5, Makes(1) + Takes(2)) + EncodeEvent(kOp, 10, 5, Makes(2) + Takes(1))).Eager() == "00");
}

TEST_CASE("what a root reaches is its group; roots are numbered by their begin") {
  const std::string root = IntStat(kRoot, 1);
  CHECK(OfLine(EncodeEvent(kOther, 100, 50, root) + EncodeEvent(kOp, 110, 5) + EncodeEvent(kOp, 300, 5)).Groups() == "00-");
  CHECK(Graph(Host(EncodeLine(1, "t", EncodeEvent(kOther, 100, 50, root) + EncodeEvent(kOp, 110, 5)) +
                   EncodeLine(2, "u", EncodeEvent(kOther, 0, 50, root) + EncodeEvent(kOp, 10, 5))))
            .Groups() == "1100");
  CHECK(OfLine(EncodeEvent(kOp, 0, 5)).Groups() == "-");
  CHECK(OfLine(EncodeEvent(kOther, 0, 5, IntStat(kRoot, 0))).Groups() == "-");
}

TEST_CASE("a trace context is a root; one inside another of its level is none of its own") {
  CHECK(OfLine(EncodeEvent(kContext, 0, 50) + EncodeEvent(kContext, 10, 20) + EncodeEvent(kContext, 100, 20)).Groups() == "001");
  CHECK(OfLine(EncodeEvent(kOther, 0, 50, IntStat(kRoot, 1)) + EncodeEvent(kOther, 10, 20, IntStat(kRoot, 2))).Groups() == "10");
}

TEST_CASE("executor events of an iteration hang under the first, where a step has more than iteration 0") {
  const auto events = [](int64_t last) {
    return EncodeEvent(kProcess, 0, 5, Step(3, 0)) + EncodeEvent(kProcess, 10, 5, Step(3, 0)) +
           EncodeEvent(kProcess, 20, 5, Step(3, last)) + EncodeEvent(kOp, 22, 1);
  };
  CHECK(OfLine(events(1)).Groups() == "0011");
  CHECK(OfLine(events(0)).Groups() == "----");
  // A run of tf.data is no training loop.
  CHECK(OfLine(events(1) + EncodeEvent(kData, 100, 5, IntStat(kId, 3))).Groups() == "-----");
}

std::string Tpu(const std::string& steps, const std::string& modules) {
  return EncodePlane("/device:TPU:0", EncodeLine(1, "Steps", steps) + EncodeLine(2, "XLA Modules", modules) + Names());
}

TEST_CASE("of a TPU plane the steps are nodes; without a host root all of them are groups") {
  const std::string steps = EncodeEvent(kOther, 0, 100) + EncodeEvent(kOther, 100, 100);
  CHECK(Graph(Tpu(steps, EncodeEvent(kOther, 10, 5))).Groups() == "01");
  CHECK(Graph(Tpu("", EncodeEvent(kOther, 10, 5))).Groups() == "0");  // no steps: the modules
  CHECK(Graph(Tpu("", "")).Groups().empty());
}

TEST_CASE("what lies in a step takes flows on its behalf; once a step is reached the others have no group") {
  const std::string steps = EncodeEvent(kOther, 0, 100) + EncodeEvent(kOther, 100, 100);
  const std::string host = Host(EncodeLine(1, "t", EncodeEvent(kOther, 0, 9, IntStat(kRoot, 1) + Makes(7))));
  CHECK(Graph(host + Tpu(steps, EncodeEvent(kOther, 110, 5, Takes(7)))).Groups() == "0-0");
}

}  // namespace
}  // namespace tfprof::xplane
