// What the name of a file in a log directory tells: whether it is a profile, of which host, and how two files of one
// host stand to each other (reference: xspace.md §7).
//
// A name is `<host>.<known suffix>`, or the suffix alone; a host may hold dots. Cache and side files of the profiler
// and its viewers (`.op_stats.pb`, `.kernel_stats.pb`, `.memory_profile.json.gz`, `.SSTABLE`, `NO_HOST.*`, …), names
// that begin with a dot and everything else are no profiles. Names tell where to look, never what is inside: that is
// decided by content.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tfprof::input {

// In the order in which one is preferred to another of the same host.
enum class ProfileKind {
  kXplane,       // .xplane.pb
  kTraceJson,    // .trace.json: the same run as the trace viewer sees it
  kTimeline,     // timeline*.json: what tf.train.ProfilerHook and timeline.Timeline write; each is a profile of its own
  kPlainJson,    // any other .json: may be a timeline
  kCopy,         // perfetto_trace.json.gz: a copy of the run's trace without a host in its name
  kUnsupported,  // .xplane.riegeli, and the .trace of TensorFlow up to 2.2
};

struct ProfileName {
  ProfileKind kind;
  std::string_view host;  // "" when the name tells none
  std::string_view stem;  // files of one directory with equal stems tell of the same
};

// `in_run`: the file lies in `plugins/profile/<run>`, where JSON files without `.trace` are side files.
std::optional<ProfileName> ParseProfileName(std::string_view file_name, bool in_run);

// Whether a directory is called as the profiler calls a run after its date: `YYYY_MM_DD_hh_mm_ss`, or before TensorFlow
// 2.2 `YYYY-MM-DD_hh-mm-ss`. Gives the date's 14 digits, which sort as the dates do.
std::optional<uint64_t> RunDate(std::string_view run_name);

}  // namespace tfprof::input
