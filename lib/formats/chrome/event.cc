#include "formats/chrome/event.h"

#include "base/utf8.h"

namespace tfprof::chrome {
namespace {

// Four hex digits at `at`; false when they aren't.
bool ReadHex(std::string_view text, size_t at, uint32_t* code) {
  if (at + 4 > text.size()) return false;
  *code = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const char c = text[i];
    uint32_t digit = 0;
    if (c >= '0' && c <= '9')
      digit = static_cast<uint32_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<uint32_t>(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F')
      digit = static_cast<uint32_t>(c - 'A' + 10);
    else
      return false;
    *code = *code * 16 + digit;
  }
  return true;
}

// Appends what the `\u` escape at text[at] means; returns how many bytes it took.
size_t TakeUnicode(std::string_view text, size_t at, std::string* out) {
  uint32_t code = 0, low = 0;
  if (!ReadHex(text, at + 2, &code)) {
    *out += "\\u";
    return 2;
  }
  size_t taken = 6;
  if (code >= 0xd800 && code < 0xdc00 && text.substr(at + 6, 2) == "\\u" && ReadHex(text, at + 8, &low) &&
      low >= 0xdc00 && low < 0xe000) {
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    taken = 12;
  } else if (code >= 0xd800 && code < 0xe000) {
    code = kReplacementCharacter;
  }
  AppendUtf8(static_cast<char32_t>(code), out);
  return taken;
}

}  // namespace

std::string_view DecodeTo(const JsonValue& value, std::string* scratch) { return *scratch = Decode(value); }

std::string Decode(const JsonValue& value) {
  if (value.is_number()) return std::string(value.raw());
  if (!value.is_string()) return {};
  if (!value.escaped) return std::string(value.raw());
  std::string out;
  const std::string_view text = value.raw();
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i++];
      continue;
    }
    if (text[i + 1] == 'u') {
      i += TakeUnicode(text, i, &out);
      continue;
    }
    switch (text[i + 1]) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      default:
        out += text[i + 1];
        break;
    }
    i += 2;
  }
  return out;
}

}  // namespace tfprof::chrome
