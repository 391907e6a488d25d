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
constexpr uint32_t kInfo = Bit(CommandId::kInfo);
constexpr uint32_t kReports =
    kSummary | kOps | kTree | kSteps | kOverview | kKernels | kInput | kMemory | kEvents | kInfo;
constexpr uint32_t kWithSteps = kReports & ~kInfo;
// Those with numbers that the official tool has too.
constexpr uint32_t kOfficial = kOps | kSteps | kOverview | kKernels | kInput | kMemory;
constexpr uint32_t kAll = kReports | Bit(CommandId::kHelp);

constexpr std::array kFormatsIn = {
    Choice{"xplane", "an XSpace protobuf"},
    Choice{"tf1-timeline", "tf.train.ProfilerHook"},
    Choice{"tf2-trace", "TensorFlow 2 and JAX"},
    Choice{"kineto-trace", "PyTorch"},
    Choice{"chrome-trace", "any Trace Event JSON"},
};

constexpr std::array kCommands = {
    Command{
        CommandId::kSummary, "", "INPUT...", "One screen about a run: where its time went, and what to look at next",
        "INPUT is a log directory at any depth (its newest run is read, all hosts of it), a run directory, a profile "
        "file (.xplane.pb, also gzipped), several of these, or - for standard input. What a file is, its content "
        "tells, not its name.",
        "tfprof-analyze logs/  # the newest run below logs/\n"
        "tfprof-analyze logs/ --run 2026_08_17_22_58_50  # another one"},
    Command{
        CommandId::kOps, "ops", "INPUT...", "The op table: how often each op ran and how long, on host and devices",
        "The table of TensorBoard's TensorFlow Stats page (XProf: Framework Op Stats). Self time is the time in an op "
        "without the ops it called; total time is with them. Device rows come first, each side sorted by self time.",
        "tfprof-analyze ops logs/ --no-idle -n 20  # the 20 ops that took longest, per side\n"
        "tfprof-analyze ops logs/ --by type --side device  # by op type, device only\n"
        "tfprof-analyze ops logs/ -o csv:ops.csv -o json:ops.json  # a table here, two files there\n"
        "tfprof-analyze ops logs/ --compat xprof -f csv  # what XProf's CSV download holds"},
    Command{CommandId::kTree, "tree", "INPUT...", "The op tree: by name scope, by call or by type",
            "By scope: a model's layers, from the names of its ops (model/conv1/Conv2D). By call: which op ran within which "
            "on the host's threads. By type: Conv2D and its like, below each its ops. Launched is device time of what the "
            "host ops in a node launched, where the profile tells; it is part of no other column.",
            "tfprof-analyze tree logs/ --depth 3 --min 1  # the layers that matter\n"
            "tfprof-analyze tree logs/ --by call --peek MatMul  # who calls it, and what it calls\n"
            "tfprof-analyze tree logs/ --by type --side device  # op types on the device"},
    Command{CommandId::kSteps, "steps", "INPUT...", "How long each step took, and what with",
            "A step is what the program marks as one (Keras, estimators, tf.profiler.experimental.Trace, JAX's "
            "StepTraceAnnotation): from its marker's start to the end of the device's work for it. A moment of it counts once, "
            "for the device where that works, then for input, then for the host. Summary: mean, deviation, quantiles.",
            "tfprof-analyze steps logs/  # step times and their breakdown\n"
            "tfprof-analyze steps logs/ -f csv  # a row for each step"},
    Command{CommandId::kOverview, "overview", "INPUT...", "Step time, bottleneck, top ops and advice on one page",
            "What TensorBoard's overview page tells, from the same rules as steps, input and ops. Advice names the op and the "
            "number that it rests on; what the files can't tell is left out.",
            "tfprof-analyze overview logs/  # what TensorBoard's overview page tells"},
    Command{CommandId::kKernels, "kernels", "INPUT...", "GPU kernels: how often and how long each was launched",
            "The table of TensorBoard's GPU Kernel Stats page: each kernel with its op, launch geometry, registers, "
            "shared memory, occupancy and tensor core use, sorted by total time. docs/kernels.md explains every column.",
            "tfprof-analyze kernels logs/ -n 20  # the 20 kernels that took longest\n"
            "tfprof-analyze kernels logs/ --by op  # GPU time of each op"},
    Command{CommandId::kInput, "input", "INPUT...", "Is training waiting for input, and for which stage of it",
            "The share of step time that waits for input, the ops of the input pipeline on the host, and what they do: read "
            "files, preprocess, copy to the device.",
            "tfprof-analyze input logs/  # the input pipeline and its bottleneck"},
    Command{CommandId::kMemory, "memory", "INPUT...", "Peak memory of each allocator, and what was alive then",
            "The Memory Profile page: for each allocator its use over time, the peak, and the allocations that were alive "
            "at the peak. docs/memory.md explains every number.",
            "tfprof-analyze memory logs/  # what filled the memory\n"
            "tfprof-analyze memory logs/ -n 10 -f csv  # the 10 largest allocations of each allocator"},
    Command{CommandId::kEvents, "events", "INPUT...", "The events themselves, one line each",
            "Every event of the profile in the order of the file, for jq, pandas and DuckDB: where it is, when, how long, whose "
            "op, in which step. Nothing is kept in memory; each --output reads the input anew. Tables show the first 50.",
            "tfprof-analyze events logs/ -f jsonl  # for jq, pandas and DuckDB\n"
            "tfprof-analyze events logs/ --include MatMul --time 1s:2s -f csv  # some of them"},
    Command{CommandId::kInfo, "info", "INPUT...", "What is in the files: planes, lanes, events, spans, stored messages",
            "", "tfprof-analyze info logs/  # what the profiler wrote, and what went wrong while it did"},
    Command{CommandId::kHelp, "help", "[COMMAND]", "Help on a command", "", ""},
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
constexpr std::array kCompats = {Choice{"none", "right, by our rules (default)"},
                                 Choice{"xprof", "as XProf of 2026 prints"},
                                 Choice{"legacy", "the same; CSV as of TensorBoard 2020-2025"}};
constexpr std::array kFormats = {
    Choice{"table", "for people (default)"},       Choice{"csv", "comma-separated, with a header"},
    Choice{"tsv", "tab-separated, with a header"}, Choice{"json", "one document; schemas/ pins it"},
    Choice{"jsonl", "one JSON object a row"},      Choice{"markdown", "for pull requests and reports"}};
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
         kReports,
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
         kReports,
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
    Flag{FlagId::kIdle,
         '\0',
         "idle",
         "",
         Category::kRows,
         kOps | kTree,
         false,
         false,
         "With IDLE rows; shares count idle time (default)",
         "In `tree` the default is --no-idle.",
         {}},
    Flag{FlagId::kNoIdle,
         '\0',
         "no-idle",
         "",
         Category::kRows,
         kOps | kTree,
         false,
         true,
         "Without IDLE rows; shares are of op time",
         "",
         {}},
    Flag{FlagId::kSide, '\0', "side", "SIDE", Category::kRows, kOps | kTree | kEvents, false, true, "Ops of the host, the device or both",
         "", kSides},
    Flag{FlagId::kBy, '\0', "by", "KEY", Category::kRows, kOps, false, true,
         "Rows per op, type, scope, host, device or lane", "", kBys},
    Flag{FlagId::kKernelsBy, '\0', "by", "KEY", Category::kRows, kKernels, false, true,
         "Rows per launch shape, kernel or op", "", kKernelsBys},
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
    Flag{FlagId::kLimit,
         'n',
         "limit",
         "N",
         Category::kRows,
         kOps | kKernels | kMemory | kEvents,
         false,
         true,
         "At most N rows per side, the rest summed (0: all)",
         "",
         {}},
    Flag{FlagId::kInclude,
         '\0',
         "include",
         "RE",
         Category::kRows,
         kOps | kKernels | kEvents,
         true,
         true,
         "Only rows whose name matches RE (repeatable)",
         "RE may match anywhere in the name (RE2 syntax); of several, one must. In `events` the name of the event, that "
         "of its op, or the op's type counts. Shares stay those of the whole table. "
         "The IDLE row is no op: --include, --exclude, --min-self and --limit leave it alone, --no-idle takes it out.",
         {}},
    Flag{FlagId::kExclude,
         '\0',
         "exclude",
         "RE",
         Category::kRows,
         kOps | kKernels | kEvents,
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
    Flag{FlagId::kFormatIn, '\0', "format-in", "KIND", Category::kInput, kReports, false, true,
         "Read inputs as this kind, whatever they hold",
         "What a file is, its content tells; `info` says what it was taken for and why. This overrides it.", kFormatsIn},
    Flag{FlagId::kFormat, 'f', "format", "FORMAT", Category::kOutput, kReports, false, true,
         "table, csv, tsv, json, jsonl or markdown",
         "How standard output is written. Machine formats are the same bytes on any machine and terminal.", kFormats},
    Flag{FlagId::kOutput,
         'o',
         "output",
         "FORMAT:FILE",
         Category::kOutput,
         kReports,
         true,
         true,
         "Write to FILE as well (repeatable)",
         "FORMAT may be left out when FILE ends in .csv, .tsv, .json, .jsonl, .md or .txt. The file appears, or is "
         "replaced, when it is whole. FORMAT:- takes the place of --format.",
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
    Flag{FlagId::kUnit, '\0', "unit", "UNIT", Category::kOutput, kReports, false, false,
         "Unit of times in tables and sentences", "Machine formats always hold microseconds.", kUnits},
    Flag{FlagId::kWidth,
         '\0',
         "width",
         "N",
         Category::kOutput,
         kReports,
         false,
         false,
         "Fit tables into N columns (default: the terminal's)",
         "At least 40. Long names are shortened in the middle, columns left out. Without a terminal nothing is shortened.",
         {}},
    Flag{FlagId::kWide, 'w', "wide", "", Category::kOutput, kReports, false, false, "Shorten nothing", "", {}},
    Flag{FlagId::kColor, '\0', "color", "WHEN", Category::kOutput, kReports, false, false, "Colours",
         "NO_COLOR, CLICOLOR_FORCE and TERM=dumb count as usual; the flag beats them.", kWhens},
    Flag{FlagId::kStrict,
         '\0',
         "strict",
         "",
         Category::kDamage,
         kReports,
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
         kReports,
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
         kReports,
         false,
         false,
         "Threads to read with (default: one per core)",
         "The answer doesn't depend on it.",
         {}},
    Flag{FlagId::kProgress, '\0', "progress", "WHEN", Category::kRunning, kReports, false, false,
         "Progress of long reads, on standard error", "", kWhens},
    Flag{FlagId::kQuiet,
         'q',
         "quiet",
         "",
         Category::kRunning,
         kReports,
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

// FlagOf and CommandOf go by place.
constexpr bool InOrderOfIds() {
  for (size_t i = 0; i < kFlags.size(); ++i) {
    if (static_cast<size_t>(kFlags[i].id) != i) return false;
  }
  for (size_t i = 0; i < kCommands.size(); ++i) {
    if (static_cast<size_t>(kCommands[i].id) != i) return false;
  }
  return true;
}
static_assert(InOrderOfIds());

}  // namespace

std::span<const Command> AllCommands() { return kCommands; }

const Command& CommandOf(CommandId id) { return kCommands[static_cast<size_t>(id)]; }

const Command* FindCommand(std::string_view name) {
  const auto* at = std::find_if(kCommands.begin(), kCommands.end(), [&](const Command& c) { return c.name == name; });
  return name.empty() || at == kCommands.end() ? nullptr : at;
}

std::string_view CategoryTitle(Category category) {
  switch (category) {
    case Category::kInput:
      return "What is read";
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
