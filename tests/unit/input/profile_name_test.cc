// What the names of files and runs tell (reference: xspace.md §7).
#include "input/profile_name.h"

#include <catch2/catch.hpp>

namespace tfprof::input {
namespace {

TEST_CASE("a profile's name tells its host") {
  const auto name = [](std::string_view file, bool in_run = true) { return ParseProfileName(file, in_run); };
  CHECK(name("host0.xplane.pb")->host == "host0");
  CHECK(name("10.0.0.1_6009.xplane.pb")->host == "10.0.0.1_6009");
  CHECK(name("a.b.c.xplane.pb.gz")->host == "a.b.c");
  CHECK(name("xplane.pb")->host.empty());
  CHECK(name("with space\nand line.xplane.pb")->host == "with space\nand line");
  CHECK(name("host0.trace.json.gz")->kind == ProfileKind::kTraceJson);
  CHECK(name("worker0.162.pt.trace.json")->host == "worker0.162");
  CHECK(name("host0.xplane.riegeli")->kind == ProfileKind::kUnsupported);
  CHECK(name("local.trace")->kind == ProfileKind::kUnsupported);
  CHECK_FALSE(name("local.trace", false));
  CHECK(name("timeline-100.json", false)->kind == ProfileKind::kTimeline);
  CHECK(name("foo.json", false)->kind == ProfileKind::kPlainJson);
  CHECK(name("perfetto_trace.json.gz")->kind == ProfileKind::kCopy);
}

TEST_CASE("cache and side files are no profiles") {
  for (const std::string_view file :
       {"host0.kernel_stats.pb", "ALL_HOSTS.op_stats_v2.pb", "host0.SSTABLE", "host0.metadata.SSTABLE",
        ".cached_tools.json", "cache_version.txt", "NO_HOST.xplane.pb", "module_0001.hlo_proto.pb",
        "host0.memory_profile.json.gz", "op_profile.json", "host0xplane.pb", "host0.xplane.pb.bak", "._host0.xplane.pb",
        ".xplane.pb", "xplane", ""}) {
    INFO(file);
    CHECK_FALSE(ParseProfileName(file, true));
  }
  CHECK_FALSE(ParseProfileName("x.memory_profile.json.gz", false));
  CHECK_FALSE(ParseProfileName("overview_page.json", false));
}

TEST_CASE("the dates of runs") {
  CHECK(RunDate("2026_08_17_22_58_50") == 20260817225850u);
  CHECK(RunDate("2019-08-17_22-58-50") == 20190817225850u);
  CHECK_FALSE(RunDate("2026_08_17_22_58_5x"));
  CHECK_FALSE(RunDate("2026_08_17_22_58_500"));
  CHECK_FALSE(RunDate("session"));
}

TEST_CASE("names of every generation: kind, host and stem") {
  struct Row {
    const char* file;
    bool in_run;
    ProfileKind kind;
    const char *host, *stem;
  };
  const Row row = GENERATE(Row{"h.xplane.pb", false, ProfileKind::kXplane, "h", "h"},
                           Row{"h.xplane.pb.gz", true, ProfileKind::kXplane, "h", "h"},
                           Row{"xplane.pb.gz", true, ProfileKind::kXplane, "", ""},
                           Row{"h.trace.json", true, ProfileKind::kTraceJson, "h", "h"},
                           Row{"trace.json.gz", false, ProfileKind::kTraceJson, "", ""},
                           Row{"w.1.pt.trace.json.gz", false, ProfileKind::kTraceJson, "w.1", "w.1.pt"},
                           Row{"xplane.riegeli", true, ProfileKind::kUnsupported, "", ""},
                           Row{"trace", true, ProfileKind::kUnsupported, "", ""},
                           Row{"timeline.json", false, ProfileKind::kTimeline, "", "timeline"},
                           Row{"timeline-7.json.gz", false, ProfileKind::kTimeline, "", "timeline-7"},
                           Row{"any thing.json", false, ProfileKind::kPlainJson, "", "any thing"},
                           Row{"perfetto_trace.json", false, ProfileKind::kCopy, "", "perfetto_trace"});
  INFO(row.file);
  const std::optional<ProfileName> name = ParseProfileName(row.file, row.in_run);
  REQUIRE(name);
  CHECK(name->kind == row.kind);
  CHECK(name->host == row.host);
  CHECK(name->stem == row.stem);
}

TEST_CASE("the same host's files have one stem, so that they are known to tell of the same") {
  CHECK(ParseProfileName("a.b.xplane.pb", true)->stem == ParseProfileName("a.b.trace.json.gz", true)->stem);
  CHECK(ParseProfileName("a.b.xplane.riegeli", true)->stem == "a.b");
}

TEST_CASE("in a run JSON files that are called otherwise are side files") {
  for (const char* file : {"timeline-1.json", "foo.json", "foo.json.gz"}) {
    CHECK_FALSE(ParseProfileName(file, true));
    CHECK(ParseProfileName(file, false));
  }
  CHECK_FALSE(ParseProfileName("json", false));
  CHECK_FALSE(ParseProfileName("h.gz", false));
  CHECK_FALSE(ParseProfileName("trace.json.bak", false));
  CHECK_FALSE(ParseProfileName("H.XPLANE.PB", true));
}

TEST_CASE("kinds are in order of preference") {
  CHECK(ProfileKind::kXplane < ProfileKind::kTraceJson);
  CHECK(ProfileKind::kTraceJson < ProfileKind::kUnsupported);
}

TEST_CASE("dates of both forms sort as one") {
  CHECK(*RunDate("2019-12-31_23-59-59") < *RunDate("2020_01_01_00_00_00"));
  for (const char* name : {"", "2026_08_17", "2026_08_17-22_58_50", "2026-08-17_22_58_50", " 026_08_17_22_58_50",
                           "2026/08/17/22/58/50"}) {
    INFO(name);
    CHECK_FALSE(RunDate(name));
  }
}

}  // namespace
}  // namespace tfprof::input
