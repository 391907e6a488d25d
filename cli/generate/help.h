// Help and documentation, made from the tables of flags and commands.
#pragma once

#include <string>

#include "cli/flags/flag.h"

namespace tfprof::cli {

// `-h`: the flags needed most, a line each, on one screen (80 columns, 24 lines).
std::string ShortHelp(CommandId command);
// `--help`: everything.
std::string LongHelp(CommandId command);
// docs/commands.md.
std::string MarkdownHelp();

}  // namespace tfprof::cli
