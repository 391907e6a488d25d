#include "analyze/event_rows.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/xplane/event_stream.h"
#include "support/xspace_builder.h"

namespace tfprof::analyze {
namespace {

using namespace tfprof::testing;

// `name type|op start+duration`, a view in brackets.
std::vector<std::string> Rows(const std::string& bytes, const EventSelection& selection, int64_t trace_start_ps = 0) {
  std::vector<std::string> rows;
  EventRows sink(selection, [&](const EventRow& row) {
    std::string text = std::string(row.name) + " " + std::string(row.op_type) + "|" + std::string(row.op_name) + " " +
                       std::to_string(row.start_ps.value_or(-1)) + "+" + std::to_string(row.duration_ps);
    rows.push_back(row.view ? "[" + text + "]" : text);
  });
  const xplane::Layout layout = xplane::ReadLayout(bytes, true);
  trace::EventSink* sinks[] = {&sink};
  xplane::ReadPlan plan;
  plan.thorough_layout = true;
  Diagnostics diagnostics;
  REQUIRE(xplane::StreamEvents(layout, {.path = "x.pb", .host = "h"}, 0, {.trace_start_ps = trace_start_ps}, sinks, &plan,
                               &diagnostics) == xplane::ReadOutcome::kDone);
  return rows;
}

const std::string kFile =
    EncodePlane("/host:CPU", EncodeLine(1, "t", EncodeEvent(1, 0, 100) + EncodeEvent(2, 10, 20)) +
                                 EventName(1, "frame") + EventName(2, "a/b:MatMul")) +
    EncodePlane("/device:GPU:0", EncodeLine(7, "s", EncodeEvent(1, 40, 5, TextStat(1, "a/b:MatMul")) + EncodeEvent(1, 60, 5)) +
                                     EventName(1, "gemm") + StatName(1, "tf_op"));

TEST_CASE("every event is a row with the op that it belongs to") {
  CHECK(Rows(kFile, {}) == std::vector<std::string>{"frame | 0+100", "a/b:MatMul MatMul|a/b 10+20", "gemm MatMul|a/b 40+5",
                                                    "gemm | 60+5"});
}

TEST_CASE("times count from the trace's start") {
  // The op of an event counts as well as its name.
  CHECK(Rows(kFile, {.include = {"^MatMul$"}}, 4) ==
        std::vector<std::string>{"a/b:MatMul MatMul|a/b 6+20", "gemm MatMul|a/b 36+5"});
  CHECK(Rows(kFile, {.include = {":MatMul"}}, 4) == std::vector<std::string>{"a/b:MatMul MatMul|a/b 6+20"});
}

TEST_CASE("events are chosen by side, name and time, and shown whole") {
  CHECK(Rows(kFile, {.side = Side::kDevice}).size() == 2);
  CHECK(Rows(kFile, {.exclude = {"^gemm$", "Mat"}}) == std::vector<std::string>{"frame | 0+100"});
  CHECK(Rows(kFile, {.from_ps = 30, .to_ps = 45}) == std::vector<std::string>{"frame | 0+100", "gemm MatMul|a/b 40+5"});
}

TEST_CASE("of a TPU all lines but those of its ops are views") {
  const auto line = [](int64_t id, std::string_view name) { return EncodeLine(id, name, EncodeEvent(1, id, 5)); };
  CHECK(Rows(EncodePlane("/device:TPU:0", line(1, "Steps") + line(2, "XLA Ops") + line(3, "Async XLA Ops") +
                                              line(4, "XLA TraceMe") + EventName(1, "e")),
             {}) == std::vector<std::string>{"[e | 1+5]", "e | 2+5", "[e | 3+5]", "[e | 4+5]"});
}

}  // namespace
}  // namespace tfprof::analyze
