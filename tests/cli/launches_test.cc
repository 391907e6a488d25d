// What an op of a timeline launched, whichever of its events stands first in the file.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "memory_io.h"

namespace tfprof::cli {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> kEvents = {
    R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#5","pid":1,"tid":1,"ts":100,"dur":50,"args":{}})",
    R"({"ph":"X","cat":"cpu_op","name":"mm","pid":1,"tid":1,"ts":110,"dur":20,"args":{"External id":9}})",
    R"({"ph":"X","cat":"cuda_runtime","name":"launch","pid":1,"tid":1,"ts":115,"dur":5,"args":{"correlation":7}})",
    R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":160,"dur":30,"args":{"device":0,"correlation":7}})",
    R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#6","pid":1,"tid":1,"ts":200,"dur":50,"args":{}})",
    R"({"ph":"X","cat":"kernel","name":"alone","pid":0,"tid":7,"ts":210,"dur":40,"args":{"device":0,"correlation":8}})"};

// What `tree --by call` says of the events in that order: each path with its launched time.
std::vector<std::string> Tree(const std::vector<std::string>& events, const Args& more) {
  std::string name = std::filesystem::temp_directory_path() / "launches-test-XXXXXX";
  const int fd = mkstemp(name.data());
  REQUIRE(fd >= 0);
  close(fd);
  std::string text = R"({"schemaVersion":1,"deviceProperties":[],"traceEvents":[)";
  for (size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "" : ",\n") + events[i];
  std::ofstream(name) << text << "]}";
  Args args = {"tree", "--by", "call", "-f", "json", name};
  args.insert(args.end(), more.begin(), more.end());
  MemoryRun run;
  run.Call(args);
  std::filesystem::remove(name);
  const Json document = Json::parse(run.out.text);
  std::vector<std::string> lines, paths;
  for (const Json& row : document["rows"]) {
    const std::string own = row["name"];
    paths.push_back(row["parent"].is_null() ? own : paths[row["parent"].get<size_t>()] + "/" + own);
    lines.push_back(paths.back() + " " + row["launched_device_us"].dump());
  }
  std::sort(lines.begin(), lines.end());
  lines.push_back("unowned " + document["unowned_launched_us"].dump());
  return lines;
}

}  // namespace

TEST_CASE("kernels of a timeline hang below the call that launched them, in whatever order its events stand") {
  std::vector<std::string> events = kEvents;
  for (size_t i = 0; i < events.size(); ++i) {
    INFO("first: " << events.front());
    CHECK(Tree(events, {}) == std::vector<std::string>{"ProfilerStep#5 30", "ProfilerStep#5/mm 30",
                                                       "ProfilerStep#5/mm/launch 30", "ProfilerStep#5/mm/launch/gemm 0",
                                                       "ProfilerStep#6 0", "alone 0", "unowned 40"});
    CHECK(Tree(events, {"--steps", "5"}) == std::vector<std::string>{"ProfilerStep#5 30", "ProfilerStep#5/mm 30",
                                                                     "ProfilerStep#5/mm/launch 30",
                                                                     "ProfilerStep#5/mm/launch/gemm 0", "unowned 0"});
    CHECK(Tree(events, {"--time", "0us:70us"}) ==
          std::vector<std::string>{"ProfilerStep#5 10", "ProfilerStep#5/mm 10", "ProfilerStep#5/mm/launch 10",
                                   "ProfilerStep#5/mm/launch/gemm 0", "unowned 0"});
    std::rotate(events.begin(), events.begin() + 1, events.end());
  }
}

}  // namespace tfprof::cli
