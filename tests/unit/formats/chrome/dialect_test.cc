// Which writer's conventions a text is read by.
#include "formats/chrome/dialect.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "formats/chrome/recording.h"

namespace tfprof::chrome {
namespace {

std::string Process(const std::string& name, int pid = 1) {
  return R"({"ph":"M","name":"process_name","pid":)" + std::to_string(pid) + R"(,"args":{"name":")" + name + R"("}},)";
}
std::string Event(const std::string& category = "c") {
  return R"({"ph":"X","pid":1,"ts":1,"dur":1,"name":"n","cat":")" + category + R"("})";
}
Dialect DialectOfText(const std::string& text) {
  const Recorded read = ReadText(text);
  CHECK_FALSE(read.facts.dialect.reason.empty());
  return read.facts.dialect.dialect;
}
Dialect WithProcess(const std::string& name, const std::string& category = "c") {
  return DialectOfText("[" + Process(name) + Event(category) + "]");
}
Dialect WithKeys(const std::string& keys) {
  const Dialect before = DialectOfText("{" + keys + ",\"traceEvents\":[" + Event() + "]}");
  CHECK(DialectOfText("{\"traceEvents\":[" + Event() + "]," + keys + "}") == before);
  return before;
}

TEST_CASE("a process called `/… Compute` is a TF1 timeline") {
  CHECK(WithProcess("/job:localhost/replica:0/task:0/device:CPU:0 Compute") == Dialect::kTf1);
  CHECK(WithProcess("/gpu:0/stream:all Compute") == Dialect::kTf1);
  CHECK(WithProcess("/cpu:0 Compute", "kernel") == Dialect::kTf1);  // before the marks of Kineto
  CHECK(WithProcess("a /cpu:0 Compute") == Dialect::kGeneric);
  CHECK(WithProcess("/cpu 0 Compute") == Dialect::kGeneric);
  CHECK(WithProcess("/cpu:0 Tensors") == Dialect::kGeneric);
  CHECK(WithProcess("Compute") == Dialect::kGeneric);
}

TEST_CASE("Kineto by its top-level keys or its categories") {
  CHECK(WithKeys(R"("schemaVersion":1,"deviceProperties":[])") == Dialect::kKineto);
  CHECK(WithKeys(R"("schemaVersion":1,"traceName":"x")") == Dialect::kKineto);
  CHECK(WithKeys(R"("baseTimeNanoseconds":17)") == Dialect::kKineto);
  CHECK(WithKeys(R"("distributedInfo":{"rank":0})") == Dialect::kKineto);
  CHECK(WithKeys(R"("schemaVersion":1)") == Dialect::kGeneric);
  CHECK(WithKeys(R"("deviceProperties":[],"traceName":"x")") == Dialect::kGeneric);
  CHECK(WithKeys(R"("other":{"schemaVersion":1,"traceName":"x","baseTimeNanoseconds":1})") == Dialect::kGeneric);
  for (const char* category :
       {"cpu_op", "kernel", "gpu_memcpy", "cuda_runtime", "user_annotation", "python_function", "Kernel"}) {
    CHECK(DialectOfText("[" + Event(category) + "]") == Dialect::kKineto);
    CHECK(DialectOfText("[" + Event() + "," + Event(category) + "]") == Dialect::kKineto);
    CHECK(WithProcess("/host:CPU", category) == Dialect::kKineto);  // before the marks of TF2
  }
  CHECK(DialectOfText("[" + Event("cpu_op,x") + "]") == Dialect::kGeneric);
}

TEST_CASE("TF2 and JAX by their process names") {
  for (const char* name :
       {"/host:CPU", "/device:GPU:0", "/device:TPU:3", "/device:CUSTOM:x", "host-1 /host:CPU", "h /device:GPU:12"}) {
    CHECK(WithProcess(name) == Dialect::kTf2);
  }
  for (const char* name : {"x/host:CPU", "/device:", "GPU Process", "/host:GPU"})
    CHECK(WithProcess(name) == Dialect::kGeneric);
  // The closing {} and highres-ticks are no marks.
  CHECK(DialectOfText(R"({"metadata":{"highres-ticks":true},"traceEvents":[)" + Event() + ",{}]}") ==
        Dialect::kGeneric);
  // A thread of that name is none.
  CHECK(DialectOfText(R"([{"ph":"M","name":"thread_name","pid":1,"tid":0,"args":{"name":"/host:CPU"}},)" + Event() +
                      "]") == Dialect::kGeneric);
}

TEST_CASE("what is told late counts as what is told early") {
  const std::string gpu = Process("/device:GPU:0"),
                    event = R"({"ph":"X","pid":1,"ts":1,"dur":1,"name":"k","args":{"tf_op":"a:A"}})";
  const Recorded early = ReadText("[" + gpu + event + "]"), late = ReadText("[" + event + "," + gpu + "]");
  CHECK(early.readings == 1);
  CHECK(late.readings == 2);
  CHECK(late.SameAs(early));
  CHECK(late.lanes.at(0).side == trace::Side::kDevice);
  CHECK(late.lanes.at(0).events == std::vector<std::string>{"a:A@0+1000000"});
}

TEST_CASE("the reading that was asked for is taken") {
  const std::string text = "[" + Process("/host:CPU") +
                           R"({"ph":"X","pid":1,"ts":1,"dur":1,"name":"T","cat":"c","args":{"long_name":"a:A"}}])";
  const auto event = [&](Dialect dialect) {
    const Recorded read = ReadAs(dialect, text);
    CHECK(read.facts.dialect.dialect == dialect);
    CHECK(read.facts.dialect.reason.find("--format-in") != std::string::npos);
    CHECK(read.readings == 1);
    return read.Events();
  };
  CHECK(event(Dialect::kTf2) == std::vector<std::string>{"a:A@0+1000000"});
  CHECK(event(Dialect::kGeneric) == std::vector<std::string>{"T:c@0+1000000"});
  CHECK(event(Dialect::kKineto) == std::vector<std::string>{"T:c@0+1000000"});
  CHECK(event(Dialect::kTf1).empty());  // no process of that dialect
}

TEST_CASE("a tid as a number: its 64 bits") {
  CHECK(LaneIdOf("7") == 7);
  CHECK(LaneIdOf("-3") == -3);
  CHECK(LaneIdOf("9223372036854775807") == INT64_MAX);
  CHECK(LaneIdOf("9223372036854775808") == INT64_MIN);
  CHECK(LaneIdOf("18446744073709551615") == -1);
  CHECK(LaneIdOf("") == 0);
}

TEST_CASE("a tid that is no number of 64 bits has an id of its own") {
  std::set<int64_t> ids = {0, 7};
  for (const char* text : {"18446744073709551616", "x", "y", "7x", "1.5", "-", " 7"}) {
    INFO(text);
    CHECK(ids.insert(LaneIdOf(text)).second);
    CHECK(LaneIdOf(text) == LaneIdOf(text));
  }
}

TEST_CASE("names of dialects go both ways") {
  for (const Dialect dialect : {Dialect::kTf1, Dialect::kTf2, Dialect::kKineto, Dialect::kGeneric}) {
    CHECK(DialectOf(DialectName(dialect)) == dialect);
  }
  CHECK(DialectName(Dialect::kTf1) == "tf1-timeline");
  CHECK_FALSE(DialectOf("xplane"));
  CHECK_FALSE(DialectOf(""));
}

}  // namespace
}  // namespace tfprof::chrome
