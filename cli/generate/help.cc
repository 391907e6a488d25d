#include "cli/generate/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/display.h"

namespace tfprof::cli {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kDocColumn = 28;

std::vector<std::string_view> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t at = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, at));
    text.remove_prefix(std::min(at + separator.size(), text.size()));
  }
  return parts;
}

// "  -s, --sort COL[:asc|desc]"
std::string Synopsis(const Flag& flag) {
  std::string text = flag.short_name != '\0' ? fmt::format("-{}", flag.short_name) : "    ";
  if (!flag.long_name.empty()) text += fmt::format("{}--{}", flag.short_name != '\0' ? ", " : "", flag.long_name);
  if (flag.takes_value()) text += fmt::format(" {}", flag.argument);
  return text;
}

void AppendWrapped(std::string_view text, size_t indent, std::string* out) {
  for (const std::string& line : report::WrapWords(text, kWidth - indent)) {
    *out += fmt::format("{:{}}{}\n", "", indent, line);
  }
}

// The synopsis, and its doc beside it or, where it is long, below.
void AppendFlag(const Flag& flag, std::string* out) {
  const std::string synopsis = "  " + Synopsis(flag);
  std::string doc;
  AppendWrapped(flag.doc, kDocColumn, &doc);
  if (synopsis.size() + 1 < kDocColumn) {
    doc.replace(0, synopsis.size(), synopsis);
    *out += doc;
  } else {
    *out += synopsis + "\n" + doc;
  }
}

void AppendChoices(const Flag& flag, std::string* out) {
  size_t longest = 0;
  for (const Choice& choice : flag.choices) longest = std::max(longest, choice.name.size());
  for (const Choice& choice : flag.choices) {
    std::string line = fmt::format("{:{}}{:<{}}  {}", "", kDocColumn + 2, choice.name, longest, choice.doc);
    line.erase(line.find_last_not_of(' ') + 1);
    *out += line + "\n";
  }
}

std::vector<const Flag*> FlagsOf(CommandId command, Category category) {
  std::vector<const Flag*> flags;
  for (const Flag& flag : AllFlags()) {
    if (flag.BelongsTo(command) && flag.category == category) flags.push_back(&flag);
  }
  return flags;
}

constexpr Category kCategories[] = {Category::kInput,  Category::kRows,    Category::kOutput,
                                    Category::kDamage, Category::kRunning, Category::kHelp};

std::string Usage(const Command& command) {
  return fmt::format("tfprof-analyze {}{}[FLAGS] {}", command.name, command.name.empty() ? "" : " ", command.arguments);
}

void AppendUsage(const Command& command, std::string* out) {
  *out += fmt::format("Usage: {}\n", Usage(command));
  if (command.id == CommandId::kSummary) *out += "       tfprof-analyze COMMAND [FLAGS] INPUT...\n";
}

void AppendCommands(std::string* out) {
  *out += "\nCommands:\n";
  for (const Command& command : AllCommands()) {
    if (!command.name.empty()) *out += fmt::format("  {:<9}{}\n", command.name, command.doc);
  }
}

struct Example {
  std::string_view command, doc;
};

std::vector<Example> ExamplesOf(const Command& command) {
  std::vector<Example> examples;
  for (const std::string_view line : Split(command.examples, "\n")) {
    const std::vector<std::string_view> parts = Split(line, "  # ");
    examples.push_back({parts.at(0), parts.at(1)});
  }
  return examples;
}

std::string_view Environment() {
  return "NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM say whether --color auto means colour. TMPDIR is where pipes and "
         "gzip files that don't fit into memory are unpacked.";
}

std::string_view ExitStatus() {
  return "0 done; 2 a usage error, or an output that can't be written; 3 an input is missing, unreadable or damaged "
         "(what "
         "could be read is printed); 4 there is nothing to analyse; 130 interrupted. See docs/exit-codes.md.";
}

}  // namespace

std::string ShortHelp(CommandId id) {
  const Command& command = CommandOf(id);
  std::string out = fmt::format("{}.\n", command.doc);
  AppendUsage(command, &out);
  if (id == CommandId::kSummary) AppendCommands(&out);
  out += '\n';
  for (const Flag& flag : AllFlags()) {
    if (flag.BelongsTo(id) && flag.common) {
      out += fmt::format("{:<{}}{}\n", "  " + Synopsis(flag), kDocColumn, flag.doc);
    }
  }
  return out;
}

std::string LongHelp(CommandId id) {
  const Command& command = CommandOf(id);
  std::string out = fmt::format("{}.\n\n", command.doc);
  AppendUsage(command, &out);
  for (const std::string_view paragraph : Split(command.more, "\n\n")) {
    out += '\n';
    AppendWrapped(paragraph, 0, &out);
  }
  if (id == CommandId::kSummary) AppendCommands(&out);
  for (const Category category : kCategories) {
    const std::vector<const Flag*> flags = FlagsOf(id, category);
    if (flags.empty()) continue;
    out += fmt::format("\n{}:\n", CategoryTitle(category));
    for (const Flag* flag : flags) {
      AppendFlag(*flag, &out);
      if (!flag->more.empty()) AppendWrapped(flag->more, kDocColumn, &out);
      AppendChoices(*flag, &out);
    }
  }
  const std::vector<Example> examples = ExamplesOf(command);
  if (!examples.empty()) out += "\nExamples:\n";
  for (const Example& example : examples) out += fmt::format("  {}\n      {}\n", example.command, example.doc);
  if (id != CommandId::kHelp) {
    out += "\nEnvironment:\n";
    AppendWrapped(Environment(), 2, &out);
    out += "\nExit status:\n";
    AppendWrapped(ExitStatus(), 2, &out);
  }
  return out;
}

namespace {

// `<` and `|` mean something in Markdown tables.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

std::string MarkdownFlag(const Flag& flag) {
  std::string name;
  if (flag.short_name != '\0') name = fmt::format("`-{}`", flag.short_name);
  if (!flag.long_name.empty()) {
    name += fmt::format("{}`--{}{}{}`", name.empty() ? "" : ", ", flag.long_name, flag.takes_value() ? " " : "",
                        flag.argument);
  }
  std::string doc = fmt::format("{}.{}{}", flag.doc, flag.more.empty() ? "" : " ", flag.more);
  for (const Choice& choice : flag.choices) {
    doc += fmt::format("{} `{}`{}{}", &choice == flag.choices.data() ? "" : ";", choice.name,
                       choice.doc.empty() ? "" : " ", choice.doc);
  }
  if (!flag.choices.empty()) doc += '.';
  return fmt::format("| {} | {} |\n", Escaped(name), Escaped(doc));
}

}  // namespace

namespace {

// Flags that every report takes are told of once.
bool IsShared(const Flag& flag) {
  return flag.BelongsTo(CommandId::kSummary) && flag.BelongsTo(CommandId::kOps) && flag.BelongsTo(CommandId::kInfo) &&
         flag.BelongsTo(CommandId::kSteps);
}

template <typename Belongs>
void AppendFlagTables(std::string_view title, Belongs&& belongs, std::string* out) {
  for (const Category category : kCategories) {
    std::string rows;
    for (const Flag& flag : AllFlags()) {
      if (flag.category == category && belongs(flag)) rows += MarkdownFlag(flag);
    }
    if (rows.empty()) continue;
    *out += fmt::format("\n### {}: {}\n\n| flag | meaning |\n|---|---|\n{}", title, CategoryTitle(category), rows);
  }
}

void AppendCommandPage(const Command& command, std::string* out) {
  const std::string_view title = command.name.empty() ? "tfprof-analyze" : command.name;
  *out += fmt::format("\n## {}\n\n{}.\n\n    {}\n", title, command.doc, Usage(command));
  for (const std::string_view paragraph : Split(command.more, "\n\n")) *out += fmt::format("\n{}\n", paragraph);
  const std::vector<Example> examples = ExamplesOf(command);
  if (!examples.empty()) *out += "\nExamples:\n\n";
  for (const Example& example : examples) *out += fmt::format("- `{}`: {}\n", example.command, example.doc);
  AppendFlagTables(
      title, [&](const Flag& flag) { return flag.BelongsTo(command.id) && !IsShared(flag); }, out);
}

}  // namespace

std::string MarkdownHelp() {
  std::string out =
      "# Commands\n\n"
      "Made by `tfprof-analyze help --markdown` from the tables that the program parses its command line with.\n\n"
      "Flags may stand anywhere; `--flag=value` and `--flag value` are the same; of one flag the last use counts "
      "unless it "
      "is repeatable; `--` ends the flags. Standard output carries only the answer, everything else goes to standard "
      "error. A command, if there is one, is the first word that is no flag; a file called like a command is reached "
      "as "
      "`./ops`.\n";
  for (const Command& command : AllCommands()) AppendCommandPage(command, &out);
  out += "\n## Flags of all reports\n";
  AppendFlagTables("all", IsShared, &out);
  return out + fmt::format("\n## Environment\n\n{}\n\n## Exit status\n\n{}\n", Environment(), ExitStatus());
}

}  // namespace tfprof::cli
