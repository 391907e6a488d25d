#include "cli/generate/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/display.h"

namespace tfprof::cli {
namespace {

// Where texts stand on a screen of `width` columns: beside their flags, or below where that leaves too little room.
struct Page {
  explicit Page(size_t columns) : width(columns), doc_column(columns >= 72 ? 28 : 6) {}
  size_t width;
  size_t doc_column;
};

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

void AppendWrapped(const Page& page, std::string_view text, size_t indent, std::string* out) {
  if (text.empty()) return;
  for (const std::string& line : report::WrapWords(text, page.width - indent)) {
    *out += fmt::format("{:{}}{}\n", "", indent, line);
  }
}

// The synopsis, and its doc beside it or, where it is long, below.
void AppendFlag(const Page& page, const Flag& flag, std::string* out) {
  const std::string synopsis = "  " + Synopsis(flag);
  std::string doc;
  AppendWrapped(page, flag.doc, page.doc_column, &doc);
  if (synopsis.size() + 1 < page.doc_column) {
    doc.replace(0, synopsis.size(), synopsis);
    *out += doc;
  } else {
    *out += synopsis + "\n" + doc;
  }
}

// Two columns, the second wrapped within itself or, where that leaves too little room, below the first.
void AppendTwoColumns(const Page& page, std::string_view left, size_t left_width, std::string_view right, size_t indent,
                      std::string* out) {
  size_t column = indent + left_width;
  std::string text;
  if (right.empty() || left.size() >= left_width || column + 20 > page.width) {
    *out += fmt::format("{:{}}{}\n", "", indent, left);
    AppendWrapped(page, right, indent + 4, out);
    return;
  }
  AppendWrapped(page, right, column, &text);
  text.replace(indent, left.size(), left);
  *out += text;
}

void AppendChoices(const Page& page, const Flag& flag, std::string* out) {
  size_t longest = 0;
  for (const Choice& choice : flag.choices) longest = std::max(longest, choice.name.size());
  for (const Choice& choice : flag.choices) {
    AppendTwoColumns(page, choice.name, longest + 2, choice.doc, page.doc_column + 2, out);
  }
}

std::vector<const Flag*> FlagsOf(CommandId command, Category category) {
  std::vector<const Flag*> flags;
  for (const Flag& flag : AllFlags()) {
    if (flag.BelongsTo(command) && flag.category == category) flags.push_back(&flag);
  }
  return flags;
}

constexpr Category kCategories[] = {Category::kInput,  Category::kDecision, Category::kRows, Category::kOutput,
                                    Category::kDamage, Category::kRunning,  Category::kHelp};

std::string Usage(const Command& command) {
  return fmt::format("tfprof-analyze {}{}[FLAGS] {}", command.name, command.name.empty() ? "" : " ", command.arguments);
}

void AppendUsage(const Page& page, const Command& command, std::string* out) {
  AppendTwoColumns(page, "Usage:", 7, Usage(command), 0, out);
  if (command.id == CommandId::kSummary)
    AppendTwoColumns(page, "", 7, "tfprof-analyze COMMAND [FLAGS] INPUT...", 0, out);
}

void AppendCommands(const Page& page, std::string* out) {
  *out += "\nCommands:\n";
  for (const Command& command : AllCommands()) {
    if (!command.name.empty()) AppendTwoColumns(page, command.name, 9, command.doc, 2, out);
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
  return "0 done; 2 a usage error, an output that can't be written, or too little memory; 3 an input is missing, "
         "unreadable or damaged "
         "(what "
         "could be read is printed); 4 there is nothing to analyse; 130 interrupted. See docs/exit-codes.md.";
}

}  // namespace

std::string ShortHelp(CommandId id, size_t width) {
  const Page page(width);
  const Command& command = CommandOf(id);
  std::string out;
  AppendWrapped(page, fmt::format("{}.", command.doc), 0, &out);
  AppendUsage(page, command, &out);
  // The front page has the commands, and no room for more: what narrows down the input is told by --help.
  const bool front = id == CommandId::kSummary;
  if (front) AppendCommands(page, &out);
  out += '\n';
  for (const Flag& flag : AllFlags()) {
    if (flag.BelongsTo(id) && flag.common && !(front && flag.category == Category::kInput)) {
      AppendFlag(page, flag, &out);
    }
  }
  return out;
}

std::string LongHelp(CommandId id, size_t width) {
  const Page page(width);
  const Command& command = CommandOf(id);
  std::string out;
  AppendWrapped(page, fmt::format("{}.", command.doc), 0, &out);
  out += '\n';
  AppendUsage(page, command, &out);
  for (const std::string_view paragraph : Split(command.more, "\n\n")) {
    out += '\n';
    AppendWrapped(page, paragraph, 0, &out);
  }
  if (id == CommandId::kSummary) AppendCommands(page, &out);
  for (const Category category : kCategories) {
    const std::vector<const Flag*> flags = FlagsOf(id, category);
    if (flags.empty()) continue;
    out += fmt::format("\n{}:\n", CategoryTitle(category));
    for (const Flag* flag : flags) {
      AppendFlag(page, *flag, &out);
      if (!flag->more.empty()) AppendWrapped(page, flag->more, page.doc_column, &out);
      AppendChoices(page, *flag, &out);
    }
  }
  const std::vector<Example> examples = ExamplesOf(command);
  if (!examples.empty()) out += "\nExamples:\n";
  for (const Example& example : examples) {
    out += fmt::format("  {}\n", example.command);  // whole, to be copied
    AppendWrapped(page, example.doc, 6, &out);
  }
  if (id != CommandId::kHelp) {
    out += "\nEnvironment:\n";
    AppendWrapped(page, Environment(), 2, &out);
    out += "\nExit status:\n";
    AppendWrapped(page, ExitStatus(), 2, &out);
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
