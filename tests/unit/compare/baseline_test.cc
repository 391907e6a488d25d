#include "compare/baseline.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "compare/profile_of_run.h"
#include "run_fixture.h"

namespace tfprof::compare {
namespace {

RunProfile FullRun() {
  RunProfile run = RunOf({{"MatMul", "a/\"quoted\"", 1.5}, {"Conv2D", "b", 2, trace::Side::kDevice}});
  run.label = "logs/ (2026_01_01)";
  run.environment = {"xplane", "Nvidia GPU (Turing)", "", 2, 4};
  run.steps->stddev_ps = 0.1 + 0.2;
  run.memory_peaks = {{"GPU_0_bfc", 1'000'000'007}};
  run.kernel_launches = 12;
  run.input_fraction = 0.25;
  run.bottleneck = "both";
  run.diagnostics = {{"overrun", 3}};
  run.ops[0].total_ps = 9'007'199'254'740'993;  // no double
  return run;
}

std::string ErrorOf(const std::string& text) {
  const Result<Baseline> parsed = ParseBaseline(text);
  return parsed ? "none" : parsed.error().message;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a baseline is read back as it was written") {
  const RunProfile bare;
  const std::string text = WriteBaseline({{FullRun(), bare}});
  const Result<Baseline> read = ParseBaseline(text);
  REQUIRE(read.ok());
  REQUIRE(read.value().runs.size() == 2);
  CHECK(WriteBaseline(read.value()) == text);
  const RunProfile& run = read.value().runs[0];
  CHECK(run.label == "logs/ (2026_01_01)");
  CHECK(run.environment.device_type == "Nvidia GPU (Turing)");
  CHECK(run.environment.devices == 4);
  REQUIRE(run.steps);
  CHECK(run.steps->stddev_ps == 0.1 + 0.2);
  CHECK(run.memory_peaks == FullRun().memory_peaks);
  CHECK(run.kernel_launches == 12);
  CHECK(run.input_fraction == 0.25);
  REQUIRE(run.ops.size() == 2);
  CHECK(run.ops[0].key == FullRun().ops[0].key);
  CHECK(run.ops[0].total_ps == 9'007'199'254'740'993);
  CHECK(run.ops[1].self_per_step_ps == FullRun().ops[1].self_per_step_ps);
  CHECK_FALSE(read.value().runs[1].steps);
  CHECK_FALSE(read.value().runs[1].kernel_launches);
}

TEST_CASE("a baseline has one op a line, so that branches can be merged") {
  const std::string text = WriteBaseline({{FullRun()}});
  CHECK(text.find("op_name\": \"b\"") < text.find("op_name\": \"a/"));  // device before host: sorted by key
  CHECK(std::count(text.begin(), text.end(), '\n') == 20);
}

TEST_CASE("a baseline that can't be read says why") {
  using Catch::Contains;
  const std::string good = WriteBaseline({{FullRun()}});
  CHECK(ErrorOf(good) == "none");
  CHECK_THAT(ErrorOf(""), Contains("no whole JSON document"));
  CHECK_THAT(ErrorOf(good.substr(0, good.size() / 2)), Contains("cut off"));
  CHECK_THAT(ErrorOf("<<<<<<< ours\n" + good), Contains("conflict marks"));
  CHECK_THAT(ErrorOf(Replaced(good, "baseline/v1", "baseline/v2")), Contains("save it anew"));
  CHECK_THAT(ErrorOf(Replaced(good, "tfprof-analyze/baseline/v1", "other")), Contains("no baseline"));
  CHECK_THAT(ErrorOf("[]"), Contains("no baseline"));
  CHECK_THAT(ErrorOf(R"({"schema": "tfprof-analyze/baseline/v1", "runs": []})"), Contains("no run"));
  CHECK_THAT(ErrorOf(R"({"schema": "tfprof-analyze/baseline/v1"})"), Contains("runs is missing"));
  CHECK_THAT(ErrorOf(Replaced(good, "\"occurrences\": 100", "\"occurrences\": \"x\"")),
             Contains("run 1, op 1: occurrences"));
  CHECK_THAT(ErrorOf(Replaced(good, "\"median_ps\": ", "\"median_ps\": -")), Contains("run 1, steps: median_ps"));
  CHECK_THAT(ErrorOf(Replaced(good, "\"damaged\": false", "\"damaged\": 0")), Contains("damaged"));
  CHECK_THAT(ErrorOf(Replaced(good, "\"self_ps\": ", "\"self_ps\": 0.")), Contains("self_ps"));
  CHECK_THAT(ErrorOf(Replaced(good, "\"self_ps\": ", "\"self_ps\": 999999999999")), Contains("self_ps"));
  CHECK_THAT(ErrorOf(Replaced(good, "\"hosts\": ", "\"hosts\": -")), Contains("environment: hosts"));
}

TEST_CASE("ops of one printable name are one") {
  std::vector<OpFigures> ops(3);
  ops[0] = {{trace::Side::kHost, "A", "b\xff"}, 1, 10, 20, 5.0, 1.0};
  ops[1] = {{trace::Side::kHost, "A", "a"}, 2, 1, 1, std::nullopt, std::nullopt};
  ops[2] = {{trace::Side::kHost, "A", "b\xfe"}, 3, 100, 200, 50.0, 3.0};
  SortOps(&ops);
  REQUIRE(ops.size() == 2);
  CHECK(ops[0].key.op_name == "a");
  CHECK(ops[1].key.op_name == "b\xef\xbf\xbd");
  CHECK(ops[1].occurrences == 4);
  CHECK(ops[1].self_ps == 110);
  CHECK(ops[1].total_ps == 220);
  CHECK(ops[1].self_per_step_ps == 55.0);
}

}  // namespace tfprof::compare
