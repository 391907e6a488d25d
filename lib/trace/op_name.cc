#include "trace/op_name.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "base/ascii.h"

namespace tfprof::trace {
namespace {

bool StartsWithIgnoringCase(std::string_view text, std::string_view prefix) {
  const auto lower = [](char c) { return IsUpper(c) ? static_cast<char>(c + 32) : c; };
  return text.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), text.begin(),
                                                     [&](char a, char b) { return lower(a) == lower(b); });
}

// [A-Za-z0-9.][A-Za-z0-9_.\/>-]*
bool IsTfOpName(std::string_view text) {
  if (text.empty() || !(IsAlnum(text[0]) || text[0] == '.')) return false;
  return std::all_of(text.begin() + 1, text.end(), [](char c) {
    return IsAlnum(c) || c == '_' || c == '.' || c == '\\' || c == '/' || c == '>' || c == '-';
  });
}

// [A-Z_][a-zA-Z0-9_]*
bool IsTfOpType(std::string_view text) {
  if (text.empty() || !(IsUpper(text[0]) || text[0] == '_')) return false;
  return std::all_of(text.begin() + 1, text.end(), [](char c) { return IsAlnum(c) || c == '_'; });
}

// [a-z_][a-z0-9_]*(\[.*\])?   where `.` is no newline
bool IsJaxOpType(std::string_view text) {
  if (text.empty() || !(IsLower(text[0]) || text[0] == '_')) return false;
  size_t at = 1;
  while (at < text.size() && (IsLower(text[at]) || IsDigit(text[at]) || text[at] == '_')) ++at;
  if (at == text.size()) return true;
  return text[at] == '[' && text.back() == ']' && text.size() > at + 1 && text.find('\n', at) == std::string_view::npos;
}

// A number with an optional sign and blanks around, as absl::SimpleAtoi takes it.
bool IsInt64(std::string_view text) {
  text = StripBlanks(text);
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return false;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

ParsedOp ParseWithoutColon(std::string_view text) {
  struct Copy {
    std::string_view type;
    OpCategory category;
  };
  static constexpr Copy kCopies[] = {{"MemcpyHToD", OpCategory::kMemcpyHToD},
                                     {"MemcpyDToH", OpCategory::kMemcpyDToH},
                                     {"MemcpyDToD", OpCategory::kMemcpyDToD},
                                     {"MemcpyHToH", OpCategory::kMemcpyHToH}};
  for (const Copy& copy : kCopies) {
    if (StartsWithIgnoringCase(text, copy.type)) return {copy.category, text, copy.type};
  }
  return {OpCategory::kUnknown, text, ""};
}

}  // namespace

std::string_view DeriveOpType(std::string_view name) {
  const size_t slash = name.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
  const size_t bar = last.rfind('_');
  return bar != std::string_view::npos && IsInt64(last.substr(bar + 1)) ? last.substr(0, bar) : last;
}

ParsedOp ParseTfOpFullname(std::string_view full_name) {
  const size_t colon = full_name.find(':');
  if (colon == std::string_view::npos) return ParseWithoutColon(full_name);
  const std::string_view name = full_name.substr(0, colon);
  const std::string_view type = full_name.substr(colon + 1);
  if (name == "Iterator") return {OpCategory::kTfData, full_name, "Dataset"};
  if (IsTfOpName(name) && IsTfOpType(type)) return {OpCategory::kTensorFlow, name, type};
  const std::string_view wanted = type.empty() ? DeriveOpType(name) : type;
  if (IsJaxOpType(wanted)) return {OpCategory::kJax, name, wanted.substr(0, wanted.find('['))};
  if (type.empty()) return {OpCategory::kTensorFlow, name, wanted};
  return {OpCategory::kUnknown, full_name, ""};
}

}  // namespace tfprof::trace
