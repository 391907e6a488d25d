// The commands. Texts are shown to users: complete sentences, the user's words, no names of our own types.
#include <algorithm>
#include <array>

#include "cli/flags/flag.h"

namespace tfprof::cli {
namespace {

constexpr std::array kCommands = {
    Command{
        CommandId::kSummary, "", "INPUT...", "One screen about a run: where its time went, and what to look at next",
        "INPUT is a log directory at any depth (its newest run is read, all hosts of it), a run directory, a profile "
        "file (.xplane.pb, also gzipped), several of these, or - for standard input. In a directory profiles are found "
        "by their names; what a file is, its content tells.",
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
            "on the host's threads, and which kernels it launched. By type: Conv2D and its like, below each its ops. Launched "
            "is device time of what the host ops in a node launched, where the profile tells; no other column's sum holds it.",
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
    Command{CommandId::kDiff, "diff", "BASE... -- NEW...", "What changed between two sets of runs, and whether it is chance",
            "Base is left, new is right, a change is new - base: positive is slower. Each argument is one run: a profile, a "
            "run directory, a log directory (its newest run, all hosts), a table that `ops` saved as JSON or CSV (or "
            "TensorBoard's CSV), or a baseline, which holds several. Several runs a side tell a change from chance. "
            "docs/diff.md explains the page.",
            "tfprof-analyze diff old/ -- new/  # what changed\n"
            "tfprof-analyze diff old1/ old2/ old3/ -- new1/ new2/ new3/  # the same, with p\n"
            "tfprof-analyze diff main.json -- logs/ --by type  # against a baseline, by op type"},
    Command{CommandId::kCheck, "check", "NEW...", "May these runs pass? A verdict, an exit code and reports for CI",
            "Holds new runs against a baseline, against rules, or both. Each NEW is one run, as for diff; so is each "
            "--baseline, or it is a file that `baseline save` wrote. Exit status: 0 passed, 1 a rule is broken or a run "
            "got slower, 4 that can't be told. docs/ci.md shows it at work and tells every rule.",
            "tfprof-analyze check logs/ --baseline main.json  # did anything get slower?\n"
            "tfprof-analyze check logs/ --fail-if 'device.idle_fraction > 0.3'  # a rule\n"
            "tfprof-analyze check logs/ --rules rules.json -o junit:check.xml  # a report"},
    Command{CommandId::kBaseline, "baseline", "save|add|show INPUT...",
            "Keep what good runs took in one small file, for diff and check",
            "save writes the runs given to FILE (-o FILE), add adds them to one, show tells what is in one. Each INPUT is "
            "one run, as for diff. A baseline is text, one op a line; it holds figures of each run, no events.",
            "tfprof-analyze baseline save run1/ run2/ run3/ -o main.json  # a new one\n"
            "tfprof-analyze baseline add run4/ -o main.json  # one more run\n"
            "tfprof-analyze baseline show main.json  # what it holds"},
    Command{CommandId::kInfo, "info", "INPUT...", "What is in the files: planes, lanes, events, spans, stored messages",
            "", "tfprof-analyze info logs/  # what the profiler wrote, and what went wrong while it did"},
    Command{CommandId::kHelp, "help", "[COMMAND]", "Help on a command", "", ""},
};

// CommandOf goes by place.
constexpr bool InOrderOfIds() {
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

}  // namespace tfprof::cli
