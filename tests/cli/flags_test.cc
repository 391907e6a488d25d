// The tables of flags and commands, and what is made from them.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "cli/exit_code.h"
#include "cli/flags/flag.h"
#include "cli/generate/help.h"
#include "report/display.h"

namespace tfprof::cli {
namespace {

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

TEST_CASE("names of flags are unique and well formed") {
  std::set<std::pair<CommandId, std::string_view>> long_names;
  std::set<std::pair<CommandId, char>> short_names;
  for (const Flag& flag : AllFlags()) {
    INFO(flag.long_name);
    CHECK((!flag.long_name.empty() || flag.short_name != '\0'));
    // Two flags may have one name if no command has both.
    for (const Command& command : AllCommands()) {
      if (!flag.BelongsTo(command.id)) continue;
      if (!flag.long_name.empty()) CHECK(long_names.insert({command.id, flag.long_name}).second);
      if (flag.short_name != '\0') CHECK(short_names.insert({command.id, flag.short_name}).second);
    }
    for (const char c : flag.long_name) CHECK((std::islower(static_cast<unsigned char>(c)) || c == '-'));
    CHECK(flag.commands != 0);
    CHECK_FALSE(flag.doc.empty());
    CHECK_FALSE(flag.doc.ends_with('.'));
    CHECK((flag.more.empty() || flag.more.ends_with('.')));
    CHECK((flag.takes_value() || flag.choices.empty()));
    CHECK(&FlagOf(flag.id) == &flag);
  }
}

TEST_CASE("commands are found by name, flags by name and command") {
  CHECK(FindCommand("ops")->id == CommandId::kOps);
  CHECK(FindCommand("") == nullptr);
  CHECK(FindCommand("op") == nullptr);
  CHECK(FindLong("limit", CommandId::kOps)->id == FlagId::kLimit);
  CHECK(FindLong("limit", CommandId::kInfo) == nullptr);
  // A command's help tells of itself, not of what the flag means elsewhere.
  for (const CommandId command : {CommandId::kOps, CommandId::kKernels, CommandId::kMemory, CommandId::kEvents}) {
    CHECK(FindLong("limit", command)->more.find("diff") == std::string_view::npos);
  }
  CHECK(FindLong("limit", CommandId::kMemory)->doc.find("per side") == std::string_view::npos);
  CHECK(FindLong("idle", CommandId::kTree)->doc.find("(default)") == std::string_view::npos);
  CHECK(FindShort('o', CommandId::kInfo)->id == FlagId::kOutput);
  CHECK(FindShort('\0', CommandId::kOps) == nullptr);
}

TEST_CASE("help fits a screen of 80 columns, -h one of 24 lines") {
  for (const Command& command : AllCommands()) {
    CHECK(Lines(ShortHelp(command.id)).size() <= 24);
    for (const std::string& text : {ShortHelp(command.id), LongHelp(command.id)}) {
      for (const std::string& line : Lines(text)) {
        INFO(line);
        CHECK(report::DisplayWidth(line) <= 80);
        CHECK_FALSE(line.ends_with(' '));
      }
    }
  }
}

TEST_CASE("help fits narrower screens, but for commands to be copied") {
  for (const Command& command : AllCommands()) {
    for (const size_t width : {kLeastWidth, size_t{55}, size_t{72}}) {
      for (const std::string& text : {ShortHelp(command.id, width), LongHelp(command.id, width)}) {
        for (const std::string& line : Lines(text)) {
          INFO(line);
          CHECK((report::DisplayWidth(line) <= width || line.starts_with("  tfprof-analyze ")));
        }
      }
    }
  }
}

TEST_CASE("--help tells every flag of the command, with its choices, and no other") {
  for (const Command& command : AllCommands()) {
    const std::string help = LongHelp(command.id);
    for (const Flag& flag : AllFlags()) {
      if (flag.long_name.empty()) continue;
      INFO(flag.long_name);
      const std::string name = fmt::format(" --{}{}{}", flag.long_name, flag.takes_value() ? " " : "", flag.argument);
      // A flag is listed at the start of a line; others may name it in their texts.
      const auto lines = Lines(help);
      const bool listed = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
        const size_t at = line.find(name);
        return line.starts_with("  ") && at <= 6 && at != std::string::npos &&
               (at + name.size() == line.size() || line[at + name.size()] == ' ');
      });
      // Another flag of the command may be called and typed the same.
      const Flag* found = FindLong(flag.long_name, command.id);
      CHECK(listed == (found != nullptr && found->argument == flag.argument));
      if (!flag.BelongsTo(command.id)) continue;
      for (const Choice& choice : flag.choices) CHECK(help.find(choice.name) != std::string::npos);
    }
  }
}

TEST_CASE("docs/commands.md is what `help --markdown` prints") {
  CHECK(FileText("docs/commands.md") == MarkdownHelp());
}

TEST_CASE("docs/exit-codes.md tells every exit code") {
  const std::string page = FileText("docs/exit-codes.md");
  for (const ExitCode code : {ExitCode::kDone, ExitCode::kRegression, ExitCode::kUsage, ExitCode::kDamaged,
                              ExitCode::kNothing, ExitCode::kHangup, ExitCode::kInterrupted, ExitCode::kTerminated}) {
    CHECK_THAT(page, Catch::Contains("\n| " + std::to_string(static_cast<int>(code)) + " | "));
  }
}

}  // namespace tfprof::cli
