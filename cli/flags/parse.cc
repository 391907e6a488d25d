#include "cli/flags/parse.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <map>
#include <optional>
#include <string_view>

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

// Where the first argument that is no flag stands, before any `--`.
std::optional<size_t> FirstPositional(const std::vector<std::string>& args) {
  for (size_t i = 0; i < args.size() && args[i] != "--"; ++i) {
    if (!IsFlag(args[i])) return i;
    if (TakesValueAlone(args[i])) ++i;
  }
  return std::nullopt;
}

// CLI11 takes `--flag=` for a flag whose value follows.
void SplitEmptyValues(std::vector<std::string>* args) {
  std::vector<std::string> out;
  bool flags = true;
  for (std::string& arg : *args) {
    flags = flags && arg != "--";
    const bool empty_value = flags && arg.starts_with("--") && arg.find('=') == arg.size() - 1;
    if (empty_value) arg.pop_back();
    out.push_back(std::move(arg));
    if (empty_value) out.emplace_back();
  }
  *args = std::move(out);
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
    app_.add_option("INPUT", inputs_)->expected(0, kManyInputs)->allow_extra_args(false);
  }

  Result<CommandLine> Parse(std::vector<std::string> args) {
    SplitEmptyValues(&args);
    std::reverse(args.begin(), args.end());  // CLI11 takes them from the back
    try {
      app_.parse(std::move(args));
    } catch (const CLI::ParseError& error) {
      return Usage(Explain(error));
    }
    const std::vector<std::string> extras = app_.remaining();
    if (!extras.empty()) return Usage(UnknownFlag(extras.front(), command_));
    CommandLine line{&command_, {}, inputs_};
    std::map<const CLI::Option*, size_t> taken;
    for (const CLI::Option* option : app_.parse_order()) {
      const auto flag = flags_.find(option);
      if (flag == flags_.end()) continue;  // an input
      const size_t use = taken[option]++;
      line.flags.push_back({flag->second, flag->second->takes_value() ? option->results().at(use) : ""});
    }
    return line;
  }

 private:
  static constexpr int kManyInputs = 1 << 28;  // CLI11 has no "any number" that leaves `[a,b]` alone

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
    for (const auto& [option, flag] : flags_) {
      // CLI11's errors begin with the option's name.
      const std::string name = option->get_name();
      if (!std::string_view(error.what()).starts_with(name)) continue;
      return flag->takes_value() ? fmt::format("{} needs a value: {} {}", NameOf(*flag), NameOf(*flag), flag->argument)
                                 : fmt::format("{} takes no value", NameOf(*flag));
    }
    return error.what();
  }

  const Command& command_;
  CLI::App app_;
  std::map<const CLI::Option*, const Flag*> flags_;
  std::vector<std::string> inputs_;
};

}  // namespace

Result<CommandLine> ParseCommandLine(const std::vector<std::string>& args) {
  std::vector<std::string> rest = args;
  const Command* command = &CommandOf(CommandId::kSummary);
  if (const std::optional<size_t> first = FirstPositional(args)) {
    if (const Command* named = FindCommand(args[*first])) {
      command = named;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*first));
    }
  }
  return Parser(*command).Parse(std::move(rest));
}

}  // namespace tfprof::cli
