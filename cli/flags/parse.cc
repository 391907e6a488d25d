#include "cli/flags/parse.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/nearest.h"

namespace tfprof::cli {
namespace {

Error Usage(std::string message) { return {DiagCode::kUnreadableInput, std::move(message)}; }

// Any command's flag: while the command isn't known yet, only whether a flag takes a value matters, and that doesn't
// differ between commands (a test sees to it).
bool TakesValueAlone(std::string_view arg) {
  const auto takes_value = [&](auto&& matches) {
    for (const Flag& flag : AllFlags()) {
      if (matches(flag)) return flag.takes_value();
    }
    return false;
  };
  if (arg.starts_with("--")) {
    return takes_value([&](const Flag& flag) { return !flag.long_name.empty() && flag.long_name == arg.substr(2); });
  }
  for (size_t i = 1; i < arg.size(); ++i) {  // -wn 10
    if (takes_value([&](const Flag& flag) { return flag.short_name == arg[i]; })) return i + 1 == arg.size();
  }
  return false;
}

bool IsFlag(std::string_view arg) { return arg.size() > 1 && arg[0] == '-'; }

// What can be told before the command is known.
struct Scan {
  std::optional<size_t> command;  // place of the first argument that is no flag
  size_t end_of_flags;            // place of `--`, or the number of arguments
};

Scan ScanArguments(const std::vector<std::string>& args) {
  Scan scan{std::nullopt, args.size()};
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") {
      scan.end_of_flags = i;
      break;
    }
    if (!IsFlag(args[i])) {
      if (!scan.command) scan.command = i;
    } else if (TakesValueAlone(args[i])) {
      ++i;
    }
  }
  return scan;
}

// CLI11 takes `--flag=` for a flag whose value follows.
std::vector<std::string> SplitEmptyValues(std::vector<std::string> args) {
  std::vector<std::string> out;
  for (std::string& arg : args) {
    const bool empty_value = arg.starts_with("--") && arg.find('=') == arg.size() - 1;
    if (empty_value) arg.pop_back();
    out.push_back(std::move(arg));
    if (empty_value) out.emplace_back();
  }
  return out;
}

std::string CommandText(const Command& command) {
  return command.name.empty() ? "tfprof-analyze INPUT" : fmt::format("tfprof-analyze {}", command.name);
}

// What to say about a flag that the command doesn't have.
std::string UnknownFlag(std::string_view typed, const Command& command) {
  const std::string_view name = typed.substr(0, typed.find('='));
  for (const Command& other : AllCommands()) {
    const Flag* flag = name.starts_with("--") ? FindLong(name.substr(2), other.id)
                                              : FindShort(name.size() > 1 ? name[1] : '\0', other.id);
    if (flag != nullptr) {
      return fmt::format("{} is no flag of {}, but of {}", name, CommandText(command), CommandText(other));
    }
  }
  std::vector<std::string_view> names;
  for (const Flag& flag : AllFlags()) {
    if (flag.BelongsTo(command.id) && !flag.long_name.empty()) names.push_back(flag.long_name);
  }
  const std::string_view nearest = name.starts_with("--") ? NearestName(name.substr(2), names) : std::string_view();
  return nearest.empty() ? fmt::format("there is no flag {}", name)
                         : fmt::format("there is no flag {}; did you mean --{}?", name, nearest);
}

std::string NameOf(const Flag& flag) {
  return flag.long_name.empty() ? fmt::format("-{}", flag.short_name) : fmt::format("--{}", flag.long_name);
}

class Parser {
 public:
  explicit Parser(const Command& command) : command_(command) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const Flag& flag : AllFlags()) {
      if (flag.BelongsTo(command.id)) Add(flag);
    }
  }

  // `args` hold no `--`.
  Result<CommandLine> Parse(std::vector<std::string> args) {
    args = SplitEmptyValues(std::move(args));
    std::reverse(args.begin(), args.end());  // CLI11 takes them from the back
    try {
      app_.parse(std::move(args));
    } catch (const CLI::ParseError& error) {
      return Usage(Explain(error));
    }
    CommandLine line{&command_, {}, {}};
    // What CLI11 doesn't know: inputs (as positional options it would split `[a,b]`) and flags that don't exist.
    for (std::string& extra : app_.remaining()) {
      if (IsFlag(extra)) return Usage(UnknownFlag(extra, command_));
      line.inputs.push_back(std::move(extra));
    }
    std::map<const CLI::Option*, size_t> taken;
    for (const CLI::Option* option : app_.parse_order()) {
      const Flag* flag = flags_.at(option);
      const size_t use = taken[option]++;
      line.flags.push_back({flag, flag->takes_value() ? option->results().at(use) : ""});
    }
    return line;
  }

 private:
  void Add(const Flag& flag) {
    std::string names;
    if (flag.short_name != '\0') names = fmt::format("-{}", flag.short_name);
    if (!flag.long_name.empty()) names += fmt::format("{}--{}", names.empty() ? "" : ",", flag.long_name);
    CLI::Option* option = nullptr;
    if (flag.takes_value()) {
      option = app_.add_option(names)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    } else {
      option = app_.add_flag(names)->disable_flag_override()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    flags_.emplace(option, &flag);
  }

  std::string Explain(const CLI::ParseError& error) const {
    // CLI11's errors begin with the flag's name, with or without its dashes.
    std::string_view name = error.what();
    name = name.substr(0, name.find_first_of(": "));
    name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
    for (const auto& [option, flag] : flags_) {
      if (name.empty() || !(name == flag->long_name || name == std::string_view(&flag->short_name, 1))) continue;
      return flag->takes_value() ? fmt::format("{0} needs a value: {0} {1}", NameOf(*flag), flag->argument)
                                 : fmt::format("{} takes no value", NameOf(*flag));
    }
    return error.what();
  }

  const Command& command_;
  CLI::App app_;
  std::map<const CLI::Option*, const Flag*> flags_;
};

// What stands behind the `--` of a comparison, added to what stands before.
Result<CommandLine> ParseOtherSide(std::vector<std::string> args, CommandLine line) {
  if (std::find(args.begin(), args.end(), "--") != args.end()) {
    return Usage("-- stands twice; it stands once, between the base runs and the new ones");
  }
  Result<CommandLine> other = Parser(*line.command).Parse(std::move(args));
  if (!other) return other;
  line.before_separator = line.inputs.size();
  line.inputs.insert(line.inputs.end(), other->inputs.begin(), other->inputs.end());
  line.flags.insert(line.flags.end(), other->flags.begin(), other->flags.end());
  return line;
}

}  // namespace

const Command& CommandMeant(const std::vector<std::string>& args) {
  const Scan scan = ScanArguments(args);
  const Command* command = scan.command ? FindCommand(args[*scan.command]) : nullptr;
  return command != nullptr ? *command : CommandOf(CommandId::kSummary);
}

Result<CommandLine> ParseCommandLine(const std::vector<std::string>& args) {
  const Scan scan = ScanArguments(args);
  const Command& command = CommandMeant(args);
  const auto separator = args.begin() + static_cast<std::ptrdiff_t>(scan.end_of_flags);
  std::vector<std::string> flags(args.begin(), separator);
  if (!command.name.empty()) flags.erase(flags.begin() + static_cast<std::ptrdiff_t>(*scan.command));
  Result<CommandLine> line = Parser(command).Parse(std::move(flags));
  if (!line || separator == args.end()) return line;
  if (command.id == CommandId::kDiff) return ParseOtherSide({separator + 1, args.end()}, std::move(*line));
  line->inputs.insert(line->inputs.end(), separator + 1, args.end());
  return line;
}

}  // namespace tfprof::cli
