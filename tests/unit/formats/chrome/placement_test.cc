// Which lane and which op an event gets in each of the four dialects. Rules: docs/formats.md.
#include "formats/chrome/placement.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "formats/chrome/recording.h"

namespace tfprof::chrome {
namespace {

using trace::Role;
using trace::Side;
using Texts = std::vector<std::string>;

std::string Name(const std::string& what, int pid, const std::string& name, uint64_t tid = 0) {
  return R"({"ph":"M","name":")" + what + R"(","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) +
         R"(,"args":{"name":")" + name + R"("}},)";
}
std::string X(int pid, uint64_t tid, const std::string& name, const std::string& args = "",
              const std::string& category = "") {
  return R"({"ph":"X","ts":1,"dur":1,"pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) +
         R"(,"name":")" + name + "\"" + (category.empty() ? "" : R"(,"cat":")" + category + "\"") +
         (args.empty() ? "" : ",\"args\":{" + args + "}") + "},";
}
Recorded ReadEvents(const std::string& elements) { return ReadText("[" + elements + "{}]"); }

// ------------------------------------------------------------------ TF1

// Roles of TF1 processes of these names, one event each; "none": on no lane.
Texts Tf1Roles(const Texts& processes) {
  std::string text;
  for (size_t i = 0; i < processes.size(); ++i) text += Name("process_name", static_cast<int>(i), processes[i]);
  for (size_t i = 0; i < processes.size(); ++i) text += X(static_cast<int>(i), 0, "T", R"("name":"n","op":"T")");
  const Recorded read = ReadEvents(text);
  CHECK(read.facts.dialect.dialect == Dialect::kTf1);
  Texts roles;
  for (const std::string& process : processes) {
    std::string role = "none";
    for (const RecordedLane& lane : read.lanes) {
      if (lane.plane != process) continue;
      role = lane.side == Side::kHost ? "host" : (lane.role == Role::kStream ? "stream of " : "view of ") + lane.device;
    }
    roles.push_back(role);
  }
  return roles;
}

TEST_CASE("TF1: kernels once from stream:all, copies once from memcpy") {
  CHECK(Tf1Roles({"/job:l/task:0/device:CPU:0 Compute", "/job:l/task:0/device:GPU:0 Compute",
                  "/device:GPU:0/stream:all Compute", "/device:GPU:0/stream:13 Compute", "/device:GPU:0/memcpy Compute",
                  "/device:GPU:0/stream:14<MemcpyH2D> Compute", "/device:GPU:0/stream: Compute",
                  "/device:GPU:0/stream:all Tensors", "Allocators"}) ==
        Texts{"host", "host", "stream of /device:GPU:0", "view of /device:GPU:0", "stream of /device:GPU:0",
              "view of /device:GPU:0", "stream of /device:GPU:0", "none", "none"});
}

TEST_CASE("TF1: without stream:all the numbered streams count, and hold the copies too") {
  CHECK(Tf1Roles({"/cpu:0 Compute", "/gpu:0/stream:13 Compute", "/gpu:0/stream:14 Compute", "/gpu:0/memcpy Compute"}) ==
        Texts{"host", "stream of /gpu:0", "stream of /gpu:0", "view of /gpu:0"});
  CHECK(Tf1Roles({"/gpu:0/stream:14<MemcpyD2H> Compute", "/gpu:0/stream:13 Compute"}) ==
        Texts{"stream of /gpu:0", "stream of /gpu:0"});
}

TEST_CASE("TF1: each device for itself") {
  CHECK(Tf1Roles({"/gpu:0/stream:all Compute", "/gpu:0/stream:1 Compute", "/gpu:1/stream:1 Compute",
                  "/gpu:1/memcpy:all Compute"}) ==
        Texts{"stream of /gpu:0", "view of /gpu:0", "stream of /gpu:1", "view of /gpu:1"});
}

TEST_CASE("TF1: names of ops, and kernels without one") {
  const std::string names =
      Name("process_name", 1, "/cpu:0 Compute") + Name("process_name", 2, "/gpu:0/stream:all Compute");
  CHECK(ReadEvents(names + X(1, 0, "MatMul", R"("name":"a/b","op":"MatMul","input0":"x")")).Events() ==
        Texts{"a/b:MatMul@0+1000000"});
  CHECK(ReadEvents(names + X(1, 0, "unknown", R"("name":"a/_12","op":"unknown")")).Events() ==
        Texts{"a/_12:unknown@0+1000000"});
  CHECK(ReadEvents(names + X(1, 0, "MatMul")).Events() == Texts{"MatMul:MatMul@0+1000000"});
  CHECK(ReadEvents(names + X(2, 0, "MatMul", R"("name":"a/b","op":"MatMul")")).Events() ==
        Texts{"a/b:MatMul@0+1000000"});
  CHECK(ReadEvents(names + X(2, 0, "unknown", R"("name":"_ZN10kernel","op":"unknown")")).Events() ==
        Texts{"_ZN10kernel:Unknown@0+1000000!"});
  CHECK(ReadEvents(names + X(2, 0, "", R"("name":"void Eigen","op":"")")).Events() ==
        Texts{"void Eigen:Unknown@0+1000000!"});
}

TEST_CASE("TF1: rows of a process are no threads; together they idle as one") {
  const Recorded read = ReadEvents(Name("process_name", 7, "/cpu:0 Compute") + X(7, 0, "A") + X(7, 1, "B"));
  REQUIRE(read.lanes.size() == 2);
  for (const RecordedLane& lane : read.lanes) CHECK(lane.idle_group == "7");
}

// ------------------------------------------------------------------ TF2 and JAX

std::pair<Side, Role> Tf2Place(const std::string& process, const std::string& thread, uint64_t tid = 5,
                               const std::string& other = "x") {
  const Recorded read =
      ReadEvents(Name("process_name", 1, process) + Name("thread_name", 1, thread, tid) +
                 Name("thread_name", 1, other, 99) + Name("process_name", 2, "/host:CPU") + X(1, tid, "n"));
  REQUIRE(read.lanes.size() == 1);
  return {read.lanes[0].side, read.lanes[0].role};
}

TEST_CASE("TF2: lanes of the host, GPUs and TPUs") {
  CHECK(Tf2Place("/host:CPU", "tf_Compute/1") == std::pair(Side::kHost, Role::kHostOps));
  CHECK(Tf2Place("worker /host:CPU", "t") == std::pair(Side::kHost, Role::kHostOps));
  CHECK(Tf2Place("/host:metadata", "t") == std::pair(Side::kHost, Role::kOther));
  CHECK(Tf2Place("/device:GPU:0", "Stream #13(Compute)") == std::pair(Side::kDevice, Role::kStream));
  CHECK(Tf2Place("/device:CUSTOM:x", "Q") == std::pair(Side::kDevice, Role::kStream));
  CHECK(Tf2Place("/device:TPU:0", "XLA Ops") == std::pair(Side::kDevice, Role::kNested));
  CHECK(Tf2Place("/device:TPU:0", "Sparse Core Ops") == std::pair(Side::kDevice, Role::kNested));
  CHECK(Tf2Place("/device:TPU:0", "something") == std::pair(Side::kDevice, Role::kView));
}

TEST_CASE("TF2: derived lines are views, by name or by number") {
  for (const char* thread :
       {"Steps", "TensorFlow Name Scope", "TensorFlow Ops", "Framework Name Scope", "Framework Ops", "XLA Modules",
        "Source code", "Source", "XLA TraceMe", "Launch Stats", "Async XLA Ops", "Framework Ops - from #16"}) {
    INFO(thread);
    CHECK(Tf2Place("/device:GPU:0", thread, 3).second == Role::kView);
    CHECK(Tf2Place("/device:TPU:0", thread, 3).second == Role::kView);
  }
  CHECK(Tf2Place("/device:TPU:0", "Host Offload Ops row 2").second == Role::kView);
  CHECK(Tf2Place("/device:GPU:0", "Q", 3'735'928'558).second == Role::kStream);
  CHECK(Tf2Place("/device:GPU:0", "Q", 3'735'928'559).second == Role::kView);
  CHECK(Tf2Place("/device:GPU:0", "Q", 3'735'928'559 + 405).second == Role::kView);
  // `XLA Ops` beside streams repeats their kernels; alone it is the device's work.
  CHECK(Tf2Place("/device:GPU:0", "XLA Ops", 5, "Stream #1").second == Role::kView);
  CHECK(Tf2Place("/device:GPU:0", "XLA Ops").second == Role::kStream);
}

TEST_CASE("TF2: ops of the host by the grammar of their names") {
  const std::string cpu = Name("process_name", 1, "/host:CPU");
  const auto op = [&](const std::string& name, const std::string& args) {
    return ReadEvents(cpu + X(1, 1, name, args)).Events().at(0);
  };
  CHECK(op("MatMul", R"("long_name":"a/b:MatMul")") == "a/b:MatMul@0+1000000");
  CHECK(op("a/b:MatMul", "") == "a/b:MatMul@0+1000000");  // as TF 2.2 wrote it
  CHECK(op("Iterator::Map", "") == "Iterator::Map:Dataset@0+1000000");
  for (const char* name : {"$frame.py:12 step", "PjitFunction(f)", "std::vector", "Session::Run", ""})
    CHECK(op(name, "") == "-@0+1000000");
  // XLA on the CPU
  CHECK(op("x", R"("hlo_op":"call::fusion.1","hlo_module":"jit_f")") == "fusion.1:Unknown@0+1000000");
  CHECK(op("end: fusion.1", R"("hlo_op":"fusion.1")") == "-@0+1000000");
  // Whose a host event is makes it no op.
  CHECK(op("x", R"("tf_op":"a:A")") == "-@0+1000000");
}

TEST_CASE("TF2: the owner of a kernel is the first text that is there") {
  const std::string gpu = Name("process_name", 1, "/device:GPU:0");
  const auto op = [&](const std::string& args) { return ReadEvents(gpu + X(1, 1, "kern", args)).Events().at(0); };
  CHECK(op(R"("annotation":"b:B","tf_op":"a:A","name":"n","hlo_op":"h.1","level 0":"l:L")") == "a:A@0+1000000");
  CHECK(op(R"("annotation":"b:B","name":"n","hlo_op":"h.1","level 0":"l:L")") == "l:L@0+1000000");
  CHECK(op(R"("annotation":"b:B#id=1#::c:C#x=2#","name":"n","hlo_op":"h.1")") == "b:B@0+1000000");
  CHECK(op(R"("tf_op":"XlaModule:","annotation":"XlaModule:#m=1#::x","name":"jit(f)/dot_general","hlo_op":"h.1")") ==
        "jit(f)/dot_general:dot_general@0+1000000");
  CHECK(op(R"("tf_op":"XlaModule:","hlo_op":"fusion::dot.3")") == "dot.3:Unknown@0+1000000");
  CHECK(op(R"("annotation":"#edge_name=copy#")") == "kern:Unknown@0+1000000!");
  CHECK(op(R"("bytes":"4")") == "kern:Unknown@0+1000000!");
}

TEST_CASE("TPU: an instruction without an owner is a row of its category") {
  const std::string tpu = Name("process_name", 1, "/device:TPU:0") + Name("thread_name", 1, "XLA Ops", 2);
  const auto op = [&](const std::string& args) {
    return ReadEvents(tpu + X(1, 2, "broadcast.2", args)).Events().at(0);
  };
  CHECK(op(R"("tf_op":"a:A","hlo_category":"fusion")") == "a:A@0+1000000");
  CHECK(op(R"("hlo_category":"data formatting")") == "broadcast.2:data formatting@0+1000000");
}

// ------------------------------------------------------------------ Kineto and generic

TEST_CASE("Kineto: side by category, device by args.device") {
  const auto place = [](const std::string& category, const std::string& args = "") {
    const Recorded read = ReadText(R"({"baseTimeNanoseconds":1,"traceEvents":[)" + X(3, 7, "n", args, category) + "]}");
    REQUIRE(read.lanes.size() == 1);
    const RecordedLane& lane = read.lanes[0];
    return std::string(lane.side == Side::kHost ? "host" : "device ") + lane.device +
           (lane.role == Role::kView     ? " view"
            : lane.role == Role::kStream ? " stream"
                                         : "");
  };
  for (const char* category : {"kernel", "gpu_memcpy", "gpu_memset", "concurrent_kernel", "mtia_ccp_events", "hpu_op",
                               "Kernel", "Memcpy", "Memset"}) {
    CHECK(place(category, R"("device":1)") == "device 1 stream");
    CHECK(place(category) == "device 3 stream");
  }
  for (const char* category : {"Trace", "gpu_user_annotation", "cuda_sync", "cuda_profiler_range"})
    CHECK(place(category) == "host view");
  for (const char* category : {"cpu_op", "cuda_runtime", "user_annotation", "overhead", "mtia_runtime", "whatever"}) {
    CHECK(place(category, R"("device":1)") == "host");
  }
}

TEST_CASE("Kineto: every host event is an op, named like itself") {
  const Recorded read = ReadText(R"({"baseTimeNanoseconds":1,"traceEvents":[)" + X(1, 1, "aten::mm", "", "cpu_op") +
                                 X(1, 1, "f.py(3): g") + "]}");
  CHECK(read.Events() == Texts{"aten::mm:cpu_op@0+1000000", "f.py(3): g:Unknown@0+1000000"});
  const Recorded view =
      ReadText(R"({"baseTimeNanoseconds":1,"traceEvents":[)" + X(1, 1, "PyTorch Profiler (0)", "", "Trace") + "]}");
  CHECK(view.Events() == Texts{"-@0+1000000"});
}

TEST_CASE("generic: host, unless process or category name a device") {
  const auto side = [](const std::string& process, const std::string& category = "") {
    const Recorded read =
        ReadAs(Dialect::kGeneric, "[" + Name("process_name", 1, process) + X(1, 1, "n", "", category) + "]");
    REQUIRE(read.lanes.size() == 1);
    CHECK(read.lanes[0].plane == process);
    return read.lanes[0].side;
  };
  CHECK(side("/device:GPU:0") == Side::kDevice);
  CHECK(side("host /device:TPU:12") == Side::kDevice);
  for (const char* category : {"kernel", "gpu_memcpy", "gpu_memset"}) CHECK(side("app", category) == Side::kDevice);
  for (const char* process : {"GPU Process", "/device:GPU:", "/device:GPU:x", "x/device:GPU:0", "/device:GPU:0 more"}) {
    CHECK(side(process) == Side::kHost);
  }
}

}  // namespace
}  // namespace tfprof::chrome
