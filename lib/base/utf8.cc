#include "base/utf8.h"

#include <utf8proc.h>

#include <cstring>

namespace tfprof {
namespace {

size_t LeadingAscii(std::string_view text) {
  size_t i = 0;
  for (uint64_t word; i + sizeof(word) <= text.size(); i += sizeof(word)) {
    std::memcpy(&word, text.data() + i, sizeof(word));
    if ((word & 0x8080808080808080u) != 0) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

}  // namespace

DecodedChar DecodeUtf8(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const utf8proc_ssize_t n = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (n <= 0) return {};
  return {static_cast<char32_t>(code), static_cast<size_t>(n), true};
}

bool IsValidUtf8(std::string_view text) {
  while (true) {
    text.remove_prefix(LeadingAscii(text));
    if (text.empty()) return true;
    const DecodedChar c = DecodeUtf8(text);
    if (!c.valid) return false;
    text.remove_prefix(c.bytes);
  }
}

void AppendValidUtf8(std::string_view text, std::string* out) {
  while (true) {
    const size_t ascii = LeadingAscii(text);
    out->append(text.substr(0, ascii));
    text.remove_prefix(ascii);
    if (text.empty()) return;
    const DecodedChar c = DecodeUtf8(text);
    if (c.valid) {
      out->append(text.substr(0, c.bytes));
    } else {
      AppendUtf8(kReplacementCharacter, out);
    }
    text.remove_prefix(c.bytes);
  }
}

void AppendUtf8(char32_t code, std::string* out) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t n = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
  out->append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(n));
}

}  // namespace tfprof
