// `diff` and `baseline` as a whole, on the samples and files of the case suite.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run.h"
#include "memory_io.h"
#include "support/temp_tree.h"

namespace tfprof::cli {
namespace {

using Catch::Contains;
using testing::TempTree;

const std::string kSuite = "tests/cases/suite/";
const std::string kBase = "samples/custom_loop/host2", kNew = "samples/custom_loop/host3";
const std::string kCut = kSuite + "077a-xplane-cut/host0.xplane.pb";
const std::string kEmpty = kSuite + "052c-zero-bytes/host0.xplane.pb";

struct Answer {
  int code;
  std::string out, err;
};

Answer Call(const Args& args) {
  MemoryRun run;
  const int code = run.Call(args);
  return {code, run.out.text, run.err.text};
}

nlohmann::json Json(Args args) {
  args.insert(args.begin() + 1, {"-f", "json"});
  return nlohmann::json::parse(Call(args).out);
}

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

double SumOfChanges(const nlohmann::json& document) {
  double sum = 0;
  for (const auto& row : document["rows"]) sum += row["self_change_us"].get<double>();
  return sum;
}

}  // namespace

TEST_CASE("diff answers in every format") {
  for (const std::string format : {"table", "csv", "tsv", "json", "jsonl", "markdown"}) {
    INFO(format);
    const Answer answer = Call({"diff", kBase, "--", kNew, "-f", format});
    CHECK(answer.code == 0);
    CHECK(answer.out.ends_with('\n'));
  }
}

TEST_CASE("a run is what it was against itself, and the other way round is the opposite") {
  const nlohmann::json same = Json({"diff", kBase, "--", kBase});
  for (const auto& row : same["rows"]) CHECK(row["self_change_us"] == 0);
  const nlohmann::json there = Json({"diff", kBase, "--", kNew}), back = Json({"diff", kNew, "--", kBase});
  CHECK(there["rows"].size() == back["rows"].size());
  CHECK(SumOfChanges(there) == Approx(-SumOfChanges(back)));
  CHECK(there["step_time"]["change_us"].get<double>() == -back["step_time"]["change_us"].get<double>());
}

TEST_CASE("sums by type and scope are those by op") {
  const nlohmann::json ops = Json({"diff", "--no-idle", kBase, "--", kNew});
  for (const std::string by : {"type", "scope"}) {
    CHECK(SumOfChanges(Json({"diff", "--no-idle", "--by", by, kBase, "--", kNew})) == Approx(SumOfChanges(ops)));
  }
}

TEST_CASE("--base names a run of the base") {
  CHECK(Json({"diff", "--base", kBase, kNew}) == Json({"diff", kBase, "--", kNew}));
}

TEST_CASE("saved tables are the run that they were saved from") {
  const TempTree tree;
  const std::vector<std::pair<std::string, Args>> saved = {
      {"ops.json", {"-f", "json"}}, {"ops.csv", {"-f", "csv"}}, {"ops.tsv", {"-f", "tsv"}}};
  for (const auto& [name, flags] : saved) {
    INFO(name);
    Args args = {"ops", kBase};
    args.insert(args.end(), flags.begin(), flags.end());
    const std::string path = tree.File(name, Call(args).out);
    const nlohmann::json document = Json({"diff", path, "--", kBase});
    CHECK_FALSE(document["per_step"].get<bool>());
    CHECK(document["rows"].size() > 40);
    for (const auto& row : document["rows"]) {
      CHECK(row["presence"] == "both");
      CHECK(row["self_change_us"] == 0);
      CHECK(row["occurrences_change"] == 0);
    }
  }
}

TEST_CASE("exit codes of diff") {
  const TempTree tree;
  CHECK(Call({"diff", kBase, kNew}).code == 2);  // which is which?
  CHECK(Call({"diff", "--", kNew}).code == 2);
  CHECK(Call({"diff", kBase, "--"}).code == 2);
  CHECK(Call({"diff", kBase, "--", kNew, "--sort", "chnge"}).code == 2);
  CHECK(Call({"diff", kBase, "--", kNew, "--by", "kernel"}).code == 4);  // on a CPU there is none
  const Answer nothing_there = Call({"diff", "nosuch", "--", "nosuch2"});
  CHECK(nothing_there.code == 3);
  CHECK(nothing_there.out.empty());
  CHECK(Call({"diff", "nosuch", "--", kNew}).code == 3);
  CHECK(Call({"diff", kBase, "nosuch", "--", kNew}).code == 3);
  CHECK(Call({"diff", "--allow-partial", kBase, "nosuch", "--", kNew}).code == 0);
  CHECK(Call({"diff", kCut, "--", kCut}).code == 3);
  CHECK(Call({"diff", "--allow-partial", kCut, "--", kCut}).code == 0);
  CHECK(Call({"diff", kEmpty, "--", kNew}).code == 4);
  CHECK(Call({"diff", kBase, kEmpty, "--", kNew}).code == 3);  // half an answer
  CHECK(Call({"diff", "samples/unet_fit", "--", "samples/jax_train"}).code == 4);
  const std::string steps = tree.File("steps.json", Call({"steps", kBase, "-f", "json"}).out);
  const Answer other = Call({"diff", steps, "--", kBase});
  CHECK(other.code == 3);
  CHECK_THAT(other.err, Contains("holds the answer of `steps`"));
}

TEST_CASE("what differs between the sides is said first") {
  const nlohmann::json document = Json({"diff", "samples/unet_fit", "--", "samples/jax_train"});
  REQUIRE(document["parity"].size() == 1);
  CHECK(document["parity"][0]["what"] == "op set");
  CHECK(document["parity"][0]["prevents_verdict"] == true);
  const std::string page = Call({"diff", "samples/unet_fit", "--", "samples/jax_train"}).out;
  CHECK(page.find("Op set differs") < page.find("Step time"));
}

TEST_CASE("the same run named twice is one run") {
  const nlohmann::json document = Json({"diff", kBase, "./" + kBase, "--", kNew, kNew, kNew});
  CHECK(document["base_runs"].size() == 1);
  CHECK(document["new_runs"].size() == 1);
  const Answer answer = Call({"diff", kBase, "./" + kBase, "--", kNew});
  CHECK_THAT(answer.err, Catch::Contains("./" + kBase + ": is the same run as " + kBase + "; it counts once"));
}

TEST_CASE("steps can be left out") {
  const nlohmann::json all = Json({"diff", "--skip-steps", "0", kBase, "--", kNew});
  const nlohmann::json one = Json({"diff", kBase, "--", kNew});
  CHECK(all["step_time"]["base_us"] != one["step_time"]["base_us"]);
  const nlohmann::json none = Json({"diff", "--skip-steps", "99", kBase, "--", kNew});
  CHECK(none["step_time"].is_null());
  CHECK_FALSE(none["per_step"].get<bool>());
}

TEST_CASE("a baseline is the runs that were saved") {
  const TempTree tree;
  const std::string file = tree.Path("main.json");
  const Answer saved = Call({"baseline", "save", kBase, "-o", file});
  CHECK(saved.code == 0);
  CHECK_THAT(saved.out, Contains("1 run"));
  const nlohmann::json same = Json({"diff", file, "--", kBase});
  CHECK(same["rows"].size() > 10);
  for (const auto& row : same["rows"]) CHECK(row["self_change_us"] == 0);
  CHECK(Call({"baseline", "save", kBase}).out == TextOf(file));  // without -o it is printed

  CHECK(Call({"baseline", "add", kNew, "-o", file}).code == 0);
  const nlohmann::json show = Json({"baseline", "show", file});
  CHECK(show["schema"] == "tfprof-analyze/baseline-runs/v1");
  CHECK(show["rows"].size() == 2);
  CHECK(Json({"diff", file, "--", kNew})["base_runs"].size() == 2);

  const std::string before = TextOf(file);
  const Answer again = Call({"baseline", "add", kNew, "-o", file});
  CHECK(again.code == 0);
  CHECK_THAT(again.err, Contains("holds this run already"));
  CHECK(TextOf(file) == before);
}

TEST_CASE("a baseline is replaced by a whole one or not at all") {
  const TempTree tree;
  const std::string file = tree.File("main.json", "old");
  for (const Args& args : {Args{"baseline", "save", kCut, "-o", file}, Args{"baseline", "save", "nosuch", "-o", file},
                           Args{"baseline", "save", kBase, "nosuch", "-o", file}}) {
    const Answer answer = Call(args);
    CHECK(answer.code == 3);
    CHECK_THAT(answer.err, Contains("no baseline was written"));
    CHECK(TextOf(file) == "old");
  }
  CHECK(Call({"baseline", "save", kEmpty, "-o", file}).code == 4);
  CHECK(TextOf(file) == "old");
  CHECK(Call({"baseline", "save", "--allow-partial", kCut, "-o", file}).code == 0);
  CHECK_THAT(Call({"diff", file, "--", kCut}).err, Contains("was lost when it was saved"));
}

TEST_CASE("baselines that aren't there, or are none") {
  const TempTree tree;
  const std::string file = tree.Path("main.json");
  CHECK(Call({"baseline", "show", file}).code == 3);
  CHECK(Call({"baseline", "add", kBase, "-o", file}).code == 3);
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(Call({"baseline", "show", kBase}).code == 3);
  CHECK(Call({"baseline", "sav", kBase}).code == 2);
  CHECK(Call({"baseline", "add", kBase}).code == 2);
  CHECK(Call({"baseline", "show", file, "-o", file}).code == 2);
  const std::string table = tree.File("ops.json", Call({"ops", kBase, "-f", "json"}).out);
  const Answer no_baseline = Call({"baseline", "add", kBase, "-o", table});
  CHECK(no_baseline.code == 2);
  CHECK_THAT(no_baseline.err, Contains("is no baseline"));
  tree.File("empty.json", "");
  const Answer empty = Call({"diff", tree.Path("empty.json"), "--", kBase});
  CHECK(empty.code == 4);
  const std::string half = tree.File("half.json", Call({"baseline", "save", kBase}).out.substr(0, 900));
  const Answer cut = Call({"diff", half, "--", kBase});
  CHECK(cut.code == 3);
  CHECK_THAT(cut.err, Contains("no whole JSON document"));
}

}  // namespace tfprof::cli
