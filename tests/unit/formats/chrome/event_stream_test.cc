#include "formats/chrome/event_stream.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analyze/kernels.h"
#include "analyze/memory.h"
#include "analyze/steps.h"

namespace tfprof::chrome {
namespace {

StreamFacts Feed(const std::string& text, trace::EventSink* sink, const std::string& path = "trace.json") {
  WholeText whole;
  whole.bytes = text;
  trace::EventSink* sinks[] = {sink};
  Diagnostics diagnostics;
  StreamOptions options;
  options.path = path;
  return StreamEvents(whole, options, sinks, &diagnostics);
}

analyze::StepsResult StepsOf(const std::string& text, const std::string& path = "trace.json") {
  analyze::Steps sink(analyze::Compat::kNone);
  Feed(text, &sink, path);
  analyze::Steps all(analyze::Compat::kNone);
  all.Merge(std::move(sink));
  return std::move(all).Finish();
}

constexpr const char* kKineto = R"({"schemaVersion":1,"deviceProperties":[],"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#5","pid":1,"tid":1,"ts":100,"dur":50,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":110,"dur":20,"args":{"External id":9}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":115,"dur":5,"args":{"correlation":7}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":160,"dur":30,"args":{"device":0,"correlation":7,
 "registers per thread":32,"shared memory":1024,"grid":[8,2,1],"block":[128,1,1],"est. achieved occupancy %":25}},
{"ph":"X","cat":"cpu_op","name":"train_later","pid":1,"tid":1,"ts":300,"dur":20,"args":{"External id":10}}
]})";

}  // namespace

TEST_CASE("a kernel belongs to the step and the op around its launch, not to what runs beside it", "[chrome][stream]") {
  const analyze::StepsResult steps = StepsOf(kKineto);
  REQUIRE(steps.rows.size() == 1);  // train_later is no marker, for all its name
  const analyze::StepRow& row = steps.rows[0];
  CHECK(row.name == "ProfilerStep#5");
  CHECK(row.total_ps == 90'000'000);  // the marker from 100, the kernel it launched to 190
  CHECK(row.compute_ps() == 30'000'000);
  CHECK(row.of(analyze::StepActivity::kKernelLaunch) == 5'000'000);
  CHECK(row.host_compute_ps() == 15'000'000);  // 110 to 130 but for the launch
  CHECK(row.device_idle_ps == 60'000'000);
}

TEST_CASE("Kineto's launch parameters are those of the kernel table", "[chrome][stream]") {
  analyze::KernelStats sink(analyze::Compat::kNone);
  Feed(kKineto, &sink);
  const analyze::KernelsResult kernels = std::move(sink).Finish();
  REQUIRE(kernels.rows.size() == 1);
  const analyze::KernelRow& row = kernels.rows[0];
  CHECK(row.kernel == "gemm");
  CHECK(row.op == "aten::mm");
  CHECK(row.launch.registers == 32);
  CHECK(row.launch.dynamic_shared_bytes == 1024);
  CHECK(row.launch.grid == std::array<uint32_t, 3>{8, 2, 1});
  CHECK(row.occupancy_percent == 25.0);
}

TEST_CASE("a TF1 timeline is one step; its tensors are its memory", "[chrome][stream]") {
  const std::string text = R"({"traceEvents":[
{"ph":"M","name":"process_name","pid":0,"args":{"name":"Allocators"}},
{"ph":"M","name":"process_name","pid":1,"args":{"name":"/job:localhost/replica:0/task:0/device:CPU:0 Compute"}},
{"ph":"M","name":"process_name","pid":2,"args":{"name":"/job:localhost/replica:0/task:0/device:CPU:0 Tensors"}},
{"ph":"X","cat":"Op","name":"MatMul","pid":1,"tid":0,"ts":1000,"dur":40,"args":{"name":"a/MatMul","op":"MatMul"}},
{"ph":"X","cat":"Op","name":"IteratorGetNext","pid":1,"tid":1,"ts":1050,"dur":10,"args":{"name":"g","op":"IteratorGetNext"}},
{"ph":"N","cat":"Tensor","name":"a/MatMul","pid":2,"tid":0,"ts":1000,"id":0},
{"ph":"O","cat":"Tensor","name":"a/MatMul","pid":2,"tid":0,"ts":1039,"id":0,"args":{"snapshot":{"tensor_description":
 "dtype: DT_FLOAT\nshape {\n  dim {\n    size: 4\n  }\n  dim {\n    size: 8\n  }\n}\nallocation_description {\n  requested_bytes: 128\n  allocator_name: cpu\n}\n"}}},
{"ph":"D","cat":"Tensor","name":"a/MatMul","pid":2,"tid":0,"ts":1060,"id":0}
]})";
  const analyze::StepsResult steps = StepsOf(text, "timeline-200.json");
  REQUIRE(steps.rows.size() == 1);
  CHECK(steps.rows[0].name == "step 200");
  CHECK(steps.rows[0].total_ps == 60'000'000);
  CHECK(steps.rows[0].input_ps() == 10'000'000);
  CHECK(steps.rows[0].host_compute_ps() == 40'000'000);

  analyze::MemoryStats sink(analyze::Compat::kNone);
  Feed(text, &sink);
  const analyze::MemoryResult memory = std::move(sink).Finish();
  REQUIRE(memory.allocators.size() == 1);
  const analyze::AllocatorMemory& cpu = memory.allocators[0];
  CHECK(cpu.id == "cpu");
  CHECK_FALSE(cpu.knows_free);
  REQUIRE(cpu.peak);
  CHECK(cpu.peak->use.heap_bytes == 128);
  CHECK(cpu.deallocations == 1);
  REQUIRE(cpu.active_at_peak.size() == 1);
  CHECK(cpu.active_at_peak[0].purpose == analyze::MemoryPurpose{"a/MatMul", "", "float", "[4,8]"});
}

TEST_CASE("an id that is given again to a tensor of the same name is another tensor", "[chrome][stream]") {
  const auto snapshot = [](const char* ts, const char* bytes) {
    return std::string(R"({"ph":"O","cat":"Tensor","name":"a","pid":2,"tid":0,"ts":)") + ts +
           R"(,"id":0,"args":{"snapshot":{"tensor_description":"dtype: DT_FLOAT\nshape {\n}\n)" +
           R"(allocation_description {\n  requested_bytes: )" + bytes + R"(\n  allocator_name: cpu\n}\n"}}},)";
  };
  const std::string text = R"({"traceEvents":[
{"ph":"M","name":"process_name","pid":0,"args":{"name":"Allocators"}},
{"ph":"M","name":"process_name","pid":1,"args":{"name":"/job:localhost/replica:0/task:0/device:CPU:0 Compute"}},
{"ph":"M","name":"process_name","pid":2,"args":{"name":"/job:localhost/replica:0/task:0/device:CPU:0 Tensors"}},
{"ph":"X","cat":"Op","name":"MatMul","pid":1,"tid":0,"ts":1000,"dur":40,"args":{"name":"a","op":"MatMul"}},
{"ph":"N","cat":"Tensor","name":"a","pid":2,"tid":0,"ts":1000,"id":0},)" +
                           snapshot("1005", "128") + R"(
{"ph":"D","cat":"Tensor","name":"a","pid":2,"tid":0,"ts":1010,"id":0},
{"ph":"N","cat":"Tensor","name":"a","pid":2,"tid":0,"ts":1020,"id":0},)" +
                           snapshot("1025", "64") + R"(
{"ph":"D","cat":"Tensor","name":"a","pid":2,"tid":0,"ts":1030,"id":0}
]})";
  analyze::MemoryStats sink(analyze::Compat::kNone);
  Feed(text, &sink);
  const analyze::MemoryResult memory = std::move(sink).Finish();
  REQUIRE(memory.allocators.size() == 1);
  const analyze::AllocatorMemory& cpu = memory.allocators[0];
  CHECK(cpu.allocations == 2);
  CHECK(cpu.deallocations == 2);
  CHECK(cpu.peak->use.heap_bytes == 128);
  REQUIRE(cpu.timeline.size() == 4);
  CHECK(cpu.timeline[1].use.heap_bytes == 0);
  CHECK(cpu.timeline[2].use.heap_bytes == 64);
}

TEST_CASE("without groups an event belongs to the marker around it; with step_num markers are named",
          "[chrome][stream]") {
  const analyze::StepsResult steps = StepsOf(R"({"traceEvents":[
{"ph":"M","name":"process_name","pid":7,"args":{"name":"/host:CPU"}},
{"ph":"X","name":"train","pid":7,"tid":1,"ts":10,"dur":20,"args":{"step_num":"3"}},
{"ph":"X","name":"MatMul:MatMul","pid":7,"tid":2,"ts":15,"dur":5},
{"ph":"X","name":"MatMul:MatMul","pid":7,"tid":2,"ts":40,"dur":5}
]})");
  REQUIRE(steps.rows.size() == 1);
  CHECK(steps.rows[0].name == "train 3");
  CHECK(steps.rows[0].host_compute_ps() == 5'000'000);
}

TEST_CASE("groups of stray events don't stand against markers that are in none", "[chrome][stream]") {
  const auto steps = [](const std::string& more) {
    return StepsOf(R"({"traceEvents":[
{"ph":"M","name":"process_name","pid":7,"args":{"name":"/host:CPU"}},
{"ph":"X","name":"train","pid":7,"tid":1,"ts":10,"dur":20,"args":{"step_num":"3"}},
{"ph":"X","name":"MatMul:MatMul","pid":7,"tid":2,"ts":15,"dur":5},
{"ph":"X","name":"Other:Other","pid":7,"tid":2,"ts":90,"dur":5,"args":{)" +
                   more + "}}]}");
  };
  for (const char* stray : {R"("group_id":"4")", R"("group_id":null)", R"("note":""group_id"")"}) {
    const analyze::StepsResult result = steps(stray);
    REQUIRE(result.rows.size() == 1);
    CHECK(result.rows[0].name == "train 3");
    CHECK(result.rows[0].host_compute_ps() == 5'000'000);
  }
}

TEST_CASE("keys and texts written with escapes mean the same to the stream", "[chrome][stream]") {
  std::string text = kKineto;
  const auto respell = [&text](const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  };
  respell("\"args\"", "\"ar\\u0067s\"");
  respell("\"correlation\"", "\"\\u0063orrelation\"");
  respell("\"grid\"", "\"gri\\u0064\"");
  respell("cpu_op", "cpu\\u005fop");
  respell("ProfilerStep#", "Profiler\\u0053tep#");
  const analyze::StepsResult steps = StepsOf(text);
  REQUIRE(steps.rows.size() == 1);
  CHECK(steps.rows[0].name == "ProfilerStep#5");
  CHECK(steps.rows[0].compute_ps() == 30'000'000);
  analyze::KernelStats sink(analyze::Compat::kNone);
  Feed(text, &sink);
  const analyze::KernelsResult kernels = std::move(sink).Finish();
  REQUIRE(kernels.rows.size() == 1);
  CHECK(kernels.rows[0].op == "aten::mm");
  CHECK(kernels.rows[0].launch.grid == std::array<uint32_t, 3>{8, 2, 1});
}

TEST_CASE("launch parameters may be written as reals", "[chrome][stream]") {
  analyze::KernelStats sink(analyze::Compat::kNone);
  Feed(R"({"schemaVersion":1,"deviceProperties":[],"traceEvents":[
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":160,"dur":30,"args":{"device":0,
 "registers per thread":32.0,"shared memory":1024.0,"grid":[64.0, 1.0, 1.0],"block":[128.0,1,1]}}]})",
       &sink);
  const analyze::KernelsResult kernels = std::move(sink).Finish();
  REQUIRE(kernels.rows.size() == 1);
  CHECK(kernels.rows[0].launch.registers == 32);
  CHECK(kernels.rows[0].launch.dynamic_shared_bytes == 1024);
  CHECK(kernels.rows[0].launch.grid == std::array<uint32_t, 3>{64, 1, 1});
  CHECK(kernels.rows[0].launch.block == std::array<uint32_t, 3>{128, 1, 1});
}

TEST_CASE("of two times years apart the first is the file's, as in the op table", "[chrome][stream]") {
  const auto base = [](const std::string& events) {
    WholeText whole;
    const std::string text = "[" + events + "]";
    whole.bytes = text;
    return static_cast<int64_t>(SurveyTimeline(whole, std::nullopt).base_ps / 1'000'000);
  };
  const std::string early = R"({"ph":"X","ts":5,"dur":5,"name":"a"})", zero = R"({"ph":"X","ts":0,"dur":0,"name":"z"})";
  const std::string late = R"({"ph":"X","ts":99999999999999999,"dur":7,"name":"b"})";
  CHECK(base(early + "," + late) == 5);
  CHECK(base(late + "," + early) == 99'999'999'999'999'999);
  CHECK(base(early + "," + late + "," + late) == 99'999'999'999'999'999);
  CHECK(base(zero + "," + late) == 99'999'999'999'999'999);  // tells of no time yet
  CHECK(base(zero) == 0);
}

TEST_CASE("times count from the first event on a lane, wherever in the file it stands", "[chrome][stream]") {
  WholeText whole;
  const std::string text = R"([{"ph":"X","ts":900,"dur":5,"name":"late"},{"ph":"X","ts":100,"dur":5,"name":"first"}])";
  whole.bytes = text;
  Diagnostics diagnostics;
  CHECK(StreamEvents(whole, {}, {}, &diagnostics).base_ps == 100'000'000);
}

TEST_CASE("what is no trace is no trace for the stream", "[chrome][stream]") {
  analyze::Steps sink(analyze::Compat::kNone);
  CHECK_FALSE(Feed(R"({"a":1})", &sink).file.is_trace);
}

}  // namespace tfprof::chrome
