// Help and documentation, made from the tables of flags and commands.
#pragma once

#include <string>

#include "cli/flags/flag.h"

namespace tfprof::cli {

// The least width that texts are wrapped to; only commands to be copied are longer.
inline constexpr size_t kLeastWidth = 40;

// `-h`: the flags needed most, a line each, on one screen (80 columns, 24 lines).
std::string ShortHelp(CommandId command, size_t width = 80);
// `--help`: everything.
std::string LongHelp(CommandId command, size_t width = 80);
// docs/commands.md.
std::string MarkdownHelp();

}  // namespace tfprof::cli
