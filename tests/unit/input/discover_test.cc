// Discovery on directories made for each test.
#include "input/discover.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "support/temp_tree.h"

namespace tfprof::input {
namespace {

namespace fs = std::filesystem;
using tfprof::testing::TempTree;

Discovery Find(const std::vector<std::string>& inputs, const Selection& selection = {}) {
  return Discover(inputs, selection);
}

std::vector<std::string> PathsBelow(const TempTree& tree, const Discovery& found) {
  std::vector<std::string> paths;
  for (const InputFile& file : found.files) paths.push_back(fs::path(file.path).lexically_relative(tree.Path("")));
  return paths;
}

std::string Message(const Discovery& found, DiagCode code) {
  for (const Diagnostic& item : found.diagnostics.items()) {
    if (item.code == code) return item.message;
  }
  return "";
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("a log directory means its newest run by name, with all hosts in order") {
  TempTree tree;
  tree.File("train/plugins/profile/2026_02_02_03_04_05/b.xplane.pb", "x", 500);
  tree.File("train/plugins/profile/2026_02_02_03_04_05/a.xplane.pb", "xyz", 500);
  tree.File("train/plugins/profile/2026_02_02_03_04_05/a.kernel_stats.pb");
  tree.File("train/plugins/profile/2019-12-31_23-59-59/a.xplane.pb");  // written later, as a copy is
  tree.File("validation/plugins/profile/2025_01_01_00_00_00/a.xplane.pb");
  for (const char* below : {"", "train", "train/plugins", "train/plugins/profile"}) {
    INFO(below);
    const Discovery found = Find({tree.Path(below)});
    REQUIRE(PathsBelow(tree, found) == Paths{"train/plugins/profile/2026_02_02_03_04_05/a.xplane.pb",
                                             "train/plugins/profile/2026_02_02_03_04_05/b.xplane.pb"});
    CHECK(found.files[0].host == "a");
    CHECK(found.files[0].run == "2026_02_02_03_04_05");
    CHECK(found.files[0].bytes == 3);
    CHECK_FALSE(found.files[0].named);
    CHECK_THAT(Message(found, DiagCode::kMultipleRuns),
               Catch::Contains("using run 2026_02_02_03_04_05 (2 hosts)") && Catch::Contains("2019-12-31_23-59-59"));
  }
}

TEST_CASE("a run directory, a file of it and the log directory give the same input") {
  TempTree tree;
  const std::string path = tree.File("plugins/profile/2026_02_02_03_04_05/h.xplane.pb");
  const Discovery whole = Find({tree.Path("")});
  REQUIRE(whole.notices.size() == 1);
  CHECK_THAT(whole.notices[0], Catch::Contains("using run 2026_02_02_03_04_05 (1 host)"));
  for (const std::string& input : {tree.Path("plugins/profile/2026_02_02_03_04_05"), path}) {
    const Discovery found = Find({input});
    REQUIRE(found.files.size() == 1);
    CHECK(found.files[0].path == whole.files[0].path);
    CHECK(found.files[0].host == whole.files[0].host);
    CHECK(found.files[0].run == whole.files[0].run);
    CHECK(found.notices.empty());
    CHECK(found.diagnostics.Empty());
  }
}

TEST_CASE("runs without dates: the newest file decides, then the name") {
  TempTree tree;
  tree.File("plugins/profile/one/h.xplane.pb", "x", 10);
  tree.File("plugins/profile/two/h.xplane.pb", "x", 20);
  CHECK(Find({tree.Path("")}).files.at(0).run == "one");
  tree.File("plugins/profile/2026_02_02_03_04_05/h.xplane.pb", "x", 5);
  CHECK(Find({tree.Path("")}).files.at(0).run == "2026_02_02_03_04_05");
  tree.File("plugins/profile/two/h.xplane.pb", "x", 5);
  CHECK(Find({tree.Path("")}).files.at(0).run == "two");
}

TEST_CASE("loose files beside real runs are no newer run, but can be chosen") {
  TempTree tree;
  tree.File("logs/plugins/profile/2025_02_02_03_04_05/h.xplane.pb", "x", 500);
  tree.File("logs/hook/timeline-10.json");
  tree.File("logs/timeline-20.json");
  CHECK(Find({tree.Path("logs")}).files.at(0).run == "2025_02_02_03_04_05");
  CHECK(PathsBelow(tree, Find({tree.Path("logs")}, {"hook", {}})) == Paths{"logs/hook/timeline-10.json"});
}

TEST_CASE("two runs of one name: the first by path, and the other is told of") {
  TempTree tree;
  tree.File("w1/plugins/profile/2026_02_02_03_04_05/h.xplane.pb");
  tree.File("w0/plugins/profile/2026_02_02_03_04_05/h.xplane.pb");
  const Discovery found = Find({tree.Path("")});
  CHECK(PathsBelow(tree, found) == Paths{"w0/plugins/profile/2026_02_02_03_04_05/h.xplane.pb"});
  CHECK_THAT(Message(found, DiagCode::kMultipleRuns), Catch::Contains("w1/plugins/profile/2026_02_02_03_04_05"));
}

TEST_CASE("--run and --host choose") {
  TempTree tree;
  tree.File("plugins/profile/2026_02_02_03_04_05/alpha.xplane.pb");
  tree.File("plugins/profile/2026_02_02_03_04_05/beta.xplane.pb");
  const std::string old = tree.File("plugins/profile/2025_02_02_03_04_05/alpha.xplane.pb");
  CHECK(PathsBelow(tree, Find({tree.Path("")}, {"2025_02_02_03_04_05", {}})) ==
        Paths{"plugins/profile/2025_02_02_03_04_05/alpha.xplane.pb"});
  CHECK(PathsBelow(tree, Find({tree.Path("")}, {{}, "^b"})) ==
        Paths{"plugins/profile/2026_02_02_03_04_05/beta.xplane.pb"});
  CHECK_THAT(Message(Find({tree.Path("")}, {"2025_02_02_03_04_06", {}}), DiagCode::kUnreadableInput),
             Catch::Contains("did you mean 2025_02_02_03_04_05?"));
  CHECK_THAT(Message(Find({tree.Path("")}, {{}, "gamma"}), DiagCode::kUnreadableInput),
             Catch::Contains("its hosts are alpha, beta"));
  CHECK_THAT(Message(Find({tree.Path("")}, {{}, "("}), DiagCode::kUnreadableInput), Catch::Contains("no regular expr"));
  CHECK(Find({old}, {"2025_02_02_03_04_05", "alpha"}).files.size() == 1);
  CHECK(Find({old}, {"2026_02_02_03_04_05", {}}).files.empty());
  CHECK_THAT(Message(Find({old}, {{}, "beta"}), DiagCode::kUnreadableInput), Catch::Contains("its host, alpha"));
}

TEST_CASE("one source per host") {
  TempTree tree;
  const std::string run = "plugins/profile/2026_02_02_03_04_05/";
  tree.File(run + "a.xplane.pb");
  tree.File(run + "a.trace.json.gz");
  tree.File(run + "a.xplane.riegeli");
  tree.File(run + "b.trace.json.gz");
  tree.File(run + "c.xplane.pb", "");
  tree.File(run + "c.trace.json.gz", "{}");
  tree.File(run + "perfetto_trace.json.gz");
  const Discovery found = Find({tree.Path("")});
  CHECK(PathsBelow(tree, found) == Paths{run + "a.xplane.pb", run + "b.trace.json.gz", run + "c.trace.json.gz"});
  REQUIRE(found.diagnostics.items().size() == 1);
  CHECK(found.diagnostics.items()[0].code == DiagCode::kDuplicateSource);
  CHECK(found.diagnostics.items()[0].count == 4);
}

TEST_CASE("a copy of the trace counts only where nothing else is") {
  TempTree tree;
  tree.File("plugins/profile/2026_02_02_03_04_05/perfetto_trace.json.gz");
  CHECK(Find({tree.Path("")}).files.size() == 1);
}

TEST_CASE("formats that are not read are said") {
  TempTree tree;
  const std::string riegeli = tree.File("plugins/profile/2026_02_02_03_04_05/a.xplane.riegeli");
  tree.File("old/plugins/profile/2019-08-17_22-58-50/local.trace");
  for (const std::string& input : {tree.Path("plugins"), riegeli}) {
    const Discovery found = Find({input});
    CHECK(found.files.empty());
    CHECK_THAT(Message(found, DiagCode::kUnsupportedFormat), Catch::Contains("a.xplane.riegeli"));
  }
  CHECK_THAT(Message(Find({tree.Path("old")}), DiagCode::kUnsupportedFormat), Catch::Contains("TensorFlow 2.3"));
}

TEST_CASE("a directory of loose files is a run") {
  TempTree tree;
  tree.File("loose/a.xplane.pb");
  tree.File("loose/b.xplane.pb.gz");
  tree.File("loose/config.json");
  tree.File("loose/old/c.xplane.pb");
  const Discovery found = Find({tree.Path("loose")});
  CHECK(PathsBelow(tree, found) == Paths{"loose/a.xplane.pb", "loose/b.xplane.pb.gz"});
  CHECK(found.files.at(0).run == "loose");
  CHECK(found.notices.empty());
}

TEST_CASE("timelines, and JSON files as a last resort") {
  TempTree tree;
  tree.File("model/timeline-100.json");
  tree.File("model/timeline-200.json");
  tree.File("model/graph.json");
  CHECK(PathsBelow(tree, Find({tree.Path("model")})) == Paths{"model/timeline-100.json", "model/timeline-200.json"});
  tree.File("other/profile.json");
  tree.File("other/deeper/config.json");
  CHECK(PathsBelow(tree, Find({tree.Path("other")})) == Paths{"other/profile.json"});
}

TEST_CASE("nothing there") {
  TempTree tree;
  tree.File("logs/events.out.tfevents");
  const Discovery empty = Find({tree.Path("logs")});
  CHECK(empty.files.empty());
  CHECK(empty.diagnostics.Has(DiagCode::kEmptyProfile));
  tree.File("logs/host0.xplane.pb");
  const Discovery missing = Find({tree.Path("logs/host1.xplane.pb"), tree.Path("logs/host0.xplane.pb")});
  CHECK(missing.files.size() == 1);
  CHECK_THAT(Message(missing, DiagCode::kUnreadableInput),
             Catch::Contains("host1.xplane.pb: cannot be read: No such file") &&
                 Catch::Contains("did you mean host0.xplane.pb?"));
  fs::create_symlink("gone.pb", tree.Path("logs/link.xplane.pb"));
  CHECK_THAT(Message(Find({tree.Path("logs/link.xplane.pb")}), DiagCode::kUnreadableInput),
             Catch::EndsWith("link.xplane.pb: cannot be read: it is a link to gone.pb, which isn't there"));
}

TEST_CASE("a file counts once, whatever names lead to it") {
  TempTree tree;
  const std::string path = tree.File("run/h.xplane.pb");
  fs::create_symlink(path, tree.Path("link.xplane.pb"));
  const Discovery found =
      Find({path, tree.Path("run/../run/h.xplane.pb"), tree.Path("link.xplane.pb"), tree.Path("run"), "-", "-"});
  CHECK(found.files.size() == 2);
  CHECK(found.files[0].named);
  CHECK(found.diagnostics.items().size() == 4);
  for (const Diagnostic& item : found.diagnostics.items()) CHECK(item.code == DiagCode::kDuplicateSource);
}

TEST_CASE("symbolic links: loops end, what they lead to is found once") {
  TempTree tree;
  tree.File("elsewhere/plugins/profile/2026_02_02_03_04_05/h.xplane.pb");
  fs::create_directories(tree.Path("logs/a/b"));
  fs::create_directory_symlink(tree.Path("logs"), tree.Path("logs/a/b/up"));
  fs::create_directory_symlink(tree.Path("elsewhere"), tree.Path("logs/a/to"));
  fs::create_directory_symlink(tree.Path("elsewhere"), tree.Path("logs/again"));
  fs::create_symlink("nowhere", tree.Path("logs/dangling.xplane.pb"));
  const Discovery found = Find({tree.Path("logs")});
  CHECK(found.files.size() == 1);
  CHECK(found.diagnostics.Empty());
}

TEST_CASE("names with spaces and line ends are taken as they are") {
  TempTree tree;
  const std::string path = tree.File("my logs/plugins/profile/2026_02_02_03_04_05/a b\nc.xplane.pb");
  const Discovery found = Find({tree.Path("my logs")});
  REQUIRE(found.files.size() == 1);
  CHECK(found.files[0].path == path);
  CHECK(found.files[0].host == "a b\nc");
}

TEST_CASE("what is no regular file in a directory is passed over") {
  TempTree tree;
  const std::string path = tree.File("run/h.xplane.pb");
  REQUIRE(mkfifo(tree.Path("run/pipe.xplane.pb").c_str(), 0600) == 0);
  CHECK(Find({tree.Path("run")}).files.size() == 1);
  CHECK(Find({tree.Path("run/pipe.xplane.pb")}).files.size() == 1);  // named: the user means it
}

TEST_CASE("directories that cannot be read") {
  TempTree tree;
  fs::permissions(tree.Path(""), static_cast<fs::perms>(0755));
  tree.File("logs/secret/plugins/profile/2026_02_02_03_04_05/h.xplane.pb");
  fs::permissions(tree.Path("logs/secret"), fs::perms::none);
  // Root reads everything: look as somebody else.
  const auto find = [&tree] {
    constexpr uid_t kNobody = 65534;
    const uid_t me = geteuid();
    if (me == 0) REQUIRE(seteuid(kNobody) == 0);
    Discovery found = Find({tree.Path("logs")});
    if (me == 0) REQUIRE(seteuid(me) == 0);
    return found;
  };
  CHECK_THAT(Message(find(), DiagCode::kUnreadableInput), Catch::Contains("secret: Permission denied"));
  tree.File("logs/plugins/profile/2025_02_02_03_04_05/h.xplane.pb");
  const Discovery found = find();
  CHECK(found.files.size() == 1);
  CHECK_THAT(Message(found, DiagCode::kIgnoredFile), Catch::Contains("secret: Permission denied"));
  fs::permissions(tree.Path("logs/secret"), fs::perms::owner_all);
}

}  // namespace tfprof::input
