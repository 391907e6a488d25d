// The rows. Texts are shown to users: complete sentences, the user's words, no names of our own types.
#include <algorithm>
#include <array>

#include "cli/flags/flag.h"

namespace tfprof::cli {
namespace {

constexpr uint32_t Bit(CommandId id) { return uint32_t{1} << static_cast<int>(id); }
constexpr uint32_t kSummary = Bit(CommandId::kSummary);
constexpr uint32_t kOps = Bit(CommandId::kOps);
constexpr uint32_t kTree = Bit(CommandId::kTree);
constexpr uint32_t kSteps = Bit(CommandId::kSteps);
constexpr uint32_t kOverview = Bit(CommandId::kOverview);
constexpr uint32_t kKernels = Bit(CommandId::kKernels);
constexpr uint32_t kInput = Bit(CommandId::kInput);
constexpr uint32_t kMemory = Bit(CommandId::kMemory);
constexpr uint32_t kEvents = Bit(CommandId::kEvents);
constexpr uint32_t kDiff = Bit(CommandId::kDiff);
constexpr uint32_t kCheck = Bit(CommandId::kCheck);
constexpr uint32_t kBaseline = Bit(CommandId::kBaseline);
constexpr uint32_t kInfo = Bit(CommandId::kInfo);
constexpr uint32_t kReports =
    kSummary | kOps | kTree | kSteps | kOverview | kKernels | kInput | kMemory | kEvents | kDiff | kInfo;
// Those that read profiles.
constexpr uint32_t kReaders = kReports | kCheck | kBaseline;
// Those that may tell of some steps only; runs that are compared leave out others.
constexpr uint32_t kWithSteps = kReports & ~(kDiff | kInfo);
// Those with numbers that the official tool has too.
constexpr uint32_t kOfficial = kOps | kSteps | kOverview | kKernels | kInput | kMemory;
constexpr uint32_t kAll = kReaders | Bit(CommandId::kHelp);

constexpr std::array kFormatsIn = {
    Choice{"xplane", "an XSpace protobuf"},
    Choice{"tf1-timeline", "tf.train.ProfilerHook"},
    Choice{"tf2-trace", "TensorFlow 2 and JAX"},
    Choice{"kineto-trace", "PyTorch"},
    Choice{"chrome-trace", "any Trace Event JSON"},
};

constexpr std::array kSides = {Choice{"host", "what ran on CPUs"}, Choice{"device", "what ran on GPUs or TPUs"},
                               Choice{"both", "the default"}};
constexpr std::array kBys = {
    Choice{"op", "each op by its name (default)"},        Choice{"type", "op types, such as Conv2D"},
    Choice{"scope", "names up to their last slash"},      Choice{"host", "hosts of the run"},
    Choice{"device", "devices; on the host side, hosts"}, Choice{"lane", "threads and streams"}};
constexpr std::array kTreeBys = {Choice{"scope", "name scopes, one level a slash (default)"},
                                 Choice{"call", "what ran within what, on each thread"},
                                 Choice{"type", "op types, below each its ops"}};
constexpr std::array kKernelsBys = {Choice{"launch", "kernels with op and geometry (default)"},
                                    Choice{"kernel", "kernels by their names"},
                                    Choice{"op", "all kernels of an op"}};
constexpr std::array kDiffBys = {
    Choice{"op", "each op by its name (default)"}, Choice{"type", "op types, such as Conv2D"},
    Choice{"scope", "names up to their last slash"}, Choice{"kernel", "GPU kernels by their names"},
    Choice{"step", "step times: mean, median, 95th percentile"}};
constexpr std::array kCompats = {Choice{"none", "right, by our rules (default)"},
                                 Choice{"xprof", "as XProf of 2026 prints"},
                                 Choice{"legacy", "the same; CSV as of TensorBoard 2020-2025"}};
constexpr std::array kFormats = {
    Choice{"table", "for people (default)"},       Choice{"csv", "comma-separated, with a header"},
    Choice{"tsv", "tab-separated, with a header"}, Choice{"json", "one document; schemas/ pins it"},
    Choice{"jsonl", "one JSON object a row"},      Choice{"markdown", "for pull requests and reports"}};
constexpr std::array kCheckFormats = {
    Choice{"table", "for people (default)"},
    Choice{"csv", "a row for each finding"},
    Choice{"tsv", "the same, tab-separated"},
    Choice{"json", "one document; schemas/ pins it"},
    Choice{"jsonl", "a JSON object for each finding"},
    Choice{"markdown", "a step summary or a comment"},
    Choice{"junit", "JUnit XML"},
    Choice{"github", "annotations of GitHub Actions"},
    Choice{"sarif", "SARIF 2.1.0"},
    Choice{"gitlab", "GitLab's code quality report"}};
constexpr std::array kOnInconclusives = {Choice{"pass", "exit 0"}, Choice{"fail", "exit 1"}};
constexpr std::array kUnits = {Choice{"auto", "what fits (default)"}, Choice{"ns", "nanoseconds"},
                               Choice{"us", "microseconds"}, Choice{"ms", "milliseconds"}, Choice{"s", "seconds"}};
constexpr std::array kWhens = {Choice{"auto", "on a terminal (default)"}, Choice{"always", "also elsewhere"},
                               Choice{"never", ""}};

constexpr std::array kFlags = {
    Flag{FlagId::kRun,
         '\0',
         "run",
         "NAME",
         Category::kInput,
         kReaders,
         false,
         true,
         "Run of a log directory (default: the newest)",
         "A run is a directory that the profiler wrote, plugins/profile/NAME, or, where there is none, one that holds "
         "profiles. The newest is the one with the latest date for a name; where not all are called after a date, the "
         "one "
         "with the file written last.",
         {}},
    Flag{FlagId::kHost,
         '\0',
         "host",
         "RE",
         Category::kInput,
         kReaders,
         false,
         true,
         "Only hosts whose name matches RE",
         "The host is what stands before .xplane.pb in the file's name. RE may match anywhere in it.",
         {}},
    Flag{FlagId::kTime,
         '\0',
         "time",
         "A:B",
         Category::kInput,
         kSummary | kOps | kTree | kEvents,
         false,
         true,
         "Only what happened from A to B, such as 1.5s:2s",
         "Counted from the start of the trace, in s, ms, us or ns; A or B may be left out. Events that reach over the "
         "edge are clipped; `events` shows them whole.",
         {}},
    Flag{FlagId::kSteps, '\0', "steps", "A:B", Category::kInput, kWithSteps, false, false,
         "Only steps numbered A to B, such as 10:20, 10: or 12",
         "The number is that at the end of a step's name, as `steps` prints it; both ends count, and either may be left "
         "out. On the host that is what happened between the markers of these steps (events that reach over the edge are "
         "clipped, `events` shows them whole), on a GPU all that they launched. A colon alone is all steps, without what "
         "lies outside of any.",
         {}},
    Flag{FlagId::kSkipSteps, '\0', "skip-steps", "N", Category::kInput, kWithSteps, false, false,
         "Without the first N steps (warm-up)",
         "They are counted in the order in which `steps` prints them, whatever their numbers. What lies outside of steps "
         "is left out too, as with --steps.",
         {}},
    Flag{FlagId::kBase, '\0', "base", "PATH", Category::kInput, kDiff, true, true,
         "A run of the base side (repeatable)",
         "What stands before -- is one too. With --base and without -- every INPUT is a new run.", {}},
    Flag{FlagId::kCheckBase, '\0', "baseline", "PATH", Category::kDecision, kCheck, true, true,
         "A run, or a file of runs, to compare with (repeatable)",
         "What `baseline save` wrote, or whatever may be a NEW.", {}},
    Flag{FlagId::kRules, '\0', "rules", "FILE", Category::kDecision, kCheck, false, true,
         "Rules, and limits of the comparison, as JSON",
         "schemas/rules-1.schema.json has every field. Rules of --fail-if come on top.", {}},
    Flag{FlagId::kFailIf, '\0', "fail-if", "RULE", Category::kDecision, kCheck, true, true,
         "Fail if RULE holds, such as 'steps.median > 5%'",
         "METRIC OPERATOR LIMIT. A percentage is of the base, but for metrics that are fractions. ops[\"*MatMul*\"].self_us "
         "is of each op that the glob matches. docs/ci.md has all metrics.", {}},
    Flag{FlagId::kOnInconclusive, '\0', "on-inconclusive", "WHAT", Category::kDecision, kCheck, false, true,
         "Exit 0 or 1 instead of 4 where nothing can be told",
         "Reports say inconclusive all the same. An empty profile stays 4.", kOnInconclusives},
    Flag{FlagId::kRunSkipSteps, '\0', "skip-steps", "N", Category::kInput, kDiff | kCheck | kBaseline, false, false,
         "Leave out the first N steps of each run",
         "They warm up: functions are traced and compiled, caches filled. Default: 1 where a run has 3 steps or more, "
         "else 0.",
         {}},
    Flag{FlagId::kIdle, '\0', "idle", "", Category::kRows, kOps | kDiff, false, false,
         "With IDLE rows; shares count idle time (default)", "", {}},
    Flag{FlagId::kTreeIdle, '\0', "idle", "", Category::kRows, kTree, false, false,
         "With idle time as a node; shares count it", "The default is --no-idle.", {}},
    Flag{FlagId::kNoIdle,
         '\0',
         "no-idle",
         "",
         Category::kRows,
         kOps | kTree | kDiff,
         false,
         true,
         "Without IDLE rows; shares are of op time",
         "",
         {}},
    Flag{FlagId::kSide, '\0', "side", "SIDE", Category::kRows, kOps | kTree | kEvents | kDiff, false, true, "Ops of the host, the device or both",
         "", kSides},
    Flag{FlagId::kBy, '\0', "by", "KEY", Category::kRows, kOps, false, true,
         "Rows per op, type, scope, host, device or lane", "", kBys},
    Flag{FlagId::kKernelsBy, '\0', "by", "KEY", Category::kRows, kKernels, false, true,
         "Rows per launch shape, kernel or op", "", kKernelsBys},
    Flag{FlagId::kDiffBy, '\0', "by", "KEY", Category::kRows, kDiff, false, true,
         "Rows per op, type, scope or kernel, or step times", "", kDiffBys},
    Flag{FlagId::kSort,
         's',
         "sort",
         "COL[:DIR]",
         Category::kRows,
         kOps,
         false,
         true,
         "Column to sort by, such as total or name:desc",
         "Default: self. Numbers fall and names rise unless DIR, asc or desc, says otherwise. Columns: self, total, "
         "occurrences, avg, avg_self, name, type, min, max, p50, p90, p99.",
         {}},
    Flag{FlagId::kDiffSort, '\0', "sort", "COL[:DIR]", Category::kRows, kDiff, false, true,
         "Column to sort by, such as new or name:desc",
         "Default: change, by its size whatever its sign. Numbers fall and names rise unless DIR, asc or desc, says "
         "otherwise. Columns: change, relative, base, new, share, name, type.",
         {}},
    Flag{FlagId::kLimit, 'n', "limit", "N", Category::kRows, kOps, false, true,
         "At most N rows per side, the rest summed (0: all)", "Default: all.", {}},
    Flag{FlagId::kDiffLimit, 'n', "limit", "N", Category::kRows, kDiff, false, true,
         "At most N rows per side, the rest summed (0: all)", "Default: 20 in tables, all in machine formats.", {}},
    Flag{FlagId::kKernelsLimit, 'n', "limit", "N", Category::kRows, kKernels, false, true,
         "At most N rows, the rest summed (0: all)", "Default: all.", {}},
    Flag{FlagId::kMemoryLimit, 'n', "limit", "N", Category::kRows, kMemory, false, true,
         "At most N rows of what was alive at a peak (0: all)",
         "Of each allocator. A table sums the rest, machine formats leave it out. Default: all.", {}},
    Flag{FlagId::kEventsLimit, 'n', "limit", "N", Category::kRows, kEvents, false, true,
         "At most N events, the first of the file (0: all)", "Default: 50 in tables, all in machine formats.", {}},
    Flag{FlagId::kInclude, '\0', "include", "RE", Category::kRows, kOps, true, true,
         "Only rows whose name matches RE (repeatable)",
         "RE may match anywhere in the name (RE2 syntax); of several, one must. Shares stay those of the whole table, cumulative "
         "ones (Cum.) too: they count the rows between. The IDLE row is no op: --include, --exclude, --min-self and --limit leave it alone, --no-idle takes it out.",
         {}},
    Flag{FlagId::kKernelsInclude, '\0', "include", "RE", Category::kRows, kKernels, true, true,
         "Only rows whose kernel or op matches RE (repeatable)",
         "RE may match anywhere in either name (RE2 syntax); of several, one must. Shares stay those of all kernels.",
         {}},
    Flag{FlagId::kEventsInclude, '\0', "include", "RE", Category::kRows, kEvents, true, true,
         "Only events whose name matches RE (repeatable)",
         "RE may match anywhere in the event's name, that of its op, or the op's type (RE2 syntax); of several, one "
         "must.",
         {}},
    Flag{FlagId::kDiffInclude, '\0', "include", "RE", Category::kRows, kDiff, true, true,
         "Only rows whose name matches RE (repeatable)",
         "RE may match anywhere in the name on either side (RE2 syntax); of several, one must. The IDLE row is no op: "
         "--include, --exclude and --limit leave it alone, --no-idle takes it out.",
         {}},
    Flag{FlagId::kExclude,
         '\0',
         "exclude",
         "RE",
         Category::kRows,
         kOps | kKernels | kEvents | kDiff,
         true,
         true,
         "No rows whose name matches RE (repeatable)",
         "",
         {}},
    Flag{FlagId::kMinSelf,
         '\0',
         "min-self",
         "PCT",
         Category::kRows,
         kOps,
         false,
         false,
         "Only rows with PCT percent of their side or more",
         "The rest is summed in one row.",
         {}},
    Flag{FlagId::kTreeBy, '\0', "by", "KEY", Category::kRows, kTree, false, true,
         "The tree's levels: scope, call or type", "", kTreeBys},
    Flag{FlagId::kDepth, '\0', "depth", "N", Category::kRows, kTree, false, true,
         "At most N levels (0: all)", "Totals stay those of all that is below.", {}},
    Flag{FlagId::kMin, '\0', "min", "PCT", Category::kRows, kTree, false, false,
         "Only nodes with PCT percent of the time or more", "", {}},
    Flag{FlagId::kPeek, '\0', "peek", "RE", Category::kRows, kTree, false, true,
         "Callers and callees of what matches RE",
         "RE2 syntax; RE may match anywhere in a node's path (--by scope) or its name.", {}},
    Flag{FlagId::kInvert, '\0', "invert", "", Category::kRows, kTree, false, false,
         "From the ops that take the time up to their callers",
         "A root holds all of an op's self time; below it stands who that time was spent for.", {}},
    Flag{FlagId::kFocus, '\0', "focus", "RE", Category::kRows, kTree, false, false,
         "Only time in or below nodes that match RE", "", {}},
    Flag{FlagId::kIgnore, '\0', "ignore", "RE", Category::kRows, kTree, false, false,
         "No time in or below nodes that match RE", "", {}},
    Flag{FlagId::kCompat, '\0', "compat", "MODE", Category::kRows, kOfficial, false, true,
         "Numbers as the official tool's: xprof or legacy",
         "For comparing with TensorBoard and feeding scripts written for its CSV, oddities included.", kCompats},
    Flag{FlagId::kFormatIn, '\0', "format-in", "KIND", Category::kInput, kReaders, false, true,
         "Read inputs as this kind, whatever they hold",
         "What a file is, its content tells; `info` says what it was taken for and why. This overrides it.", kFormatsIn},
    Flag{FlagId::kFormat, 'f', "format", "FORMAT", Category::kOutput, kReaders & ~kCheck, false, true,
         "table, csv, tsv, json, jsonl or markdown",
         "How standard output is written. Machine formats are the same bytes on any machine and terminal.", kFormats},
    Flag{FlagId::kCheckFormat, 'f', "format", "FORMAT", Category::kOutput, kCheck, false, true,
         "How standard output is written", "", kCheckFormats},
    Flag{FlagId::kOutput,
         'o',
         "output",
         "FORMAT:FILE",
         Category::kOutput,
         kReports | kCheck,
         true,
         true,
         "Write to FILE as well (repeatable)",
         "FORMAT may be left out when FILE ends in .csv, .tsv, .json, .jsonl, .md or .txt. The file appears, or is "
         "replaced, when it is whole. FORMAT:- takes the place of --format.",
         {}},
    Flag{FlagId::kBaselineFile, 'o', "output", "FILE", Category::kOutput, kBaseline, false, true,
         "The baseline to write, or to add to",
         "It appears, or is replaced, when it is whole: who reads it meanwhile sees the one from before. `save` without "
         "it prints the baseline.",
         {}},
    Flag{FlagId::kColumns,
         '\0',
         "columns",
         "A,B,...",
         Category::kOutput,
         kOps,
         false,
         true,
         "Columns to show; +p99 adds one, -avg_us drops one",
         "--list-columns tells them all.",
         {}},
    Flag{FlagId::kListColumns,
         '\0',
         "list-columns",
         "",
         Category::kOutput,
         kOps,
         false,
         false,
         "List the columns, their units and meanings",
         "",
         {}},
    Flag{FlagId::kUnit, '\0', "unit", "UNIT", Category::kOutput, kReaders, false, false,
         "Unit of times in tables and sentences", "Machine formats always hold microseconds.", kUnits},
    Flag{FlagId::kWidth,
         '\0',
         "width",
         "N",
         Category::kOutput,
         kReaders,
         false,
         false,
         "Fit tables into N columns (default: the terminal's)",
         "At least 40. Long names are shortened in the middle, columns left out. Without a terminal nothing is shortened.",
         {}},
    Flag{FlagId::kWide, 'w', "wide", "", Category::kOutput, kReaders, false, false, "Shorten nothing", "", {}},
    Flag{FlagId::kColor, '\0', "color", "WHEN", Category::kOutput, kReaders, false, false, "Colours",
         "NO_COLOR, CLICOLOR_FORCE and TERM=dumb count as usual; the flag beats them.", kWhens},
    Flag{FlagId::kStrict,
         '\0',
         "strict",
         "",
         Category::kDamage,
         kReaders,
         false,
         false,
         "Exit 3 on any sign of damage, not only on loss",
         "",
         {}},
    Flag{FlagId::kAllowPartial,
         '\0',
         "allow-partial",
         "",
         Category::kDamage,
         kReaders,
         false,
         false,
         "Exit 0 though input is damaged or partly missing",
         "Of this and --strict the last one wins.",
         {}},
    Flag{FlagId::kThreads,
         'j',
         "threads",
         "N",
         Category::kRunning,
         kReaders,
         false,
         false,
         "Threads to read with (default: one per core)",
         "The answer doesn't depend on it.",
         {}},
    Flag{FlagId::kProgress, '\0', "progress", "WHEN", Category::kRunning, kReaders, false, false,
         "Progress of long reads, on standard error", "", kWhens},
    Flag{FlagId::kQuiet,
         'q',
         "quiet",
         "",
         Category::kRunning,
         kReaders,
         false,
         false,
         "Say nothing on standard error but errors",
         "",
         {}},
    Flag{FlagId::kMarkdown,
         '\0',
         "markdown",
         "",
         Category::kHelp,
         Bit(CommandId::kHelp),
         false,
         false,
         "All of it as a page: docs/commands.md",
         "",
         {}},
    Flag{FlagId::kShortHelp, 'h', "", "", Category::kHelp, kAll, false, true, "The flags needed most", "", {}},
    Flag{FlagId::kHelp, '\0', "help", "", Category::kHelp, kAll, false, true, "All flags, explained", "", {}},
    Flag{FlagId::kVersion, 'V', "version", "", Category::kHelp, kAll, false, false, "Version", "", {}},
};

// FlagOf goes by place.
constexpr bool InOrderOfIds() {
  for (size_t i = 0; i < kFlags.size(); ++i) {
    if (static_cast<size_t>(kFlags[i].id) != i) return false;
  }
  return true;
}
static_assert(InOrderOfIds());

}  // namespace

std::string_view CategoryTitle(Category category) {
  switch (category) {
    case Category::kInput:
      return "What is read";
    case Category::kDecision:
      return "What is decided";
    case Category::kRows:
      return "What is counted and shown";
    case Category::kOutput:
      return "How it is written";
    case Category::kDamage:
      return "Damage";
    case Category::kRunning:
      return "While it runs";
    case Category::kHelp:
      break;
  }
  return "Help";
}

std::span<const Flag> AllFlags() { return kFlags; }

const Flag* FindLong(std::string_view long_name, CommandId command) {
  for (const Flag& flag : kFlags) {
    if (!long_name.empty() && flag.long_name == long_name && flag.BelongsTo(command)) return &flag;
  }
  return nullptr;
}

const Flag* FindShort(char short_name, CommandId command) {
  for (const Flag& flag : kFlags) {
    if (short_name != '\0' && flag.short_name == short_name && flag.BelongsTo(command)) return &flag;
  }
  return nullptr;
}

const Flag& FlagOf(FlagId id) { return kFlags[static_cast<size_t>(id)]; }

}  // namespace tfprof::cli
