// Runs below a directory, and the files of theirs that are read.
#include "input/run_search.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_tree.h"

namespace tfprof::input {
namespace {

namespace fs = std::filesystem;
using tfprof::testing::TempTree;

std::vector<std::string> RunNames(const RunSearch& search) {
  std::vector<std::string> names;
  for (const Run& run : search.runs) names.push_back(run.name);
  return names;
}
std::vector<std::string> FileNames(const Run& run) {
  std::vector<std::string> names;
  for (const ProfileFile& file : run.files) names.push_back(fs::path(file.path).filename());
  return names;
}
using Names = std::vector<std::string>;

TEST_CASE("a run knows its files, in order of stem") {
  const TempTree tree;
  tree.File("plugins/profile/one/b.xplane.pb", "xyz", 100);
  tree.File("plugins/profile/one/a.c.trace.json.gz", "x", 50);
  tree.File("plugins/profile/one/b.trace.json.gz", "x", 200);
  tree.File("plugins/profile/one/b.kernel_stats.pb", "x", 1);
  const RunSearch search = FindRuns(tree.Path(""));
  REQUIRE(search.runs.size() == 1);
  CHECK(search.unreadable.empty());
  const Run& run = search.runs[0];
  CHECK(run.name == "one");
  CHECK(run.path == tree.Path("plugins/profile/one"));
  CHECK_FALSE(run.loose);
  CHECK(FileNames(run) == Names{"a.c.trace.json.gz", "b.xplane.pb", "b.trace.json.gz"});
  CHECK(run.files[0].host == "a.c");
  CHECK(run.files[1].bytes == 3);
  CHECK(run.files[1].modified_ns == (1'700'000'000 - 100) * int64_t{1'000'000'000});
  CHECK(run.newest_ns == (1'700'000'000 - 50) * int64_t{1'000'000'000});
}

TEST_CASE("dates in the names decide before the times of the files; runs without any come by time, name and path") {
  const TempTree tree;
  tree.File("plugins/profile/2026_02_02_03_04_05/h.xplane.pb", "x", 900);
  tree.File("plugins/profile/2026-02-03_03-04-05/h.xplane.pb", "x", 950);
  tree.File("plugins/profile/2025_12_31_03_04_05/h.xplane.pb", "x", 1);
  CHECK(RunNames(FindRuns(tree.Path(""))) ==
        Names{"2026-02-03_03-04-05", "2026_02_02_03_04_05", "2025_12_31_03_04_05"});
  tree.File("plugins/profile/session/h.xplane.pb", "x", 925);
  CHECK(RunNames(FindRuns(tree.Path(""))) ==
        Names{"2025_12_31_03_04_05", "2026_02_02_03_04_05", "session", "2026-02-03_03-04-05"});
  tree.File("plugins/profile/another/h.xplane.pb", "x", 925);
  CHECK(RunNames(FindRuns(tree.Path("")))[2] == "session");
  CHECK(RunNames(FindRuns(tree.Path("")))[3] == "another");
}

TEST_CASE("loose directories come after all proper runs, and don't keep their dates from counting") {
  const TempTree tree;
  tree.File("notes/h.xplane.pb", "x", 0);
  tree.File("plugins/profile/2025_02_02_03_04_05/h.xplane.pb", "x", 1);
  tree.File("plugins/profile/2026_02_02_03_04_05/h.xplane.pb", "x", 900);
  const RunSearch search = FindRuns(tree.Path(""));
  CHECK(RunNames(search) == Names{"2026_02_02_03_04_05", "2025_02_02_03_04_05", "notes"});
  CHECK(search.runs[2].loose);
}

TEST_CASE("a directory that is the run hides what lies below it, one that has runs below doesn't") {
  const TempTree tree;
  tree.File("loose/a.xplane.pb");
  tree.File("loose/sub/b.xplane.pb");
  CHECK(RunNames(FindRuns(tree.Path("loose"))) == Names{"loose"});
  tree.File("loose/plugins/profile/r/c.xplane.pb");
  CHECK(RunNames(FindRuns(tree.Path("loose"))) == Names{"r", "sub", "loose"});
  CHECK(RunNames(FindRuns(tree.Path("loose/plugins/profile/r"))) == Names{"r"});
  CHECK(RunNames(FindRuns(tree.Path("loose/plugins/profile/r/"))) == Names{"r"});
}

TEST_CASE("trees deeper than a call stack") {
  const TempTree tree;
  std::string deep;
  for (int i = 0; i < 800; ++i) deep += "d/";
  tree.File(deep + "plugins/profile/r/h.xplane.pb");
  CHECK(RunNames(FindRuns(tree.Path(""))) == Names{"r"});
}

TEST_CASE("a directory is entered once; without a link, if it can be reached so") {
  const TempTree tree;
  tree.File("z/plugins/profile/r/h.xplane.pb");
  fs::create_directory_symlink(tree.Path("z"), tree.Path("a"));
  fs::create_directory_symlink(tree.Path(""), tree.Path("z/loop"));
  const RunSearch search = FindRuns(tree.Path(""));
  REQUIRE(search.runs.size() == 1);
  CHECK(search.runs[0].path == tree.Path("z/plugins/profile/r"));
}

TEST_CASE("a directory that isn't there is unreadable, an empty one just has no runs") {
  const TempTree tree;
  const RunSearch missing = FindRuns(tree.Path("missing"));
  CHECK(missing.runs.empty());
  REQUIRE(missing.unreadable.size() == 1);
  CHECK_THAT(missing.unreadable[0], Catch::Contains("missing: No such file or directory"));
  const RunSearch empty = FindRuns(tree.Path(""));
  CHECK(empty.runs.empty());
  CHECK(empty.unreadable.empty());
}

Run RunOf(const std::vector<ProfileFile>& files) {
  Run run;
  run.path = "r";
  run.files = files;
  return run;
}
ProfileFile File(const std::string& path, ProfileKind kind, const std::string& stem, uint64_t bytes = 9) {
  return {"r/" + path, kind, stem, stem, bytes, 0, {}};
}

TEST_CASE("one file a host: the better kind, but never an empty one where another holds something") {
  Run run = RunOf(
      {File("a.xplane.pb", ProfileKind::kXplane, "a"), File("a.trace.json", ProfileKind::kTraceJson, "a"),
       File("b.xplane.pb", ProfileKind::kXplane, "b", 0), File("b.trace.json", ProfileKind::kTraceJson, "b"),
       File("b.xplane.riegeli", ProfileKind::kUnsupported, "b"), File("c.xplane.pb", ProfileKind::kXplane, "c", 0)});
  Diagnostics diagnostics;
  ChooseSources(&run, &diagnostics);
  CHECK(FileNames(run) == Names{"a.xplane.pb", "b.trace.json", "c.xplane.pb"});
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(diagnostics.items()[0].code == DiagCode::kDuplicateSource);
  CHECK(diagnostics.items()[0].count == 3);
  CHECK_THAT(diagnostics.items()[0].message, Catch::Contains("3 files, such as a.trace.json"));
}

TEST_CASE("a file that is alone is taken without a word; one that was left out is named") {
  Run run = RunOf({File("a.xplane.pb", ProfileKind::kXplane, "a")});
  Diagnostics diagnostics;
  ChooseSources(&run, &diagnostics);
  CHECK(FileNames(run) == Names{"a.xplane.pb"});
  CHECK(diagnostics.Empty());
  run = RunOf({File("perfetto_trace.json.gz", ProfileKind::kCopy, "perfetto_trace"),
               File("z.trace.json", ProfileKind::kTraceJson, "z")});
  ChooseSources(&run, &diagnostics);
  CHECK(FileNames(run) == Names{"z.trace.json"});
  CHECK_THAT(diagnostics.items().at(0).message, Catch::Contains("r: perfetto_trace.json.gz tells of the same run"));
  run = RunOf({File("perfetto_trace.json.gz", ProfileKind::kCopy, "perfetto_trace")});
  ChooseSources(&run, &diagnostics);
  CHECK(FileNames(run) == Names{"perfetto_trace.json.gz"});
}

TEST_CASE("a host whose file can't be read is told, not lost") {
  TempTree tree;
  tree.File("plugins/profile/r/a.xplane.pb");
  fs::create_symlink("nowhere", tree.Path("plugins/profile/r/b.xplane.pb"));
  REQUIRE(mkfifo(tree.Path("plugins/profile/r/c.xplane.pb").c_str(), 0600) == 0);
  RunSearch search = FindRuns(tree.Path(""));
  REQUIRE(search.runs.size() == 1);
  CHECK(FileNames(search.runs[0]) == Names{"a.xplane.pb"});
  Diagnostics diagnostics;
  ChooseSources(&search.runs[0], &diagnostics);
  REQUIRE(diagnostics.items().size() == 2);
  CHECK(diagnostics.items()[0].code == DiagCode::kUnreadableInput);
  CHECK_THAT(diagnostics.items()[0].message, Catch::Contains("b.xplane.pb: cannot be read: No such file"));
  CHECK(diagnostics.items()[1].code == DiagCode::kIgnoredFile);
  CHECK_THAT(diagnostics.items()[1].message, Catch::Contains("c.xplane.pb: is no regular file"));
}

TEST_CASE("the run that a file lies in") {
  CHECK(RunOfFile("logs/plugins/profile/2026_02_02_03_04_05/h.xplane.pb") == "2026_02_02_03_04_05");
  CHECK(RunOfFile("logs/plugins/profile/x/../r/./h.xplane.pb") == "r");
  CHECK(RunOfFile("logs/profile/r/h.xplane.pb").empty());
  CHECK(RunOfFile("plugins/profile/h.xplane.pb").empty());
  CHECK(RunOfFile("h.xplane.pb").empty());
}

}  // namespace
}  // namespace tfprof::input
