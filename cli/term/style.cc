#include "cli/term/style.h"

namespace tfprof::cli {
namespace {

constexpr size_t kWidthOfUnknownTerminal = 80;

}  // namespace

bool UseColor(When flag, bool is_terminal, const Io& io) {
  if (flag != When::kAuto) return flag == When::kAlways;
  if (!io.env("NO_COLOR").value_or("").empty()) return false;
  const std::string force = io.env("CLICOLOR_FORCE").value_or("");
  if (!force.empty() && force != "0") return true;
  return is_terminal && io.env("TERM").value_or("") != "dumb" && io.env("CLICOLOR").value_or("") != "0";
}

report::TextStyle FileStyle(const Options& options) {
  report::TextStyle style;
  style.unit = options.unit;
  style.wide = options.wide || !options.width;
  if (options.width) style.width = *options.width;
  return style;
}

report::TextStyle StandardOutputStyle(const Options& options, const Io& io) {
  report::TextStyle style = FileStyle(options);
  style.color = UseColor(options.color, io.out_is_terminal, io);
  if (io.out_is_terminal && !options.wide && !options.width) {
    style.wide = false;
    style.width = io.terminal_width.value_or(kWidthOfUnknownTerminal);
  }
  return style;
}

}  // namespace tfprof::cli
