// Letters, digits and blanks of ASCII: what names and numbers in traces are made of, whatever the locale.
#pragma once

#include <string_view>

namespace tfprof {

inline bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
inline bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsAlnum(char c) { return IsLower(c) || IsUpper(c) || IsDigit(c); }
inline bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

inline std::string_view StripBlanks(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace tfprof
