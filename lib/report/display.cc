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

std::vector<std::string_view> PartsOf(std::string_view path) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= path.size();) {
    const size_t slash = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, slash - at));
    at = slash + 1;
  }
  return parts;
}

// `gra…ape/model/up0_conv1/Con…ter`: the longest parts are cut to one width, each in its middle; "" when that would
// leave less of them than can be read.
std::string ElideLongParts(const std::vector<std::string_view>& parts, size_t width) {
  constexpr size_t kReadable = 7;
  std::vector<size_t> widths, shown;
  size_t used = parts.size() - 1;
  for (const std::string_view part : parts) {
    widths.push_back(DisplayWidth(part));
    shown.push_back(std::min(widths.back(), kReadable));
    used += shown.back();
  }
  if (used > width) return {};
  size_t whole = parts.size() - 1;
  for (const size_t part : widths) whole += part;
  width = std::min(width, whole);  // there may be room for more than the parts are
  // The odd rest goes to the right, where the op itself stands.
  for (size_t cap = kReadable + 1; used < width; ++cap) {
    for (size_t i = parts.size(); i-- > 0 && used < width;) {
      if (widths[i] < cap || shown[i] >= cap) continue;
      ++shown[i];
      ++used;
    }
  }
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out.push_back('/');
    out += ElideMiddle(parts[i], shown[i]);
  }
  return out;
}

// `rep…a_6/…/word…ings/GatherV2/Cast`: the first part and as many of the last as can be read, elided as above: the end
// of a scope tells the layer; "" when not even one fits.
std::string ElideMiddleParts(const std::vector<std::string_view>& parts, size_t width) {
  for (size_t kept = parts.size() - 2; kept > 0; --kept) {
    std::vector<std::string_view> shown = {parts.front(), "…"};
    shown.insert(shown.end(), parts.end() - static_cast<std::ptrdiff_t>(kept), parts.end());
    std::string name = ElideLongParts(shown, width);
    if (!name.empty()) return name;
  }
  return {};
}

constexpr size_t kNameToRead = 16;  // columns of a name behind the lines of a tree, before these give way

// Bytes of the lines of a tree that a name stands behind (`│  ├─ `).
size_t LinesBefore(std::string_view text) {
  size_t bytes = 0;
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view piece : {"│  ", "├─ ", "└─ ", "   "}) {
      if (!text.substr(bytes).starts_with(piece)) continue;
      bytes += piece.size();
      more = true;
    }
  }
  return bytes;
}

// The name gives way first; then the lines from the left (`…  └─ name`), for the last ones tell what stands below what.
std::string ElideBehindLines(std::string_view text, size_t lines, size_t width) {
  std::string_view before = text.substr(0, lines);
  const std::string_view name = text.substr(lines);
  const size_t name_width = std::min({DisplayWidth(name), kNameToRead, width});
  std::string out;
  if (DisplayWidth(before) + name_width > width) {
    const size_t shown = width - name_width;
    if (shown > 0) out = "…";
    for (size_t used = DisplayWidth(before); used + 1 > shown && !before.empty(); --used) {
      before.remove_prefix(DecodeUtf8(before).bytes);
    }
    if (shown == 0) before = {};
  }
  out += before;
  return out + ElideName(name, width - DisplayWidth(out));
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
  if (const size_t lines = LinesBefore(displayable); lines > 0) return ElideBehindLines(displayable, lines, width);
  const std::vector<std::string_view> parts = PartsOf(displayable);
  if (parts.size() < 3) return ElideMiddle(displayable, width);
  std::string name = ElideLongParts(parts, width);
  if (name.empty()) name = ElideMiddleParts(parts, width);
  return name.empty() ? ElideMiddle(displayable, width) : name;
}

std::vector<std::string> ElideApart(const std::vector<std::string>& names, size_t width) {
  constexpr size_t kBeforeDifference = 6;
  std::vector<std::string> shown;
  if (const size_t lines = LinesBefore(names.front()); lines > 0) {
    const std::string before = names.front().substr(0, lines);
    const size_t used = DisplayWidth(before);
    const bool fits = used + kNameToRead <= width && std::all_of(names.begin(), names.end(), [&](const auto& name) {
                        return name.starts_with(before) && LinesBefore(name) == lines;
                      });
    for (const std::string& name : names) shown.push_back(fits ? name.substr(lines) : ElideName(name, width));
    if (!fits) return shown;
    shown = ElideApart(shown, width - used);
    for (std::string& name : shown) name.insert(0, before);
    return shown;
  }
  size_t common = names.front().size();
  for (const std::string& name : names) {
    const auto end = name.begin() + static_cast<std::ptrdiff_t>(std::min(common, name.size()));
    common = static_cast<size_t>(std::mismatch(name.begin(), end, names.front().begin()).first - name.begin());
  }
  size_t from = common - std::min(common, kBeforeDifference);
  while (from > 0 && (static_cast<unsigned char>(names.front()[from]) & 0xC0) == 0x80) --from;
  for (const std::string& name : names) {
    shown.push_back(from == 0 ? ElideMiddle(name, width)
                              : "…" + ElideMiddle(std::string_view(name).substr(from), width - 1));
  }
  return shown;
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
