#include "cli/term/messages.h"

#include <fmt/format.h>

#include <string>

#include "report/display.h"

namespace tfprof::cli {

void Messages::Line(std::string_view label, std::string_view color, std::string_view text) {
  std::string line = "tfprof-analyze: ";
  if (!label.empty()) line += color_ ? fmt::format("\x1b[{}m{}:\x1b[0m ", color, label) : fmt::format("{}: ", label);
  report::AppendDisplayable(text, &line);  // names in it come from files: no control sequences, one line
  line += '\n';
  err_->Append(line);
}

void Messages::Say(Severity severity, std::string_view text) {
  if (quiet_ && severity != Severity::kError) return;
  constexpr std::string_view kRed = "1;31", kYellow = "1;33", kDim = "2";
  Line(SeverityName(severity),
       severity == Severity::kError     ? kRed
       : severity == Severity::kWarning ? kYellow
                                        : kDim,
       text);
}

void Messages::Inform(std::string_view text) {
  if (!quiet_) Line("", "", text);
}

}  // namespace tfprof::cli
