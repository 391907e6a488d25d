// The whole program, with streams in memory, on files of the case suite and the samples.
#include "cli/run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "memory_io.h"

namespace tfprof::cli {
namespace {

namespace fs = std::filesystem;

const std::string kSuite = "tests/cases/suite/";
const std::string kGood = kSuite + "026a-idle-on/host0.xplane.pb";  // a: 30 us, b: 30 us, idle 40 us on a device
const std::string kCut = kSuite + "077a-xplane-cut/host0.xplane.pb";
const std::string kEmpty = kSuite + "052c-zero-bytes/host0.xplane.pb";
const std::string kNoProtobuf = kSuite + "077c-not-a-protobuf/host0.xplane.pb";
const std::string kManyOps = kSuite + "084b-limit/host0.xplane.pb";
const std::string kNoProfile = kSuite + "052d-logdir-without-profile/log";

class TempDir {
 public:
  TempDir() {
    std::string name = fs::temp_directory_path() / "run-test-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> Entries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string path_;
};

std::string Text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string Out(const Args& args, int exit_code = 0) {
  MemoryRun run;
  const int code = run.Call(args);
  INFO(run.err.text);
  CHECK(code == exit_code);
  return run.out.text;
}

nlohmann::json Json(Args args, int exit_code = 0) {
  args.insert(args.end(), {"-f", "json"});
  return nlohmann::json::parse(Out(args, exit_code));
}

std::vector<std::string> Names(const nlohmann::json& document, const char* field = "op_name") {
  std::vector<std::string> names;
  for (const auto& row : document["rows"]) names.push_back(row[field]);
  return names;
}

size_t Lines(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace

TEST_CASE("version and help go to standard output and exit 0") {
  CHECK(Out({"--version"}) == "tfprof-analyze " TFPROF_VERSION "\n");
  CHECK(Out({"ops", "-V", kGood}) == "tfprof-analyze " TFPROF_VERSION "\n");
  CHECK_THAT(Out({"--help"}), Catch::Contains("Commands:"));
  CHECK(Out({"help"}) == Out({"--help"}));
  CHECK(Out({"help", "ops"}) == Out({"ops", "--help"}));
  CHECK_THAT(Out({"ops", "-h"}), Catch::Contains("--limit N"));
  CHECK_THAT(Out({"help", "--markdown"}), Catch::StartsWith("# Commands"));
  CHECK_THAT(Out({"ops", "--list-columns"}), Catch::Contains("self_us") && Catch::Contains("p99_us"));
  CHECK_THAT(Out({"ops", "--list-columns", "--by", "scope"}), Catch::Contains("\nscope "));
}

TEST_CASE("usage errors: 2, nothing on standard output, the nearest name proposed") {
  const std::pair<Args, std::string> wrong[] = {
      {{}, "there is no INPUT"},
      {{"ops"}, "there is no INPUT"},
      {{"ops", "--limti", "3", kGood}, "did you mean --limit?"},
      {{"opps", kGood}, "there is no command or file \"opps\"; did you mean ops?"},
      {{"help", "opps"}, "there is no command \"opps\"; did you mean ops?"},
      {{"help", "zzzzzz"}, "the commands are ops, tree, steps"},
      {{"ops", kGood, "--by", "x"}, "--by: \"x\" is none of op, type"},
      {{"ops", kGood, "-o", "csv:/no/such/dir/x"}, "/no/such/dir/x: cannot be written"},
      {{"ops", kGood, "-o", "csv:" + kGood}, "is an input; --output would destroy it"},
      {{"--limit", "3", kGood}, "--limit is no flag of tfprof-analyze INPUT, but of tfprof-analyze ops"},
  };
  const std::string before = Text(kGood);
  for (const auto& [args, message] : wrong) {
    MemoryRun run;
    CHECK(run.Call(args) == 2);
    CHECK(run.out.text.empty());
    CHECK_THAT(run.err.text, Catch::StartsWith("tfprof-analyze: error: ") && Catch::Contains(message));
  }
  CHECK(Text(kGood) == before);
}

TEST_CASE("every command answers in every format") {
  for (const std::string command : {"", "ops", "info"}) {
    for (const std::string format : {"table", "csv", "tsv", "json", "jsonl", "markdown"}) {
      Args args = {kGood, "-f", format};
      if (!command.empty()) args.insert(args.begin(), command);
      INFO(command << " " << format);
      const std::string text = Out(args);
      CHECK(text.ends_with('\n'));
      CHECK(text.find('\x1b') == std::string::npos);
    }
  }
  CHECK(Json({kGood})["schema"] == "tfprof-analyze/summary/v1");
  CHECK(Json({"ops", kGood})["schema"] == "tfprof-analyze/ops/v1");
  CHECK(Json({"info", kGood})["schema"] == "tfprof-analyze/info/v1");
}

TEST_CASE("a profile without an op is empty to the summary as to ops, whether or not its steps can be told") {
  MemoryRun run;
  CHECK(run.Call({"samples/custom_loop/host1"}) == 4);
  CHECK_THAT(run.out.text, Catch::Contains("No op in it"));
  CHECK(run.Call({"ops", "samples/custom_loop/host1"}) == 4);
}

TEST_CASE("flags of ops have their effect") {
  const Args ops = {"ops", kGood};
  const auto with = [&ops](std::initializer_list<std::string> more) {
    Args args = ops;
    args.insert(args.end(), more);
    return args;
  };
  CHECK(Names(Json(ops)) == Args{"IDLE", "a", "b"});
  CHECK(Names(Json(with({"--no-idle"}))) == Args{"a", "b"});
  CHECK(Json(with({"--no-idle"}))["include_idle"] == false);
  CHECK(Names(Json(with({"--side", "host"}))).empty());
  CHECK(Names(Json(with({"--side", "device"}))) == Args{"IDLE", "a", "b"});
  CHECK(Names(Json(with({"--include", "^a"}))) == Args{"IDLE", "a"});
  CHECK(Names(Json(with({"--exclude", "a", "--exclude", "x"}))) == Args{"IDLE", "b"});
  CHECK(Names(Json(with({"--sort", "name:desc", "--no-idle"}))) == Args{"b", "a"});
  CHECK(Names(Json(with({"-n", "1"}))) == Args{"IDLE", "a"});
  CHECK(Json(with({"-n", "1"}))["others"]["device"]["rows"] == 1);
  CHECK(Json(with({"--min-self", "35"}))["others"]["device"]["rows"] == 2);
  CHECK(Names(Json(with({"--by", "type"})), "type") == Args{"IDLE", "A", "B"});
  CHECK(Json(with({"--time", ":10us"}))["rows"][0]["total_us"] == 10);
  CHECK(Json(with({"--compat", "xprof"}))["compat"] == "xprof");
  CHECK(Json(with({"--columns", "+p99"}))["rows"][1]["p99_us"] == Approx(30).epsilon(0.01));
  CHECK(Out(with({"-f", "csv", "--columns", "op_name,self_us"})) == "op_name,self_us\nIDLE,40\na,30\nb,30\n");
  CHECK_THAT(Out(with({"--unit", "ns"})), Catch::Contains("30,000"));
  CHECK(Out(with({"-j", "1", "-f", "json"})) == Out(with({"-j", "3", "-f", "json"})));
}

TEST_CASE("width and colour of the table") {
  const auto widest = [](const std::string& text) {
    size_t width = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      width = std::max(width, end - at);
      at = end + 1;
    }
    return width;
  };
  const Args ops = {"ops", "samples/unet_fit", "-n", "5"};
  Args narrow = ops, wide = ops, colored = ops;
  narrow.insert(narrow.end(), {"--width", "60"});
  wide.emplace_back("--wide");
  colored.insert(colored.end(), {"--color", "always"});
  CHECK(widest(Out(narrow)) < widest(Out(wide)));
  CHECK(Out(wide) == Out(ops));  // without a terminal nothing is shortened
  CHECK_THAT(Out(colored), Catch::Contains("\x1b["));
}

TEST_CASE("standard error has everything that is no answer") {
  MemoryRun run;
  CHECK(run.Call({"ops", "samples/unet_fit", "-f", "json"}) == 0);
  CHECK_THAT(run.err.text, Catch::StartsWith("tfprof-analyze: samples/unet_fit: using run "));
  for (const bool quiet : {false, true}) {
    MemoryRun cut;
    CHECK(cut.Call(quiet ? Args{"ops", kCut, "-q"} : Args{"ops", kCut}) == 3);
    CHECK_THAT(cut.err.text, Catch::Contains("tfprof-analyze: error: " + kCut));
    CHECK((cut.err.text.find("note:") == std::string::npos) == quiet);
  }
}

TEST_CASE("a machine format is a whole document also with exit 3 and 4") {
  CHECK(Names(Json({"ops", kCut}, 3)).size() > 1);
  CHECK(Names(Json({"ops", kEmpty}, 4)).empty());
  CHECK(Names(Json({"ops", kNoProfile}, 4)).empty());
  CHECK(Json({"ops", kNoProfile}, 4)["diagnostics"][0]["code"] == "empty-profile");
  CHECK_THAT(Out({"ops", kEmpty, "-f", "csv"}, 4), Catch::StartsWith("rank,side,") && Catch::EndsWith("eager\n"));
  CHECK(Lines(Out({"ops", kEmpty, "-f", "csv"}, 4)) == 1);
  CHECK(Out({"ops", "nowhere", "-f", "json"}, 3).empty());
  CHECK(Out({"ops", kNoProtobuf, "-f", "json"}, 3).empty());
}

TEST_CASE("exit codes of whole runs") {
  CHECK(MemoryRun().Call({"ops", kGood}) == 0);
  CHECK(MemoryRun().Call({"ops", kGood, "--strict"}) == 0);
  for (const std::string command : {"ops", "info"}) {
    CHECK(MemoryRun().Call({command, kCut}) == 3);
    CHECK(MemoryRun().Call({command, kCut, "--allow-partial"}) == 0);
    CHECK(MemoryRun().Call({command, kEmpty}) == 4);
    CHECK(MemoryRun().Call({command, kEmpty, "--allow-partial"}) == 4);
    CHECK(MemoryRun().Call({command, kNoProfile}) == 4);
    CHECK(MemoryRun().Call({command, kNoProtobuf}) == 3);
    CHECK(MemoryRun().Call({command, kNoProtobuf, "--allow-partial"}) == 3);
    CHECK(MemoryRun().Call({command, kGood, "nowhere"}) == 3);
    CHECK(MemoryRun().Call({command, kGood, "nowhere", "--allow-partial"}) == 0);
    CHECK(MemoryRun().Call({command, kGood, kNoProfile}) == 3);
  }
  CHECK(MemoryRun().Call({kCut}) == 3);
  CHECK(MemoryRun().Call({kEmpty}) == 4);
}

TEST_CASE("one of two inputs is missing: the answer is about the other, and says so") {
  const nlohmann::json document = Json({"ops", kGood, "nowhere.xplane.pb"}, 3);
  CHECK(Names(document) == Args{"IDLE", "a", "b"});
  CHECK(document["inputs"].size() == 1);
  CHECK(document["diagnostics"][0]["code"] == "unreadable-input");
}

TEST_CASE("outputs beside standard output") {
  TempDir dir;
  MemoryRun run;
  CHECK(run.Call({"ops", kGood, "-o", "csv:" + dir.Path("a"), "-o", dir.Path("b.json"), "-o", "jsonl:-"}) == 0);
  CHECK(dir.Entries() == Args{"a", "b.json"});
  CHECK(Text(dir.Path("a")) == Out({"ops", kGood, "-f", "csv"}));
  CHECK(Text(dir.Path("b.json")) == Out({"ops", kGood, "-f", "json"}));
  CHECK(run.out.text == Out({"ops", kGood, "-f", "jsonl"}));
}

TEST_CASE("where nothing could be opened no output is made or touched") {
  TempDir dir;
  std::ofstream(dir.Path("old")) << "old";
  CHECK(MemoryRun().Call({"ops", "nowhere", "-o", "csv:" + dir.Path("new"), "-o", "csv:" + dir.Path("old")}) == 3);
  CHECK(dir.Entries() == Args{"old"});
  CHECK(Text(dir.Path("old")) == "old");
}

TEST_CASE("a reader that has seen enough is no failure, a full disk is") {
  for (const auto& [error, code] : {std::pair(EPIPE, 0), std::pair(ENOSPC, 2)}) {
    MemoryRun run;
    run.out.limit = 100;
    run.out.error_at_limit = error;
    CHECK(run.Call({"ops", kManyOps, "-f", "csv"}) == code);
    CHECK(run.err.text.empty() == (code == 0));
    MemoryRun help;
    help.out.limit = 100;
    help.out.error_at_limit = error;
    CHECK(help.Call({"--help"}) == code);
  }
  MemoryRun damaged;
  damaged.out.limit = 10;
  damaged.out.error_at_limit = EPIPE;
  CHECK(damaged.Call({"ops", kCut, "-f", "json"}) == 3);
}

TEST_CASE("a file called like a command") {
  TempDir dir;
  fs::copy_file(kGood, dir.Path("ops"));
  const fs::path before = fs::current_path();
  fs::current_path(dir.Path("."));
  const int by_path = MemoryRun().Call({"./ops"});
  const int behind_dashes = MemoryRun().Call({"ops", "--", "ops"});
  fs::current_path(before);
  CHECK(by_path == 0);
  CHECK(behind_dashes == 0);
}

TEST_CASE("lanes of a timeline keep the ids that the file gives them") {
  const std::vector<std::string> ids = {"main", "worker", "18446744073709551615", "-3"};
  TempDir dir;
  std::ofstream file(dir.Path("t.json"));
  file << "[";
  for (const std::string& id : ids) {
    file << R"({"ph":"X","name":"a","cat":"op","pid":1,"ts":1,"dur":2,"tid":")" << id << "\"},";
  }
  file << R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}])" << std::flush;
  const auto sorted = [](std::vector<std::string> texts) {
    std::sort(texts.begin(), texts.end());
    return texts;
  };
  const nlohmann::json events = nlohmann::json::parse(Out({"events", dir.Path("t.json"), "-f", "json"}));
  const nlohmann::json info = nlohmann::json::parse(Out({"info", dir.Path("t.json"), "-f", "json"}));
  std::vector<std::string> of_events, of_info;
  for (const auto& row : events["rows"]) of_events.push_back(row["lane_id"]);
  for (const auto& lane : info["files"][0]["planes"][0]["lane_list"]) of_info.push_back(lane["id"]);
  CHECK(sorted(of_events) == sorted(ids));
  CHECK(sorted(of_info) == sorted(ids));
}

TEST_CASE("a range of time without anything: exit 4, whatever the format") {
  for (const char* input : {"samples/unet_fit", "samples/maskrcnn_hook/timeline-30.json"}) {
    for (const char* by : {"scope", "call", "type"}) {
      INFO(input << " by " << by);
      const auto tree = nlohmann::json::parse(Out({"tree", input, "--by", by, "--time", "1000s:", "-f", "json"}, 4));
      CHECK(tree["rows"].empty());
    }
  }
}

}  // namespace tfprof::cli
