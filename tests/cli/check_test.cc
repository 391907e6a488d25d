// `check` from the command line to the exit status: verdicts, and every kind of bad input.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "memory_io.h"

namespace tfprof::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;  // a baseline begins with its schema

const std::string kRun = "samples/custom_loop/host2";
const std::string kNoOps = "samples/custom_loop/host0_python1";
const std::string kCut = "tests/cases/suite/077a-xplane-cut/host0.xplane.pb";
const std::string kEmpty = "tests/cases/suite/052c-zero-bytes/host0.xplane.pb";

class Folder {
 public:
  Folder() {
    std::string name = fs::temp_directory_path() / "check-test-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }
  std::string Text(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

struct Answer {
  int code = 0;
  std::string out, err;
};

Answer Check(Args args) {
  args.insert(args.begin(), "check");
  MemoryRun run;
  const int code = run.Call(args);
  return {code, run.out.text, run.err.text};
}

Json Document(Args args) {
  args.insert(args.end(), {"-f", "json"});
  return Json::parse(Check(args).out);
}

// What `baseline save` writes of a real run, so many times with some permille between them; MatMul ops take `slower`
// times as long.
std::string Baseline(size_t runs, double slower) {
  MemoryRun saved;
  REQUIRE(saved.Call({"baseline", "save", kRun}) == 0);
  Json document = Json::parse(saved.out.text);
  const Json first = document["runs"][0];
  document["runs"] = Json::array();
  for (size_t i = 0; i < runs; ++i) {
    Json run = first;
    run["label"] = "run" + std::to_string(i);
    for (Json& op : run["ops"]) {
      const bool is_matmul = op["op_type"].get<std::string>().find("MatMul") != std::string::npos;
      const double factor = (1 + 0.001 * static_cast<double>(i)) * (is_matmul ? slower : 1);
      for (const char* field : {"self_ps", "total_ps"}) {
        op[field] = static_cast<int64_t>(op[field].get<double>() * factor);
      }
      if (!op["self_per_step_ps"].is_null()) {
        op["self_per_step_ps"] = op["self_per_step_ps"].get<double>() * factor;
      }
    }
    document["runs"].push_back(std::move(run));
  }
  return document.dump();
}

}  // namespace

TEST_CASE("check: reports name a path below the working directory from there, others as typed") {
  const fs::path run = fs::current_path() / kRun;
  const Folder folder;
  const std::string slow = folder.Write("slow.json", Baseline(1, 1.5));
  const Answer below = Check({slow, "--baseline", run.string(), "-f", "gitlab", "--on-inconclusive", "fail"});
  CHECK_THAT(below.out, Catch::Contains("\"path\":\"" + kRun + "\""));
  const Answer elsewhere = Check({kRun, "--baseline", folder.Write("fast.json", Baseline(1, 0.5)), "-f", "gitlab"});
  CHECK_THAT(elsewhere.out, Catch::Contains("\"path\":\"" + folder.Path("fast.json") + "\""));
}

TEST_CASE("check: --skip-steps says what it can't be applied to") {
  const Folder folder;
  const std::string base = folder.Write("base.json", Baseline(1, 1));
  const Answer answer = Check({kRun, "--baseline", base, "--skip-steps", "1"});
  CHECK_THAT(answer.err, Catch::Contains(base + ": saved results can't be cut to steps any more"));
}

TEST_CASE("check: equal runs pass, a planted regression fails with the op named, and is found again each time") {
  const Folder folder;
  const std::string base = folder.Write("base.json", Baseline(7, 1));
  const std::string same = folder.Write("same.json", Baseline(7, 1));
  const std::string slow = folder.Write("slow.json", Baseline(7, 1.2));
  const Answer passed = Check({same, "--baseline", base});
  INFO(passed.err << passed.out);
  CHECK(passed.code == 0);
  CHECK_THAT(passed.out, Catch::StartsWith("passed: "));

  const Answer failed = Check({slow, "--baseline", base});
  INFO(failed.err << failed.out);
  CHECK(failed.code == 1);
  CHECK_THAT(failed.out, Catch::StartsWith("failed: ") && Catch::Contains("regressed  gradient_tape/"));
  CHECK(Check({slow, "--baseline", base}).out == failed.out);

  const Answer faster = Check({base, "--baseline", slow});
  CHECK(faster.code == 0);
  CHECK_THAT(faster.out, Catch::Contains("improved"));
}

TEST_CASE("check: inconclusive is 4, or what --on-inconclusive says; reports say inconclusive all the same") {
  const Folder folder;
  const std::string base = folder.Write("base.json", Baseline(1, 1));
  const std::string slow = folder.Write("slow.json", Baseline(1, 1.5));
  CHECK(Check({slow, "--baseline", base}).code == 4);
  CHECK(Check({slow, "--baseline", base, "--on-inconclusive", "pass"}).code == 0);
  CHECK(Check({slow, "--baseline", base, "--on-inconclusive", "fail"}).code == 1);
  CHECK(Document({slow, "--baseline", base, "--on-inconclusive", "fail"})["outcome"] == "inconclusive");
  const std::string rules =
      folder.Write("rules.json", R"({"schema":"tfprof-analyze/rules/v1","compare":{"single_run_decides":true}})");
  CHECK(Check({slow, "--baseline", base, "--rules", rules}).code == 1);
}

TEST_CASE("check: one command writes all reports, of one verdict") {
  const Folder folder;
  const Answer answer = Check({kRun, "--fail-if", "steps.median > 1us", "-o", folder.Path("a.json"), "-o",
                               folder.Path("a.xml"), "-o", folder.Path("a.sarif"), "-o",
                               "gitlab:" + folder.Path("q.json"), "-o", folder.Path("a.md"), "-f", "github"});
  CHECK(answer.code == 1);
  CHECK_THAT(answer.out, Catch::StartsWith("::error title=tfprof-analyze%3A check failed::"));
  CHECK(Json::parse(folder.Text("a.json"))["outcome"] == "failed");
  CHECK_THAT(folder.Text("a.xml"), Catch::Contains("failures=\"1\""));
  CHECK(Json::parse(folder.Text("a.sarif"))["version"] == "2.1.0");
  CHECK(Json::parse(folder.Text("q.json")).size() == 1);
  CHECK_THAT(folder.Text("a.md"), Catch::StartsWith("## ❌ tfprof-analyze check"));
}

TEST_CASE("check: rules that make no sense are usage errors, told before anything is read") {
  const Folder folder;
  const std::string head = R"({"schema":"tfprof-analyze/rules/v1")";
  const std::pair<Args, std::string> wrong[] = {
      {{kRun}, "there is nothing to check; name a baseline"},
      {{kRun, "--fail-if", "steps.maen > 1ms"}, "did you mean steps.mean?"},
      {{kRun, "--fail-if", "steps.mean > nan"}, "no finite number"},
      {{kRun, "--fail-if", "steps.mean > 5%"}, "needs a baseline, and none is given"},
      {{kRun, "--fail-if", ""}, "it is empty"},
      {{kRun, "--rules", folder.Path("none.json")}, "cannot be read: No such file"},
      {{kRun, "--rules", "samples"}, "cannot be read: Is a directory"},
      {{kRun, "--rules", folder.Write("1", "nonsense")}, "is no JSON"},
      {{kRun, "--rules", folder.Write("2", R"({"schema":"tfprof-analyze/rules/v9"})")}, "is of another version"},
      {{kRun, "--rules", folder.Write("3", head + R"(,"rulse":[]})")}, "did you mean rules?"},
      {{kRun, "--rules", folder.Write("4", head + R"(,"rules":["ops.self_us > 1"]})")}, "rules[0]: rule"},
      {{kRun, "--rules", folder.Write("5", head + "}")}, "there is nothing to check"},
      {{kRun, "--baseline", ""}, "--baseline: no file is named"},
      {{"-", "--baseline", "-"}, "- can stand once"},
      {{kRun, "--baseline", kRun, "--on-inconclusive", "pas"}, "did you mean pass?"},
      {{kRun, "--baseline", kRun, "-f", "junt"}, "did you mean junit?"},
      {{}, "there is no INPUT"},
  };
  for (const auto& [args, message] : wrong) {
    const Answer answer = Check(args);
    INFO(message << "\n" << answer.err);
    CHECK(answer.code == 2);
    CHECK(answer.out.empty());
    CHECK_THAT(answer.err, Catch::Contains(message));
  }
}

TEST_CASE("check: its rules aren't overwritten, and can't be given twice") {
  const Folder folder;
  const std::string rules = folder.Write("r.json", R"({"schema":"tfprof-analyze/rules/v1","rules":["steps.median > 1000s"]})");
  const std::string before = folder.Text("r.json");
  const Answer own = Check({kRun, "--rules", rules, "-o", "json:" + rules});
  CHECK(own.code == 2);
  CHECK_THAT(own.err, Catch::Contains("is an input"));
  CHECK(folder.Text("r.json") == before);
  CHECK(Check({kRun, "--rules", rules, "--rules", rules}).code == 2);
}

TEST_CASE("check: --host chooses among the hosts of profiles, not of a baseline") {
  const Folder folder;
  const std::string base = folder.Write("base.json", Baseline(1, 1));
  CHECK(Check({kRun, "--host", "host", "--baseline", base}).code == 0);
}

TEST_CASE("check: formats for CI are of check alone") {
  for (const char* name : {"junit", "github", "sarif", "gitlab"}) {
    MemoryRun format, output;
    CHECK(format.Call({"ops", kRun, "-f", name}) == 2);
    CHECK_THAT(format.err.text, Catch::Contains(std::string(name) + " is a report of `check` alone"));
    CHECK(output.Call({"ops", kRun, "-o", std::string(name) + ":x"}) == 2);
    CHECK_THAT(output.err.text, Catch::Contains(std::string(name) + " is a report of `check` alone"));
  }
}

TEST_CASE("check: a baseline that is missing, empty, of another version or no baseline at all") {
  const Folder folder;
  const std::string good = Baseline(1, 1);
  std::string other_version = good;
  other_version.replace(other_version.find("baseline/v1"), 11, "baseline/v9");
  const std::pair<std::string, std::string> wrong[] = {
      {folder.Path("none.json"), "cannot be read: No such file"},
      {folder.Write("v9.json", other_version), "version"},
      {folder.Write("cut.json", good.substr(0, good.size() / 2)), "cut.json"},
      {folder.Write("other.json", R"({"schema":"tfprof-analyze/rules/v1"})"), "other.json"},
  };
  for (const auto& [path, message] : wrong) {
    const Answer answer = Check({kRun, "--baseline", path});
    INFO(path << "\n" << answer.err << answer.out);
    CHECK(answer.code == 3);
    CHECK_THAT(answer.err, Catch::Contains(message));
  }
  const Answer empty = Check({kRun, "--baseline", kEmpty, "-f", "json"});
  CHECK(empty.code == 4);
  CHECK_THAT(Json::parse(empty.out)["statement"].get<std::string>(), Catch::Contains("nothing to check against"));
}

TEST_CASE("check: new runs that are missing, empty, damaged or without an op") {
  CHECK(Check({"nope", "--fail-if", "steps.median > 1us"}).code == 3);
  CHECK(Check({"nope", "--fail-if", "steps.median > 1us"}).out.empty());

  const Json empty = Document({kEmpty, "--fail-if", "steps.median > 1us"});
  CHECK(empty["outcome"] == "inconclusive");
  CHECK(Check({kEmpty, "--fail-if", "steps.median > 1us", "--on-inconclusive", "pass"}).code == 4);

  const Args damaged = {kCut, "--fail-if", "quality.damaged"};
  CHECK(Check(damaged).code == 3);
  CHECK(Document(damaged)["damaged"] == true);
  CHECK_THAT(Check(damaged).out, Catch::Contains("could not be read whole"));
  CHECK(Check({kCut, "--fail-if", "quality.damaged", "--allow-partial"}).code == 1);
  CHECK(Check({kCut, "--fail-if", "ops[\"*\"].self_us > 1h0s", "--allow-partial"}).code == 2);

  // One of two is missing: the verdict is about the other, and marked.
  const Answer half = Check({kRun, "nope", "--fail-if", "steps.median > 1us"});
  CHECK(half.code == 3);
  CHECK_THAT(half.out, Catch::Contains("could not be read whole"));
  CHECK(Check({kRun, "nope", "--fail-if", "steps.median > 1us", "--allow-partial"}).code == 1);

  const Answer no_op = Check({kNoOps, "--baseline", kRun});
  CHECK(no_op.code == 4);
}

TEST_CASE("check: runs that can't be compared, and rules that name nothing, are inconclusive") {
  const Folder folder;
  Json other = Json::parse(Baseline(1, 1));
  other["runs"][0]["environment"]["hosts"] = 2;
  const Answer hosts = Check({kRun, "--baseline", folder.Write("hosts.json", other.dump())});
  CHECK(hosts.code == 4);
  CHECK_THAT(hosts.out, Catch::StartsWith("inconclusive: the runs can't be compared: number of hosts is 2"));

  for (Json& op : other["runs"][0]["ops"]) op["op_type"] = "Other" + op["op_type"].get<std::string>();
  other["runs"][0]["environment"]["hosts"] = 1;
  const Answer ops = Check({kRun, "--baseline", folder.Write("ops.json", other.dump())});
  CHECK(ops.code == 4);
  CHECK_THAT(ops.out, Catch::Contains("op set"));

  const Answer nothing = Check({kRun, "--fail-if", "ops[\"*Softmax*\"].self_us > 1"});
  CHECK(nothing.code == 4);
  CHECK_THAT(nothing.out, Catch::Contains("no op matches \"*Softmax*\""));

  const Answer no_steps = Check({"tests/cases/suite/001a-two-streams", "--fail-if", "steps.median > 1us"});
  CHECK(no_steps.code == 4);
  CHECK_THAT(no_steps.out, Catch::Contains("can't tell whether steps.median > 1us: there are no steps"));
}

}  // namespace tfprof::cli
