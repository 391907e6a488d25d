#include "cli/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "cli/commands/baseline.h"
#include "cli/commands/check.h"
#include "cli/commands/compare.h"
#include "cli/commands/report.h"
#include "cli/exit_code.h"
#include "cli/flags/options.h"
#include "cli/flags/parse.h"
#include "cli/generate/help.h"
#include "cli/term/messages.h"
#include "cli/term/style.h"
#include "report/display.h"
#include "report/ops_columns.h"

namespace tfprof::cli {
namespace {

ExitCode UsageError(std::string_view message, const Command& command, Io& io) {
  Messages messages(io.err, UseColor(When::kAuto, io.err_is_terminal, io), false);
  messages.Say(Severity::kError, message);
  messages.Inform(fmt::format("tfprof-analyze {}{}-h tells the flags", command.name, command.name.empty() ? "" : " "));
  return ExitCode::kUsage;
}

ExitCode Print(std::string_view text, Io& io) {
  io.out->Append(text);
  const int error = io.out->error();
  if (error == 0 || error == EPIPE) return ExitCode::kDone;
  Messages(io.err, false, false)
      .Say(Severity::kError, fmt::format("standard output: cannot be written: {}", std::strerror(error)));
  return ExitCode::kUsage;
}

// Help fits terminals narrower than usual; what is no terminal gets the usual.
size_t HelpWidth(const Io& io) {
  constexpr size_t kUsual = 80;
  if (!io.out_is_terminal) return kUsual;
  return std::clamp(io.terminal_width.value_or(kUsual), kLeastWidth, kUsual);
}

ExitCode ListColumns(analyze::OpsBy by, Io& io) {
  size_t id_width = 0, unit_width = 0;
  const std::vector<const report::OpsColumn*> columns = report::AllOpsColumns(by);
  for (const report::OpsColumn* column : columns) {
    id_width = std::max(id_width, report::OpsColumnId(*column, by).size());
    unit_width = std::max(unit_width, column->unit.size());
  }
  std::string text;
  for (const report::OpsColumn* column : columns) {
    const std::string name =
        fmt::format("{:<{}}  {:<{}}  ", report::OpsColumnId(*column, by), id_width, column->unit, unit_width);
    // Beside the name in a column of its own, or below it.
    const size_t width = io.out_is_terminal ? std::max(io.terminal_width.value_or(80), kLeastWidth) : SIZE_MAX;
    const size_t indent = name.size() + 20 <= width ? name.size() : 4;
    text += indent == 4 ? name.substr(0, name.find_last_not_of(' ') + 1) + "\n" : name;
    bool first = indent != 4;
    for (const std::string& line : report::WrapWords(column->meaning, width - indent)) {
      text += fmt::format("{:{}}{}\n", "", std::exchange(first, false) ? 0 : indent, line);
    }
  }
  return Print(text, io);
}

ExitCode RunHelp(const Options& options, Io& io) {
  if (options.markdown) return Print(MarkdownHelp(), io);
  if (options.inputs.empty()) return Print(LongHelp(CommandId::kSummary, HelpWidth(io)), io);
  const Command* command = FindCommand(options.inputs.front());
  if (command != nullptr) return Print(LongHelp(command->id, HelpWidth(io)), io);
  std::vector<std::string_view> names;
  for (const Command& known : AllCommands()) {
    if (!known.name.empty()) names.push_back(known.name);
  }
  const std::string_view nearest = NearestName(options.inputs.front(), names);
  return UsageError(nearest.empty()
                        ? fmt::format("there is no command \"{}\"; the commands are {}", options.inputs.front(),
                                      fmt::join(names, ", "))
                        : fmt::format("there is no command \"{}\"; did you mean {}?", options.inputs.front(), nearest),
                    CommandOf(CommandId::kHelp), io);
}

// The command that somebody who typed `word` for a first input may have meant; "" if it looks like a file.
std::string_view MistypedCommand(const std::string& word) {
  if (word.find_first_of("./") != std::string::npos || access(word.c_str(), F_OK) == 0) return {};
  std::vector<std::string_view> names;
  for (const Command& command : AllCommands()) {
    if (!command.name.empty()) names.push_back(command.name);
  }
  return NearestName(word, names);
}

ExitCode Dispatch(const Args& args, Io& io) {
  const Result<CommandLine> line = ParseCommandLine(args);
  if (!line) return UsageError(line.error().message, CommandMeant(args), io);
  const Command& command = *line.value().command;
  const Result<Options> made = MakeOptions(line.value());
  if (!made) return UsageError(made.error().message, command, io);
  const Options& options = made.value();
  if (options.help) return Print(LongHelp(command.id, HelpWidth(io)), io);
  if (options.short_help) return Print(ShortHelp(command.id, HelpWidth(io)), io);
  if (options.version) return Print(fmt::format("tfprof-analyze {}\n", TFPROF_VERSION), io);
  if (command.id == CommandId::kHelp) return RunHelp(options, io);
  if (options.list_columns) return ListColumns(options.by, io);
  if (options.inputs.empty()) {
    return UsageError("there is no INPUT; name a log directory, a run or a profile, or - for standard input", command,
                      io);
  }
  if (command.id == CommandId::kSummary) {
    const std::string& first = options.inputs.front();
    if (const std::string_view meant = MistypedCommand(first); !meant.empty()) {
      return UsageError(fmt::format("there is no command or file \"{}\"; did you mean {}?", first, meant), command, io);
    }
  }
  if (command.id == CommandId::kBaseline) return RunBaseline(options, io);
  if (command.id == CommandId::kDiff) return RunDiff(options, io);
  if (command.id == CommandId::kCheck) return RunCheck(options, io);
  return RunReport(options, io);
}

}  // namespace

int Run(const Args& args, Io& io) {
  try {
    return static_cast<int>(Dispatch(args, io));
  } catch (const std::bad_alloc&) {
    io.err->Append("tfprof-analyze: error: out of memory\n");
    return static_cast<int>(ExitCode::kUsage);
  }
}

}  // namespace tfprof::cli
