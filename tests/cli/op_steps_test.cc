// Self time of ops by steps (AnalysisRequest::want_op_steps) on whole files: nothing is lost or counted twice, and a
// host's step of the samples is what `steps` says.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cli/pipeline.h"
#include "input/discover.h"

namespace tfprof::cli {
namespace {

namespace fs = std::filesystem;
using analyze::int128;
using analyze::OpStepsResult;

const std::string kSamples = "samples/";
const std::string kTraces = "tests/traces/";

AnalysisRequest RequestFor(const std::vector<std::string>& inputs, unsigned threads = 1) {
  AnalysisRequest request;
  request.files = input::Discover(inputs, {}).files;
  REQUIRE(!request.files.empty());
  request.threads = threads;
  request.want_op_steps = true;
  request.include_idle = false;
  return request;
}

using OpKey = std::tuple<analyze::Side, std::string, std::string>;

// Each op's self time in all steps, and that of all ops.
std::map<OpKey, int128> InSteps(const OpStepsResult& steps, int128* sum) {
  std::map<OpKey, int128> by_op;
  *sum = steps.outside_self_ps;
  for (const OpStepsResult::Op& op : steps.ops) {
    int128& mine = by_op[{op.side, op.op_type, op.op_name}];
    for (const int64_t self_ps : op.self_ps) mine += self_ps, *sum += self_ps;
  }
  return by_op;
}

void CheckSums(const std::vector<std::string>& inputs) {
  INFO(inputs.front());
  AnalysisRequest request = RequestFor(inputs);
  request.want_ops = true;
  const AnalysisOutcome both = Analyze(request);
  int128 sum = 0;
  const std::map<OpKey, int128> by_op = InSteps(both.op_steps, &sum);
  CHECK(sum == both.ops.host.sum_self_ps + both.ops.device.sum_self_ps);
  CHECK(by_op.size() == both.ops.rows.size());
  for (const analyze::OpsRow& row : both.ops.rows) {
    INFO(row.op_name);
    const auto at = by_op.find({row.side, row.op_type, row.op_name});
    REQUIRE(at != by_op.end());
    CHECK(at->second <= row.self_ps);
    CHECK(at->second >= 0);
  }
  for (const OpStepsResult::Op& op : both.op_steps.ops) {
    REQUIRE(op.self_ps.size() == both.op_steps.steps.size());
    REQUIRE(op.occurrences.size() == both.op_steps.steps.size());
    CHECK(std::all_of(op.self_ps.begin(), op.self_ps.end(), [](int64_t ps) { return ps >= 0; }));
  }
}

TEST_CASE("self times in steps and outside of them are the op table's") {
  size_t checked = 0;
  for (const std::string& root : {kSamples, kTraces + "viewer", kTraces + "synthetic"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string path = entry.path();
      const bool profile = path.ends_with(".xplane.pb") || path.ends_with(".json") || path.ends_with(".json.gz");
      if (!entry.is_regular_file() || !profile) continue;
      CheckSums({path});
      ++checked;
    }
  }
  CHECK(checked >= 20);
  CheckSums({kSamples + "maskrcnn_hook"});
}

TEST_CASE("steps of ops are those that `steps` prints, asked for alone or beside others, with any number of threads") {
  AnalysisRequest request = RequestFor({kSamples + "unet_fit"});
  const AnalysisOutcome alone = Analyze(request);
  CHECK_FALSE(alone.empty);
  request.threads = 3;
  request.want_ops = request.views.steps = true;
  const AnalysisOutcome beside = Analyze(request);
  const std::vector<analyze::StepRow>& rows = beside.views.steps.rows;
  REQUIRE(alone.op_steps.steps.size() == rows.size());
  REQUIRE(rows.size() > 1);
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(alone.op_steps.steps[i].name == rows[i].name);
    CHECK(alone.op_steps.steps[i].total_ps == static_cast<int64_t>(rows[i].total_ps));
    CHECK(alone.op_steps.steps[i].cut == rows[i].perhaps_incomplete);
  }
  REQUIRE(alone.op_steps.ops.size() == beside.op_steps.ops.size());
  for (size_t i = 0; i < alone.op_steps.ops.size(); ++i) {
    CHECK(alone.op_steps.ops[i].self_ps == beside.op_steps.ops[i].self_ps);
    CHECK(alone.op_steps.ops[i].occurrences == beside.op_steps.ops[i].occurrences);
  }
  CHECK(alone.op_steps.outside_self_ps == beside.op_steps.outside_self_ps);
}

TEST_CASE("timelines of TF1 are a step each, in order of their numbers") {
  const OpStepsResult steps = Analyze(RequestFor({kSamples + "maskrcnn_hook"})).op_steps;
  REQUIRE(steps.steps.size() == 2);
  CHECK(steps.steps[0].name == "step 10");
  CHECK(steps.steps[1].name == "step 30");
  CHECK(steps.outside_self_ps == 0);
  for (size_t file = 0; file < 2; ++file) {
    AnalysisRequest request = RequestFor({kSamples + "maskrcnn_hook/timeline-" + (file == 0 ? "10" : "30") + ".json"});
    request.want_ops = true;
    const AnalysisOutcome one = Analyze(request);
    int128 sum = 0;
    for (const OpStepsResult::Op& op : steps.ops) sum += op.self_ps[file];
    CHECK(sum == one.ops.host.sum_self_ps + one.ops.device.sum_self_ps);
  }
}

TEST_CASE("what an op has in a step is what the op table of that step alone says") {
  const std::vector<std::string> inputs[] = {{kSamples + "unet_fit"},
                                             {kSamples + "maskrcnn_hook"},
                                             {kTraces + "viewer/maskrcnn_profile.trace.json.gz"},
                                             {kTraces + "synthetic/tpu_steps_pregrouped"},
                                             {kTraces + "synthetic/hlo_batch_flops"},
                                             {"tests/cases/suite/029-profiler-steps"}};
  for (const std::vector<std::string>& input : inputs) {
    INFO(input.front());
    const OpStepsResult all = Analyze(RequestFor(input)).op_steps;
    REQUIRE(all.steps.size() > 1);
    for (size_t step = 0; step < std::min<size_t>(all.steps.size(), 4); ++step) {
      INFO(all.steps[step].name);
      AnalysisRequest request = RequestFor(input);
      request.want_ops = true;
      const std::optional<uint64_t> number = analyze::StepNumber(all.steps[step].name);
      REQUIRE(number);
      request.steps = {true, number, number, 0};
      const AnalysisOutcome chosen = Analyze(request);
      REQUIRE(chosen.op_steps.steps.size() == 1);
      CHECK(chosen.op_steps.outside_self_ps == all.outside_self_ps);
      std::map<OpKey, int128> in_step;
      for (const OpStepsResult::Op& op : all.ops) {
        if (op.self_ps[step] > 0) in_step[{op.side, op.op_type, op.op_name}] = op.self_ps[step];
      }
      std::map<OpKey, int128> rows;
      for (const analyze::OpsRow& row : chosen.ops.rows) {
        if (row.self_ps > 0) rows[{row.side, row.op_type, row.op_name}] = row.self_ps;
      }
      CHECK(rows == in_step);
    }
  }
}

TEST_CASE("a profile without steps has all self time outside of them") {
  const AnalysisOutcome outcome = Analyze(RequestFor({"tests/cases/suite/026a-idle-on/host0.xplane.pb"}));
  CHECK(outcome.op_steps.steps.empty());
  CHECK(outcome.op_steps.ops.size() == 2);
  CHECK(outcome.op_steps.outside_self_ps == 60'000'000);
  CHECK_FALSE(outcome.empty);
}

}  // namespace
}  // namespace tfprof::cli
