// One definition per flag and per command: the parser, -h and --help, docs/commands.md, and later the man page and the
// completions are made from these rows (convention: ripgrep's flag table).
//
// A row only describes. What a flag does is in options.h, which looks flags up by FlagId.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tfprof::cli {

enum class CommandId : uint8_t {
  kSummary, kOps, kTree, kSteps, kOverview, kKernels, kInput, kMemory, kEvents, kDiff, kCheck, kBaseline, kInfo, kHelp
};

struct Command {
  CommandId id;
  std::string_view name;       // "" for the summary, which has no word of its own
  std::string_view arguments;  // "INPUT..."
  std::string_view doc;        // one line
  std::string_view more;       // paragraphs, separated by an empty line
  std::string_view examples;   // lines `command  # what it does`
};

std::span<const Command> AllCommands();
const Command& CommandOf(CommandId id);
// Null: no command is called so.
const Command* FindCommand(std::string_view name);

enum class Category : uint8_t { kInput, kDecision, kRows, kOutput, kDamage, kRunning, kHelp };
std::string_view CategoryTitle(Category category);

enum class FlagId : uint8_t {
  kRun,
  kHost,
  kTime,
  kSteps,
  kSkipSteps,
  kBase,
  kCheckBase,
  kRules,
  kFailIf,
  kOnInconclusive,
  kRunSkipSteps,
  kIdle,
  kTreeIdle,
  kNoIdle,
  kSide,
  kBy,
  kKernelsBy,
  kDiffBy,
  kSort,
  kDiffSort,
  kLimit,
  kDiffLimit,
  kKernelsLimit,
  kMemoryLimit,
  kEventsLimit,
  kInclude,
  kKernelsInclude,
  kEventsInclude,
  kDiffInclude,
  kExclude,
  kMinSelf,
  kTreeBy,
  kDepth,
  kMin,
  kPeek,
  kInvert,
  kFocus,
  kIgnore,
  kCompat,
  kFormatIn,
  kFormat,
  kCheckFormat,
  kOutput,
  kBaselineFile,
  kColumns,
  kListColumns,
  kUnit,
  kWidth,
  kWide,
  kColor,
  kStrict,
  kAllowPartial,
  kThreads,
  kProgress,
  kQuiet,
  kMarkdown,
  kShortHelp,
  kHelp,
  kVersion,
};

struct Choice {
  std::string_view name;
  std::string_view doc;
};

struct Flag {
  FlagId id;
  char short_name;             // '\0': none
  std::string_view long_name;  // without `--`; "": none
  std::string_view argument;   // "N"; "": a switch
  Category category;
  uint32_t commands;      // set of CommandId as bits
  bool repeatable;        // each use counts; else the last one wins
  bool common;            // listed by -h
  std::string_view doc;   // one line, no full stop
  std::string_view more;  // further sentences
  std::span<const Choice> choices;

  bool BelongsTo(CommandId command) const { return (commands >> static_cast<int>(command) & 1) != 0; }
  bool takes_value() const { return !argument.empty(); }
};

// In the order of the help.
std::span<const Flag> AllFlags();
// The flag of that name among those of `command`; null: there is none.
const Flag* FindLong(std::string_view long_name, CommandId command);
const Flag* FindShort(char short_name, CommandId command);
const Flag& FlagOf(FlagId id);

}  // namespace tfprof::cli
