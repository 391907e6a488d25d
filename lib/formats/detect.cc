#include "formats/detect.h"

#include <utility>

#include "wire/reader.h"

namespace tfprof::formats {
namespace {

using wire::Field;
using wire::FieldReader;
using wire::Next;
using wire::WireType;

constexpr uint64_t kLongestPlane = uint64_t{1} << 46;

// The next field of a message of which only the beginning is here. A length-delimited field that reaches beyond is
// given with the bytes that are here.
Next ReadCut(const uint8_t** p, const uint8_t* end, Field* field) {
  FieldReader reader(*p, end);
  const Next next = reader.Read(field);
  if (next != Next::kBroken) {
    *p = reader.position();
    return next;
  }
  uint64_t tag = 0, size = 0;
  const uint8_t* at = wire::ReadVarint(*p, end, &tag);
  if (at == nullptr || (tag & 7) != 2) return Next::kBroken;
  at = wire::ReadVarint(at, end, &size);
  if (at == nullptr || size > kLongestPlane || size <= static_cast<uint64_t>(end - at)) return Next::kBroken;
  field->number = static_cast<uint32_t>(tag >> 3);
  field->type = WireType::kBytes;
  field->bytes = wire::MakeBytes(at, end);
  *p = end;
  return Next::kField;
}

bool IsPlaneField(const Field& field) {
  if (field.number == 1) return field.type == WireType::kVarint;
  if (field.number <= 6) return field.type == WireType::kBytes;
  return true;  // unknown fields may be anything
}

// A plane begins with fields of an XPlane, one of them known.
bool LooksLikePlane(std::string_view bytes) {
  const uint8_t* p = wire::Begin(bytes);
  Field field;
  bool known = bytes.empty();
  for (int i = 0; i < 8; ++i) {
    const Next next = ReadCut(&p, wire::End(bytes), &field);
    if (next == Next::kEnd) break;
    if (next == Next::kBroken) return known && i > 1;  // the cut of the head, behind good fields
    if (!IsPlaneField(field)) return false;
    known |= field.number <= 6;
  }
  return known;
}

bool LooksLikeXSpace(std::string_view head) {
  const uint8_t* p = wire::Begin(head);
  Field field;
  while (ReadCut(&p, wire::End(head), &field) == Next::kField) {
    if (field.number > 4) continue;
    if (field.type != WireType::kBytes) return false;
    return field.number != 1 || LooksLikePlane(field.bytes);
  }
  return false;
}

std::string_view SkipSpace(std::string_view text) {
  const size_t at = text.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? std::string_view{} : text.substr(at);
}

// The second character tells a JSON text from an XSpace that begins with a newline and a plane of 91 or 123 bytes.
bool LooksLikeJson(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  head = SkipSpace(head);
  if (head.empty() || (head[0] != '{' && head[0] != '[')) return false;
  const bool object = head[0] == '{';
  head = SkipSpace(head.substr(1));
  if (head.empty()) return true;
  return object ? head[0] == '"' || head[0] == '}'
                : head[0] == '{' || head[0] == '[' || head[0] == ']' || head[0] == ',';
}

// With its mark, or a bracket with the zero of its other byte before or behind it.
bool LooksLikeUtf16(std::string_view head) {
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) return true;
  if (head.size() < 4) return false;
  const auto is_bracket = [](char c) { return c == '{' || c == '['; };
  return (is_bracket(head[0]) && head[1] == '\0' && head[3] == '\0') ||
         (is_bracket(head[1]) && head[0] == '\0' && head[2] == '\0');
}

}  // namespace

Detection Detect(std::string_view head) {
  if (head.empty()) return {FileKind::kEmpty, "it has no bytes"};
  if (LooksLikeJson(head)) return {FileKind::kChromeJson, "it begins like JSON"};
  if (LooksLikeXSpace(head)) return {FileKind::kXSpace, "it begins with the fields of an XSpace protobuf"};
  if (LooksLikeUtf16(head)) {
    return {FileKind::kUnsupported, "it is UTF-16 text; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)"};
  }
  if (head.starts_with("\x83\xaf\x70\xd1")) {
    return {FileKind::kUnsupported, "it is a Riegeli container; write the profile as .xplane.pb"};
  }
  if (head.starts_with("PK\x03\x04")) return {FileKind::kUnsupported, "it is a zip archive; unpack it first"};
  const std::string_view text = SkipSpace(head);
  if (text.starts_with("<")) return {FileKind::kUnknown, "it is HTML or XML, not a profile"};
  return {FileKind::kUnknown, "it is neither an XSpace protobuf nor a JSON timeline"};
}

}  // namespace tfprof::formats
