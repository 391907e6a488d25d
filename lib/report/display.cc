#include "report/display.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

#include "base/utf8.h"

namespace tfprof::report {
namespace {

bool IsPlainAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

bool IsUnsafe(char32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool breaks_line = code == 0x2028 || code == 0x2029;
  const bool reorders = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e ||
                        code == 0x200f || code == 0x061c;
  return control || breaks_line || reorders;
}

void AppendEscape(char32_t code, std::string* out) {
  switch (code) {
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    default:
      out->append(code < 0x100 ? fmt::format("\\x{:02x}", static_cast<uint32_t>(code))
                               : fmt::format("\\u{:04x}", static_cast<uint32_t>(code)));
  }
}

size_t WidthOf(char32_t code) {
  return static_cast<size_t>(std::max(0, utf8proc_charwidth(static_cast<utf8proc_int32_t>(code))));
}

// Bytes of the longest beginning that fits into `width` columns, with the marks that combine with its last character.
size_t HeadBytes(std::string_view text, size_t width) {
  size_t bytes = 0;
  for (size_t used = 0; bytes < text.size();) {
    const DecodedChar c = DecodeUtf8(text.substr(bytes));
    used += WidthOf(c.code);
    if (used > width) break;
    bytes += c.bytes;
  }
  return bytes;
}

}  // namespace

void AppendDisplayable(std::string_view text, std::string* out) {
  if (IsPlainAscii(text)) {
    out->append(text);
    return;
  }
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    if (!c.valid) {
      AppendUtf8(kReplacementCharacter, out);
    } else if (IsUnsafe(c.code)) {
      AppendEscape(c.code, out);
    } else {
      out->append(text.substr(0, c.bytes));
    }
    text.remove_prefix(c.bytes);
  }
}

std::string Displayable(std::string_view text) {
  std::string out;
  AppendDisplayable(text, &out);
  return out;
}

size_t DisplayWidth(std::string_view displayable) {
  if (IsPlainAscii(displayable)) return displayable.size();
  size_t width = 0;
  while (!displayable.empty()) {
    const DecodedChar c = DecodeUtf8(displayable);
    width += WidthOf(c.code);
    displayable.remove_prefix(c.bytes);
  }
  return width;
}

std::string ElideMiddle(std::string_view displayable, size_t width) {
  const size_t whole = DisplayWidth(displayable);
  if (whole <= width) return std::string(displayable);
  constexpr std::string_view kEllipsis = "…";
  const size_t kept = width - 1;
  const size_t tail_width = kept / 2 + kept % 2;  // ends of op names say more than beginnings
  const size_t head = HeadBytes(displayable, kept - tail_width);
  // The shortest head whose rest fits into the tail; a tail never starts with a mark that combines.
  size_t tail = HeadBytes(displayable, whole - tail_width);
  size_t rest = DisplayWidth(displayable.substr(tail));
  while (rest > tail_width) {
    const DecodedChar c = DecodeUtf8(displayable.substr(tail));
    rest -= WidthOf(c.code);
    tail += c.bytes;
  }
  while (tail < displayable.size()) {
    const DecodedChar c = DecodeUtf8(displayable.substr(tail));
    if (WidthOf(c.code) > 0) break;
    tail += c.bytes;
  }
  return std::string(displayable.substr(0, head)).append(kEllipsis).append(displayable.substr(tail));
}

std::string ElideName(std::string_view displayable, size_t width) {
  if (DisplayWidth(displayable) <= width) return std::string(displayable);
  struct Part {
    std::string_view text;
    size_t width, shown;
  };
  std::vector<Part> parts;
  for (size_t at = 0; at <= displayable.size();) {
    const size_t slash = std::min(displayable.find('/', at), displayable.size());
    const std::string_view text = displayable.substr(at, slash - at);
    parts.push_back({text, DisplayWidth(text), 0});
    at = slash + 1;
  }
  constexpr size_t kReadable = 5;  // `Co…er`
  size_t used = parts.size() - 1;
  for (Part& part : parts) used += part.shown = std::min(part.width, kReadable);
  if (parts.size() < 3 || used > width) return ElideMiddle(displayable, width);
  // What is left goes to the shortest first, so that all that are cut are cut to the same width; the odd rest to the
  // right, where the op itself stands.
  for (size_t cap = kReadable + 1; used < width; ++cap) {
    for (size_t i = parts.size(); i-- > 0 && used < width;) {
      if (parts[i].width < cap || parts[i].shown >= cap) continue;
      ++parts[i].shown;
      ++used;
    }
  }
  std::string out;
  for (const Part& part : parts) {
    if (!out.empty() || part.text.data() != displayable.data()) out.push_back('/');
    out += ElideMiddle(part.text, part.shown);
  }
  return out;
}

std::vector<std::string> WrapWords(std::string_view displayable, size_t width) {
  std::vector<std::string> lines;
  size_t used = 0;
  for (size_t at = 0; at <= displayable.size();) {
    const size_t space = std::min(displayable.find(' ', at), displayable.size());
    const std::string_view word = displayable.substr(at, space - at);
    const size_t columns = DisplayWidth(word);
    if (lines.empty() || (used + 1 + columns > width && used > 0)) {
      lines.emplace_back(word);
      used = columns;
    } else {
      lines.back().append(" ").append(word);
      used += 1 + columns;
    }
    at = space + 1;
  }
  return lines;
}

}  // namespace tfprof::report
