// --steps and --skip-steps on whole files: an XSpace with a GPU whose work runs late, the samples, and files without
// steps.
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "memory_io.h"
#include "support/xspace_builder.h"

namespace tfprof::cli {
namespace {

using namespace tfprof::testing;
using Json = nlohmann::json;

// A profile in a directory of its own.
class ProfileFile {
 public:
  explicit ProfileFile(const std::string& bytes) {
    std::string name = std::filesystem::temp_directory_path() / "step-selection-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    directory_ = name;
    std::ofstream(path(), std::ios::binary) << bytes;
  }
  ~ProfileFile() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  ProfileFile(const ProfileFile&) = delete;
  ProfileFile& operator=(const ProfileFile&) = delete;
  std::string path() const { return directory_ + "/host0.xplane.pb"; }

 private:
  std::string directory_;
};

Json Answer(Args args, int exit_code = 0) {
  args.insert(args.end(), {"-f", "json"});
  MemoryRun run;
  const int code = run.Call(args);
  INFO(run.err.text);
  CHECK(code == exit_code);
  return Json::parse(run.out.text);
}

const Json& Row(const Json& document, const std::string& name, const char* field = "op_name") {
  for (const Json& row : document["rows"]) {
    if (row[field] == name) return row;
  }
  FAIL("no row " << name);
  return document;
}

// Times in us. Steps 3 and 4 adjoin, step 5 comes later; their kernels run up to 60 us after them. All of it starts
// `late` us after a view, on which no op lies.
std::string GpuRun(int64_t late = 0) {
  constexpr int64_t kUs = 1'000'000;
  const auto event = [late](int64_t name, int64_t from, int64_t to, int64_t group, const std::string& more = "") {
    return EncodeEvent(name, (late + from) * kUs, (to - from) * kUs, IntStat(1, group) + more);
  };
  const auto marker = [&event](int64_t from, int64_t to, int64_t group, const char* name) {
    return event(1, from, to, group, IntStat(2, group) + TextStat(3, name));
  };
  const auto kernel = [&event](int64_t from, int64_t to, int64_t group) {
    return event(1, from, to, group, TextStat(4, "regs:8 grid:1,1,1 block:32,1,1"));
  };
  const std::string host = EncodePlane(
      "/host:CPU", EncodeLine(1, "t",
                              marker(0, 100, 0, "train 3") + event(2, 10, 30, 0) + event(2, 90, 110, 0) +
                                  marker(100, 200, 1, "train 4") + event(2, 120, 150, 1) + event(2, 210, 220, 1) +
                                  marker(300, 400, 2, "train 5") + event(2, 300, 305, 2)) +
                       EventName(1, "train") + EventName(2, "a:MatMul") + StatName(1, "group_id") +
                       StatName(2, "step_num") + StatName(3, "step_name"));
  const std::string gpu = EncodePlane(
      "/device:GPU:0",
      EncodeLine(6, "XLA Modules", EncodeEvent(1, 0, kUs)) +
          EncodeLine(7, "s", kernel(40, 120, 0) + kernel(130, 160, 1) + kernel(210, 260, 1) + kernel(430, 440, 2)) +
          EventName(1, "kernel") + StatName(1, "group_id") + StatName(4, "kernel_details"));
  return host + gpu;
}

TEST_CASE("ops of chosen steps: the host's are clipped, a GPU's belong whole to the step that launched them") {
  const ProfileFile file(GpuRun());
  const Json one = Answer({"ops", file.path(), "--steps", "3"});
  CHECK(one["totals"]["host"]["sum_self_us"] == 30);  // of MatMul [90, 110] half
  CHECK(one["totals"]["device"]["sum_self_us"] == 80);
  const Json two = Answer({"ops", file.path(), "--steps", "4:4"});
  CHECK(two["totals"]["host"]["sum_self_us"] == 40);
  CHECK(two["totals"]["device"]["sum_self_us"] == 80);
  const Json three = Answer({"ops", file.path(), "--skip-steps", "2"});
  CHECK(three["totals"]["host"]["sum_self_us"] == 5);
  CHECK(three["totals"]["device"]["sum_self_us"] == 10);
  const Json all = Answer({"ops", file.path(), "--steps", ":"});
  CHECK(all["totals"]["host"]["sum_self_us"] == 75);  // without MatMul [210, 220], which is in no step
  CHECK(all["totals"]["device"]["sum_self_us"] == 170);
  CHECK(Answer({"ops", file.path()})["totals"]["host"]["sum_self_us"] == 85);
  const Json apart = Answer({"ops", file.path(), "--steps", "4:"});
  CHECK(apart["totals"]["host"]["span_us"] == 205 - 100);  // [100, 200] and [300, 305] adjoin
  CHECK(apart["totals"]["host"]["idle_us"] == 205 - 100 - 45);
}

// A step's begin and end as `steps` prints them, for --time.
std::string RangeOf(const Json& step) {
  const double start_us = step["start_us"].get<double>();
  return fmt::format("{:.6f}us:{:.6f}us", start_us, start_us + step["total_us"].get<double>());
}

TEST_CASE("times count from the trace's start: the begin and end of a step, given to --time, hold its ops") {
  const auto sums = [](const Json& document) {
    std::map<std::string, double> of_side;
    for (const auto& [side, totals] : document["totals"].items()) of_side[side] = totals["sum_self_us"];
    return of_side;
  };
  const ProfileFile late(GpuRun(500));
  for (const std::string& path : {late.path(), std::string("samples/unet_fit"),
                                  std::string("tests/traces/viewer/maskrcnn_profile.trace.json.gz")}) {
    const Json steps = Answer({"steps", path});
    REQUIRE(steps["rows"].size() > 2);
    const Json& step = steps["rows"].back();
    const std::string name = step["name"].get<std::string>();
    INFO(path << ", " << name << ": " << RangeOf(step));
    const auto in_range = sums(Answer({"ops", path, "--time", RangeOf(step)}));
    CHECK(in_range == sums(Answer({"ops", path, "--steps", name.substr(name.rfind(' ') + 1)})));
    CHECK(in_range.at("host") > 0);
  }
  CHECK(Answer({"steps", late.path()})["rows"][0]["start_us"] == 0);
  CHECK(Answer({"steps", late.path(), "--steps", "4"})["rows"][0]["start_us"] == 100);
}

TEST_CASE("info and memory count from the trace's start, as events do") {
  const ProfileFile late(GpuRun(500));
  std::map<std::string, double> first_us;
  const Json info = Answer({"info", late.path()});
  for (const Json& plane : info["files"][0]["planes"]) {
    for (const Json& lane : plane["lane_list"]) first_us[lane["name"]] = lane["first_us"];
  }
  CHECK(first_us == std::map<std::string, double>{{"XLA Modules", -500}, {"s", 40}, {"t", 0}});
  const double peak_us = Answer({"memory", "samples/unet_fit"})["allocators"][0]["peak_time_us"];
  const Json allocations = Answer({"events", "samples/unet_fit", "--include", "^MemoryAllocation$"});
  CHECK(std::any_of(allocations["rows"].begin(), allocations["rows"].end(),
                    [&](const Json& event) { return event["start_us"] == peak_us; }));
}

TEST_CASE("the tree, events and rows of steps follow the choice as ops do") {
  const ProfileFile file(GpuRun());
  for (const char* by : {"scope", "call", "type"}) {
    const Json tree = Answer({"tree", file.path(), "--by", by, "--steps", "4"});
    double host_us = 0, device_us = 0;
    for (const Json& row : tree["rows"]) {
      host_us += row["host_self_us"].get<double>();
      device_us += row["device_self_us"].get<double>();
    }
    CHECK(host_us == 40);
    CHECK(device_us == 80);
  }
  const Json steps = Answer({"steps", file.path(), "--steps", "4:5"});
  REQUIRE(steps["rows"].size() == 2);
  CHECK(steps["rows"][0]["name"] == "train 4");
  CHECK(steps["summary"]["total_us"]["max"] == 160);  // [100, 260]
  const Json events = Answer({"events", file.path(), "--steps", "4"});
  CHECK(events["rows"].size() == 5);  // the marker, [90, 110] whole, [120, 150], two kernels
}

TEST_CASE("kernels of chosen steps are those that these launched") {
  const ProfileFile file(GpuRun());
  const Json kernels = Answer({"kernels", file.path(), "--steps", "4"});
  CHECK(Row(kernels, "kernel", "kernel_name")["occurrences"] == 2);
  CHECK(Row(kernels, "kernel", "kernel_name")["total_us"] == 80);
  CHECK(Row(Answer({"kernels", file.path()}), "kernel", "kernel_name")["total_us"] == 170);
}

TEST_CASE("means by step are of what lies in steps, null where there are none") {
  const ProfileFile file(GpuRun());
  const Args columns = {"--columns", "+self_per_step,occurrences_per_step", "--no-idle"};
  Args args = {"ops", file.path()};
  args.insert(args.end(), columns.begin(), columns.end());
  const Json all = Answer(args);
  CHECK(Row(all, "a")["self_us"] == 85);
  CHECK(Row(all, "a")["self_per_step_us"] == 25);
  CHECK(Row(all, "a")["occurrences_per_step"] == Approx(4.0 / 3));
  args.insert(args.end(), {"--steps", "4"});
  CHECK(Row(Answer(args), "a")["self_per_step_us"] == 40);
  args = {"ops", "tests/cases/suite/026a-idle-on/host0.xplane.pb"};
  args.insert(args.end(), columns.begin(), columns.end());
  CHECK(Row(Answer(args), "a")["self_per_step_us"].is_null());
  CHECK(Row(Answer(args), "a")["occurrences_per_step"].is_null());
}

TEST_CASE("the steps of a sample add up to all of them, whatever the command counts") {
  const auto self_us = [](const std::string& steps) {
    return Answer({"ops", "samples/unet_fit", "--steps", steps})["totals"]["host"]["sum_self_us"].get<double>();
  };
  double sum = 0;
  for (int step = 3; step <= 8; ++step) sum += self_us(std::to_string(step));
  CHECK(sum == Approx(self_us(":")).epsilon(1e-12));
  CHECK(self_us("3:5") + self_us("6:") == Approx(self_us(":")).epsilon(1e-12));
  CHECK(Answer({"ops", "samples/unet_fit", "--skip-steps", "0"}) == Answer({"ops", "samples/unet_fit"}));
  const Json threads = Answer({"ops", "samples/unet_fit", "--steps", "4:6", "-j", "3"});
  CHECK(threads == Answer({"ops", "samples/unet_fit", "--steps", "4:6", "-j", "1"}));
}

TEST_CASE("the XSpace and the timeline of one run agree about a step") {
  for (const char* steps : {"2", "7", "5:9"}) {
    const Args flags = {"--steps", steps, "--by", "type", "--no-idle", "--columns", "type,occurrences"};
    const auto counts = [&flags](const std::string& file) {
      Args args = flags;
      args.insert(args.begin(), {"ops", file});
      std::map<std::string, uint64_t> by_type;
      const Json document = Answer(args);
      for (const Json& row : document["rows"]) by_type[row["type"]] = row["occurrences"];
      return by_type;
    };
    const auto space = counts("samples/maskrcnn_profile");
    CHECK(space.size() > 20);
    CHECK(space == counts("tests/traces/viewer/maskrcnn_profile.trace.json.gz"));
  }
}

TEST_CASE("steps over before their work begins: exit 4 says so") {
  const Json document = Answer({"ops", "samples/jax_train", "--steps", "1"}, 4);
  CHECK_THAT(document["diagnostics"].dump(), Catch::Contains("as JAX does"));
}

TEST_CASE("TF1: a step is a file, and all of it") {
  const Json chosen = Answer({"ops", "samples/maskrcnn_hook", "--steps", "30"});
  const Json file = Answer({"ops", "samples/maskrcnn_hook/timeline-30.json"});
  CHECK(chosen["rows"] == file["rows"]);
}

TEST_CASE("memory: the peak is of the chosen steps, what was alive then may be older") {
  const Json whole = Answer({"memory", "samples/unet_fit"});
  const Json chosen = Answer({"memory", "samples/unet_fit", "--steps", "5"});
  const Json& all = whole["allocators"][0];
  const Json& some = chosen["allocators"][0];
  CHECK(some["allocations"].get<int>() < all["allocations"].get<int>());
  CHECK(some["allocations"].get<int>() > 0);
  CHECK(some["peak_bytes"].get<int64_t>() <= all["peak_bytes"].get<int64_t>());
  for (const Json& point : some["timeline"]) CHECK(point["time_us"].get<double>() > 56'000);
}

TEST_CASE("no step chosen: exit 4, the document whole, a sentence says what there is") {
  for (const char* command : {"", "ops", "tree", "steps", "overview", "kernels", "input", "memory", "events"}) {
    INFO(command);
    Args args = {"samples/unet_fit", "--steps", "100:"};
    if (*command != '\0') args.insert(args.begin(), command);
    const Json document = Answer(args, 4);
    bool told = false;
    for (const Json& item : document["diagnostics"]) {
      if (item["code"] != "no-step-chosen") continue;
      told = true;
      CHECK_THAT(item["message"].get<std::string>(), Catch::Contains("the profile has 6: train 3 to train 8"));
    }
    CHECK(told);
    if (document.contains("rows")) CHECK(document["rows"].empty());
  }
  const std::string without = "tests/cases/suite/026a-idle-on/host0.xplane.pb";
  const Json none = Answer({"ops", without, "--skip-steps", "1"}, 4);
  CHECK(none["rows"].empty());
}

TEST_CASE("what makes no sense with steps is a usage error") {
  const std::pair<Args, const char*> wrong[] = {
      {{"ops", "--steps", "5:3"}, "--steps: \"5:3\" is no range of step numbers"},
      {{"ops", "--steps", ""}, "no range of step numbers"},
      {{"ops", "--steps", "a"}, "no range of step numbers"},
      {{"ops", "--steps", "1:2:3"}, "no range of step numbers"},
      {{"ops", "--skip-steps", "-1"}, "--skip-steps: \"-1\" is no whole number"},
      {{"ops", "--steps", "3", "--compat", "xprof"}, "over all steps; leave out --compat"},
      {{"ops", "--columns", "+self_per_step", "--compat", "xprof"}, "over all steps; leave out --compat"},
      {{"info", "--steps", "3"}, "--steps is no flag of tfprof-analyze info"},
  };
  for (auto [args, message] : wrong) {
    args.push_back("samples/unet_fit");
    MemoryRun run;
    CHECK(run.Call(args) == 2);
    CHECK(run.out.text.empty());
    CHECK_THAT(run.err.text, Catch::Contains(message));
  }
}

}  // namespace
}  // namespace tfprof::cli
