// From arguments to the flags that were typed: which command, which flags with which texts, which inputs. Nothing is
// done and no value is looked into here (options.h does).
//
// The command is the first argument that is no flag, if it is a command's name and doesn't stand behind `--`; else the
// summary is meant. A file called like a command is reached as `./ops` or behind `--`. `--flag=value` and `--flag
// value` are the same; after `--` everything is an input; `-` is one. In `diff` the `--` stands between the sides, and
// flags may stand on either.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/flags/flag.h"

namespace tfprof::cli {

struct TypedFlag {
  const Flag* flag;
  std::string value;  // "" for a switch
};

struct CommandLine {
  const Command* command = nullptr;
  std::vector<TypedFlag> flags;  // in the order of typing
  std::vector<std::string> inputs;
  std::optional<size_t> before_separator;  // of `diff`: how many inputs stand before `--`; none: there is no `--`
};

// The command that is meant, whether the rest makes sense or not.
const Command& CommandMeant(const std::vector<std::string>& args);

// An Error is a usage error; its message says what to type instead, as far as that can be told.
Result<CommandLine> ParseCommandLine(const std::vector<std::string>& args);

}  // namespace tfprof::cli
