#include "report/shell_word.h"

#include <fmt/format.h>

#include <algorithm>

namespace tfprof::report {

std::string ShellWord(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  // A control character can't be printed as it is; $'…' spells it.
  const bool spelled = std::any_of(word.begin(), word.end(), is_control);
  std::string out = spelled ? "$'" : "'";
  for (const char c : word) {
    if (spelled && is_control(c)) {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else if (spelled && (c == '\'' || c == '\\')) {
      out += fmt::format("\\{}", c);
    } else if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + '\'';
}

}  // namespace tfprof::report
