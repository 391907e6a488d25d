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

// What files are packed into, told by bytes near the beginning that no profile has there.
struct Container {
  size_t at;
  std::string_view magic;
  const char* what_to_do;
};
constexpr Container kContainers[] = {
    {0, "\x83\xaf\x70\xd1", "it is a Riegeli container; write the profile as .xplane.pb"},
    {0, "PK\x03\x04", "it is a zip archive; unpack it first"},
    {257, "ustar", "it is a tar archive; unpack it first"},
    {0, "7z\xbc\xaf\x27\x1c", "it is a 7-Zip archive; unpack it first"},
    {4, "1AY&SY", "it is packed with bzip2; unpack it first (bunzip2) or pack it with gzip"},
    {0, "\xfd\x37zXZ", "it is packed with xz; unpack it first (unxz) or pack it with gzip"},
    {0, "\x28\xb5\x2f\xfd", "it is packed with zstd; unpack it first (unzstd) or pack it with gzip"},
    {0, "\x04\x22\x4d\x18", "it is packed with lz4; unpack it first (unlz4) or pack it with gzip"},
    {0, "\x1f\x8b\x08", "it is packed with gzip more than once; unpack it once (gunzip)"},  // one is taken off before
};

}  // namespace

Detection Detect(std::string_view head) {
  if (head.empty()) return {FileKind::kEmpty, "it has no bytes"};
  if (LooksLikeJson(head)) return {FileKind::kChromeJson, "it begins like JSON"};
  for (const Container& container : kContainers) {
    if (head.size() > container.at && head.substr(container.at).starts_with(container.magic)) {
      return {FileKind::kUnsupported, container.what_to_do};
    }
  }
  if (LooksLikeXSpace(head)) return {FileKind::kXSpace, "it begins with the fields of an XSpace protobuf"};
  if (LooksLikeUtf16(head)) {
    return {FileKind::kUnsupported, "it is UTF-16 text; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)"};
  }
  const std::string_view text = SkipSpace(head);
  if (text.starts_with("<")) return {FileKind::kUnknown, "it is HTML or XML, not a profile"};
  return {FileKind::kUnknown, "it is neither an XSpace protobuf nor a JSON timeline"};
}

}  // namespace tfprof::formats
