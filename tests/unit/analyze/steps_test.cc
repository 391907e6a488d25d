#include "analyze/steps.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "analyze/input_analysis.h"
#include "analyze/overview.h"
#include "formats/xplane/event_stream.h"
#include "support/xspace_builder.h"

namespace tfprof::analyze {
namespace {

using namespace tfprof::testing;
using A = StepActivity;

Steps ReadFile(const std::string& bytes, Compat compat, uint32_t file = 0, std::string_view host = "h") {
  const xplane::Layout layout = xplane::ReadLayout(bytes, true);
  Steps steps(compat);
  trace::EventSink* sinks[] = {&steps};
  xplane::ReadPlan plan;
  plan.thorough_layout = true;
  Diagnostics diagnostics;
  REQUIRE(xplane::StreamEvents(layout, {.path = "x.pb", .host = std::string(host)}, file, {true, true}, sinks, &plan,
                               &diagnostics) == xplane::ReadOutcome::kDone);
  return steps;
}

StepsResult Read(const std::string& bytes, Compat compat = Compat::kNone) {
  return std::move(ReadFile(bytes, compat)).Finish();
}

// Saved with groups: every event has its group.
std::string Grouped(int64_t name, int64_t from, int64_t to, int64_t group, std::string_view more = "") {
  return EncodeEvent(name, from, to - from, IntStat(1, group) + std::string(more));
}
const std::string kHostNames = EventName(1, "train") + EventName(2, "a:MatMul") + EventName(3, "IteratorGetNext") +
                               EventName(4, "FunctionRun") + EventName(5, "cuLaunchKernel") + EventName(6, "Stage") +
                               StatName(1, "group_id") + StatName(2, "step_num") + StatName(3, "step_name") +
                               StatName(4, "correlation_id") + StatName(5, "_ipl_stage_name");
std::string Host(std::string_view events) { return EncodePlane("/host:CPU", EncodeLine(1, "t", events) + kHostNames); }
std::string Marker(int64_t from, int64_t to, int64_t group, std::string_view name) {
  return Grouped(1, from, to, group, IntStat(2, group) + TextStat(3, name));
}
std::string Gpu(std::string_view events) {
  return EncodePlane("/device:GPU:0", EncodeLine(7, "s", events) + EventName(1, "kernel") + EventName(2, "MemcpyH2D") +
                                          EventName(3, "MemcpyD2H") + StatName(1, "group_id") +
                                          StatName(4, "correlation_id"));
}

TEST_CASE("group, step and correlation ids count in whatever slot they were stored") {
  // Double, text and unsigned: never the int64 that XProf's writers use.
  const auto event = [](int64_t name, int64_t from, int64_t to, std::string_view stats) {
    return EncodeEvent(name, from, to - from, stats);
  };
  const std::string space =
      Host(event(1, 0, 100, EventStat(TextValue(1, "1")) + EventStat(DoubleValue(2, 7)) + TextStat(3, "train 7")) +
           event(2, 5, 60, EventStat(UintValue(1, 1))) +
           event(5, 70, 80, EventStat(DoubleValue(1, 1)) + EventStat(TextValue(4, "9")))) +
      Gpu(event(1, 80, 95, EventStat(UintValue(1, 1)) + EventStat(TextValue(4, "9"))));
  const StepsResult result = Read(space);
  REQUIRE(result.rows.size() == 1);
  CHECK(result.rows[0].name == "train 7");
  CHECK(result.rows[0].total_ps == 100);
  CHECK(result.rows[0].host_compute_ps() == 55);
  CHECK(result.rows[0].of(A::kKernelLaunch) == 10);
  CHECK(result.rows[0].of(A::kCompute32) == 15);
}

TEST_CASE("planes of one name are one device, whose type any of them tells") {
  const std::string names = EventName(1, "kernel") + StatName(1, "group_id") + StatName(8, "device_vendor") +
                            StatName(9, "compute_cap_major") + StatName(10, "compute_cap_minor");
  const auto piece = [&](int64_t from, const std::string& stats) {
    return EncodePlane("/device:GPU:0", EncodeLine(7, "s", Grouped(1, from, from + 10, 0)) + names + stats);
  };
  const StepsResult result = Read(piece(0, "") + piece(20, PlaneStat(TextValue(8, "Nvidia")) +
                                                               PlaneStat(UintValue(9, 8)) + PlaneStat(UintValue(10, 0))));
  CHECK(result.devices == 1);
  CHECK(result.device_type == "Nvidia GPU (Ampere)");
}

TEST_CASE("a step on the host: compute, input and the rest make its time") {
  const StepsResult result = Read(Host(Marker(0, 100, 0, "train 7") + Grouped(2, 5, 60, 0) + Grouped(3, 10, 20, 0)));
  REQUIRE(result.rows.size() == 1);
  const StepRow& row = result.rows[0];
  CHECK(result.kind == StepKind::kStep);
  CHECK(row.name == "train 7");
  CHECK(row.total_ps == 100);
  CHECK(row.host_compute_ps() == 45);
  CHECK(row.input_ps() == 10);
  CHECK(row.of(A::kOther) == 45);
  CHECK_FALSE(row.device_idle_ps);
  CHECK_FALSE(row.perhaps_incomplete);
}

TEST_CASE("a file saved with groups tells of device work also without a Steps line; XProf looks for that alone") {
  const std::string file =
      Host(Marker(0, 100, 0, "train 3") + Grouped(2, 0, 20, 0) + Grouped(5, 20, 30, 0, IntStat(4, 9))) +
      Gpu(Grouped(1, 40, 120, 0, IntStat(4, 9)));
  const StepsResult result = Read(file);
  REQUIRE(result.rows.size() == 1);
  CHECK(result.rows[0].total_ps == 120);
  CHECK(result.rows[0].compute_ps() == 80);
  CHECK(result.rows[0].host_compute_ps() == 20);
  CHECK(result.rows[0].of(A::kKernelLaunch) == 10);
  CHECK(Read(file, Compat::kXprof).rows.empty());
}

TEST_CASE("an event without length adds nothing; XProf lets it hold its kind") {
  const std::string file = Host(Marker(0, 100, 0, "train 0") + Grouped(2, 5, 100, 0) + Grouped(3, 10, 10, 0));
  CHECK(Read(file).rows.at(0).input_ps() == 0);
  CHECK(Read(file, Compat::kXprof).rows.at(0).input_ps() == 90);
}

TEST_CASE("of more than five steps XProf drops two; markers of the host are whole") {
  std::string events;
  for (int64_t i = 0; i < 6; ++i) {
    events += Marker(i * 100, i * 100 + 90, i, "train " + std::to_string(i)) + Grouped(2, i * 100, i * 100 + 50, i);
  }
  const StepsResult ours = Read(Host(events));
  REQUIRE(ours.rows.size() == 6);
  for (const StepRow& row : ours.rows) CHECK_FALSE(row.perhaps_incomplete);
  const StepsResult theirs = Read(Host(events), Compat::kXprof);
  REQUIRE(theirs.rows.size() == 4);
  CHECK(theirs.rows[0].name == "train 1");
  CHECK(theirs.left_out == 2);
}

TEST_CASE("a step whose edge is a device's work may be cut there, if it is the first or the last") {
  const StepsResult result = Read(Host(Marker(0, 100, 0, "train 0") + Marker(100, 200, 1, "train 1")) +
                                  Gpu(Grouped(1, 40, 120, 0) + Grouped(1, 150, 230, 1)));
  REQUIRE(result.rows.size() == 2);
  CHECK_FALSE(result.rows[0].perhaps_incomplete);  // the device's work for it ended: that for the next is seen
  CHECK(result.rows[1].perhaps_incomplete);
  CHECK(result.devices == 1);
}

TEST_CASE("what lies outside of the steps is measured, and takes the verdict away") {
  const std::string op = EventName(7, "b:Conv2D");
  const auto host = [&](std::string_view events) {
    return EncodePlane("/host:CPU", EncodeLine(1, "t", events) + kHostNames + op);
  };
  const StepsResult late = Read(host(Marker(10, 20, 0, "train 0") + Marker(40, 50, 1, "train 1") +
                                     EncodeEvent(7, 15, 85, "") + EncodeEvent(7, 120, 10, "")));
  CHECK(late.coverage.trace_ps == 120);
  CHECK(late.coverage.in_steps_ps == 20);
  CHECK(late.coverage.between_ps == 20);
  CHECK(late.coverage.work_outside_ps == 80);  // 20 to 40, 50 to 100, 120 to 130
  CHECK(late.coverage.misses_the_work());
  CHECK(JudgeInput(late, false).bottleneck == "unknown");
  // A fifth of the time or more between steps could be all waiting for input.
  const auto judge = [&](int64_t second) {
    return JudgeInput(Read(host(Marker(0, 40, 0, "train 0") + Grouped(2, 0, 40, 0) +
                                Marker(second, second + 40, 1, "train 1") + Grouped(2, second, second + 40, 1))),
                      false)
        .bottleneck;
  };
  CHECK(judge(60) == "unknown");
  CHECK(judge(59) == "device");
}

TEST_CASE("a GPU without an event is none of the run's") {
  const StepsResult result = Read(Host(Marker(0, 100, 0, "train 0") + Grouped(2, 0, 20, 0)) + Gpu(""));
  CHECK(result.devices == 0);
  CHECK(result.device_type == "CPU");
}

TEST_CASE("a step on a GPU lasts from the host's marker to the end of the device's work") {
  const std::string file =
      Host(Marker(0, 100, 0, "train 3") + Grouped(2, 0, 20, 0) + Grouped(5, 20, 30, 0, IntStat(4, 9))) +
      EncodePlane("/device:GPU:0",
                  EncodeLine(7, "s",
                             Grouped(1, 80, 130, 0, IntStat(4, 9)) + Grouped(2, 130, 140, 0, IntStat(4, 9)) +
                                 Grouped(3, 140, 150, 0, IntStat(4, 9))) +
                      EncodeLine(0xDEADBEEF - 0x100000000, "Steps", Grouped(1, 80, 150, 0)) + EventName(1, "kernel") +
                      EventName(2, "MemcpyH2D") + EventName(3, "MemcpyD2H") + StatName(1, "group_id") +
                      StatName(4, "correlation_id"));
  const StepRow row = Read(file).rows.at(0);
  CHECK(row.name == "train 3");
  CHECK(row.total_ps == 150);
  CHECK(row.compute_ps() == 50);
  CHECK(row.input_ps() == 10);
  CHECK(row.of(A::kDeviceToHost) == 10);
  CHECK(row.of(A::kKernelLaunch) == 10);
  CHECK(row.host_compute_ps() == 20);
  CHECK(row.of(A::kOther) == 50);
  CHECK(row.device_idle_ps == 80);
  const StepRow theirs = Read(file, Compat::kXprof).rows.at(0);
  CHECK(theirs.name == "0");
  CHECK(theirs.total_ps == 70);
  CHECK(theirs.compute_ps() == 70);
}

TEST_CASE("a group that another interrupts is one step; XProf takes its longest run") {
  // Not saved with groups: the host plane knows none, so the device's own are taken.
  const std::string file = EncodePlane("/host:CPU", EncodeLine(1, "t", "")) +
                           Gpu(Grouped(1, 30, 40, 0, IntStat(4, 1)) + Grouped(1, 45, 50, 1, IntStat(4, 2)) +
                               Grouped(1, 80, 95, 0, IntStat(4, 3)));
  const StepsResult ours = Read(file);
  REQUIRE(ours.rows.size() == 2);
  CHECK(ours.kind == StepKind::kCall);
  CHECK(ours.rows[0].total_ps == 65);
  CHECK(ours.rows[0].compute_ps() == 25);
  const StepsResult theirs = Read(file, Compat::kXprof);
  REQUIRE(theirs.rows.size() == 2);
  CHECK(theirs.rows[0].total_ps == 15);
}

TEST_CASE("without step markers the calls of functions stand in, and are said to be calls") {
  const std::string file = Host(Grouped(4, 0, 50, 0) + Grouped(2, 10, 40, 0));
  const StepsResult result = Read(file);
  CHECK(result.kind == StepKind::kCall);
  CHECK(result.rows.at(0).total_ps == 50);
  CHECK(Read(file, Compat::kXprof).rows.empty());
}

TEST_CASE("calls beside marked steps are no rows") {
  const StepsResult result = Read(Host(Marker(0, 50, 0, "train 0") + Grouped(2, 10, 40, 0) + Grouped(4, 60, 90, 1)));
  REQUIRE(result.rows.size() == 1);
  CHECK(result.rows[0].name == "train 0");
}

TEST_CASE("the outermost stage of an input pipeline is waiting for input") {
  const std::string stage = TextStat(5, "read");
  const StepRow row = Read(Host(Marker(0, 100, 0, "train 0") + Grouped(6, 10, 30, 0, stage) +
                                Grouped(6, 15, 20, 0, stage) + Grouped(2, 40, 60, 0)))
                          .rows.at(0);
  CHECK(row.input_ps() == 20);
  CHECK(row.host_compute_ps() == 20);
}

TEST_CASE("hosts of a run: all rows, in the order of the files, however they are merged") {
  const std::string a = Host(Marker(0, 100, 0, "train 0") + Grouped(2, 5, 60, 0));
  const std::string b = Host(Marker(0, 120, 0, "train 0") + Grouped(2, 5, 60, 0));
  for (const Compat compat : {Compat::kNone, Compat::kXprof}) {
    Steps steps(compat);
    steps.Merge(ReadFile(b, compat, 1, "b"));
    steps.Merge(ReadFile(a, compat, 0, "a"));
    const StepsResult result = std::move(steps).Finish();
    REQUIRE(result.rows.size() == (compat == Compat::kNone ? 2 : 1));
    CHECK(result.rows[0].host == "a");
    CHECK(result.slowest_ps.at(0) == (compat == Compat::kNone ? 100 : 120));
  }
}

StepsResult Made(uint64_t input, uint64_t other, uint64_t compute, Compat compat = Compat::kNone) {
  StepsResult steps;
  steps.compat = compat;
  steps.kind = StepKind::kStep;
  StepRow row;
  row.total_ps = input + other + compute;
  row.parts.of(A::kWaitInput) = input;
  row.parts.of(A::kOther) = other;
  row.parts.of(A::kHostCompute) = compute;
  steps.rows = {row};
  steps.slowest_ps = {row.total_ps};
  return steps;
}

TEST_CASE("the verdict by the share of input") {
  CHECK(JudgeInput(Made(200, 0, 800), false).bottleneck == "host");
  CHECK(JudgeInput(Made(199, 0, 801), false).bottleneck == "both");
  CHECK(JudgeInput(Made(49, 0, 951), false).bottleneck == "device");
  CHECK(JudgeInput(StepsResult(), false).bottleneck == "unknown");
}

TEST_CASE("time in which nothing was recorded is no input; XProf calls it potentially input-bound") {
  CHECK(JudgeInput(Made(0, 300, 700), false).bottleneck == "device");
  CHECK(JudgeInput(Made(0, 970, 30), false).bottleneck == "unknown");
  const InputVerdict theirs = JudgeInput(Made(0, 970, 30, Compat::kXprof), false);
  CHECK(theirs.bottleneck == "both");
  CHECK(theirs.statement ==
        "Your program is POTENTIALLY input-bound because 97.0% of the total step time sampled is spent on 'All Others' "
        "time "
        "(which could be due to I/O or Python execution or both).");
}

OpsRow HostOp(std::string type, std::string name, int64_t total_ps, int64_t self_ps) {
  OpsRow row;
  row.op_type = std::move(type);
  row.op_name = std::move(name);
  row.total_ps = total_ps;
  row.self_ps = self_ps;
  return row;
}

OpsRow EagerOp(std::string type, std::string name, int64_t self_ps) {
  OpsRow row = HostOp(std::move(type), std::move(name), self_ps, self_ps);
  row.eager = true;
  return row;
}

std::string EagerAdvice(std::vector<OpsRow> rows) {
  OpsResult ops;
  ops.rows = std::move(rows);
  for (const Recommendation& advice : MakeOverview(ops, StepsResult()).recommendations) {
    if (advice.kind == "eager") return advice.text;
  }
  return "";
}

TEST_CASE("of what ran eagerly an op is named only where it is a good part, and summaries are no reason") {
  constexpr int64_t kMs = 1'000'000'000;
  CHECK(EagerAdvice({HostOp("MatMul", "a", 50 * kMs, 50 * kMs), EagerOp("WriteSummary", "w", 47 * kMs),
                     EagerOp("Mul", "m", 3 * kMs)}) ==
        "50.0% of the host's op time ran eagerly, 94.0% of that in summaries and checkpoints, which run eagerly by "
        "nature: tf.function would not make them faster.");
  CHECK(EagerAdvice({HostOp("MatMul", "a", 50 * kMs, 50 * kMs), EagerOp("WriteSummary", "w", 20 * kMs),
                     EagerOp("Mul", "m", 24 * kMs), EagerOp("Add", "n", 6 * kMs)}) ==
        "50.0% of the host's op time ran eagerly (30.0% without summaries and checkpoints); tf.function would compile "
        "it, above all m, 24.0 ms (80.0% of it).");
  std::vector<OpsRow> many = {HostOp("MatMul", "a", 50 * kMs, 50 * kMs)};
  for (int i = 0; i < 10; ++i) many.push_back(EagerOp("Mul", "m" + std::to_string(i), 5 * kMs));
  CHECK(EagerAdvice(many) == "50.0% of the host's op time ran eagerly; tf.function would compile it.");
  CHECK(EagerAdvice({HostOp("MatMul", "a", 90 * kMs, 90 * kMs), EagerOp("Mul", "m", 10 * kMs)}).empty());
}

TEST_CASE("input ops by category, and how the host's time for input divides") {
  OpsResult ops;
  ops.rows = {HostOp("Dataset", "Iterator::Root::TFRecord", 40'000'000, 30'000'000),
              HostOp("Dataset", "Iterator::Root::Prefetch::TFRecord", 20'000'000, 20'000'000),
              HostOp("MatMul", "a", 900'000'000, 900'000'000),
              HostOp("Dataset", "Iterator::Root", 90'000'000, 10'000'000)};
  const InputOps input = FindInputOps(ops, Made(0, 0, 100));
  REQUIRE(input.ops.size() == 3);
  CHECK(input.ops[0].category == "Demanded file read");
  CHECK(input.ops[1].category == "Advanced file read");
  CHECK(input.ops[2].category == "Preprocessing");
  CHECK(input.ops[2].total_fraction == Approx(1.5));
  CHECK(input.ops[0].self_fraction == Approx(0.5));
  CHECK(input.demanded_file_read_us == Approx(30));
  CHECK(input.advanced_file_read_us == Approx(20));
  CHECK(input.preprocessing_us == Approx(10));
  CHECK(input.unclassified_non_enqueue_us == 0);
  CHECK(input.uses_tf_data());
}

}  // namespace
}  // namespace tfprof::analyze
