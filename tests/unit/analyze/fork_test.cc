// Sinks that are forked give what they give alone.
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/kernels.h"
#include "analyze/launches.h"
#include "analyze/steps.h"
#include "analyze/tf_data.h"
#include "formats/xplane/event_stream.h"
#include "support/xspace_builder.h"

namespace tfprof::analyze {
namespace {

using namespace tfprof::testing;

constexpr int kSteps = 5, kLines = 6, kEvents = 250;

// Steps one after the other, on lines large enough for several threads (a padding stat sees to that).
std::string TwoLargePlanes() {
  const std::string padding = TextStat(9, std::string(800, 'x'));
  const auto grouped = [&](int64_t name, int64_t from, int64_t length, int64_t step, const std::string& more) {
    return EncodeEvent(name, from, length, IntStat(1, step) + more + padding);
  };
  std::string host, gpu;
  for (int line = 0; line < kLines; ++line) {
    std::string on_host, on_gpu;
    for (int step = 0; step < kSteps; ++step) {
      const int64_t from = step * 1'000'000;
      if (line == 4) on_host += grouped(1, from, 900'000, step, IntStat(2, step) + TextStat(3, "train " + std::to_string(step)));
      for (int i = 0; i < kEvents; ++i) {
        const int64_t at = from + i * 3'000 + line * 311, number = (step * kEvents + i) * kLines + line;
        on_host += grouped(i % 5 == 0 ? 4 : 2, at, 1'700, step, line == 2 ? IntStat(4, number % 4'000) : IntStat(5, number));
        on_gpu += grouped(i % 7 == 0 ? 2 : 1, at + 60'000, 1'200 + line * 100, step,
                          IntStat(4, number) + TextStat(6, "regs:32 block:1,1,1 grid:" + std::to_string(1 + line) + ",1,1"));
      }
    }
    host += EncodeLine(line + 1, "t", on_host);
    gpu += EncodeLine(line + 1, "s", on_gpu);
  }
  std::string marks;
  for (int step = 0; step < kSteps; ++step) marks += EncodeEvent(1, step * 1'000'000, 990'000, IntStat(1, step));
  gpu += EncodeLine(0xDEADBEEF, "Steps", marks);
  const std::string stats = StatName(1, "group_id") + StatName(2, "step_num") + StatName(3, "step_name") +
                            StatName(4, "correlation_id") + StatName(5, "id") + StatName(6, "kernel_details") +
                            StatName(9, "padding");
  return EncodePlane("/host:CPU", host + EventName(1, "train") + EventName(2, "a:MatMul") +
                                      EventName(4, "Iterator::Root") + stats) +
         EncodePlane("/device:GPU:0", gpu + EventName(1, "sgemm") + EventName(2, "MemcpyH2D") + stats);
}

struct Seen {
  std::vector<std::tuple<std::string, int64_t, uint64_t, std::array<uint64_t, kStepActivities>, uint64_t>> steps;
  std::vector<uint64_t> figures;
  std::vector<std::tuple<std::string, uint64_t, int64_t>> kernels;
  std::vector<std::tuple<int64_t, uint32_t>> launches;
  std::vector<std::tuple<std::string, uint64_t, uint64_t>> pipelines;
  bool operator==(const Seen&) const = default;
};

Seen Read(const std::string& bytes, Compat compat, unsigned threads) {
  const xplane::Layout layout = xplane::ReadLayout(bytes, true);
  Steps steps(compat);
  LaunchTable launches;
  KernelStats kernels(compat);
  TfData tf_data(compat);
  trace::EventSink* sinks[] = {&steps, &launches, &kernels, &tf_data};
  xplane::ReadPlan plan;
  plan.thorough_layout = true;
  Diagnostics diagnostics;
  xplane::EventStreamOptions options{true, true};
  options.threads = threads;
  REQUIRE(xplane::StreamEvents(layout, {.path = "x.pb", .host = "h"}, 0, options, sinks, &plan, &diagnostics) ==
          xplane::ReadOutcome::kDone);
  Seen seen;
  const StepsResult result = std::move(steps).Finish();
  for (const StepRow& row : result.rows) {
    seen.steps.emplace_back(row.name, row.start_ps, row.total_ps, row.parts.ps, row.device_idle_ps.value_or(0));
  }
  seen.figures = {result.devices, result.coverage.trace_ps, result.coverage.in_steps_ps, result.coverage.work_outside_ps,
                  result.precision.bits16_ps, result.precision.bits32_ps, result.precision.unknown_ps};
  for (const KernelRow& row : std::move(kernels).Finish().rows) {
    seen.kernels.emplace_back(row.kernel, row.times.occurrences, static_cast<int64_t>(row.times.total_ps));
  }
  for (int64_t line = 1; line <= kLines; ++line) {
    for (const LaunchedEvent& event : launches.OfDeviceLine("/device:GPU:0", line)) {
      seen.launches.emplace_back(event.start_ps, event.launch);
    }
  }
  for (const TfDataPipeline& pipeline : std::move(tf_data).Finish().pipelines) {
    seen.pipelines.emplace_back(pipeline.name, pipeline.calls, pipeline.max_latency_ps);
  }
  return seen;
}

TEST_CASE("threads change nothing that steps, launches, kernels and input pipelines tell") {
  const std::string bytes = TwoLargePlanes();
  REQUIRE(bytes.size() > (12 << 20));  // each plane makes up for three threads
  for (const Compat compat : {Compat::kNone, Compat::kXprof}) {
    const Seen alone = Read(bytes, compat, 1);
    CHECK(alone.steps.size() == kSteps);
    CHECK_FALSE(alone.kernels.empty());
    CHECK_FALSE(alone.launches.empty());
    CHECK_FALSE(alone.pipelines.empty());
    CHECK(Read(bytes, compat, 2) == alone);
    CHECK(Read(bytes, compat, 3) == alone);
  }
}

}  // namespace
}  // namespace tfprof::analyze
