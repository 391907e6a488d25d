#include "formats/chrome/members.h"

#include <algorithm>

#include "formats/chrome/element.h"

namespace tfprof::chrome {
namespace {

using Kind = JsonValue::Kind;

// Behind the string whose first quote is at `p`; `end` if it isn't closed.
const char* BehindString(const char* p, const char* end, bool* escaped) {
  for (++p; p < end; ++p) {
    if (*p == '"') return p + 1;
    if (*p != '\\') continue;
    *escaped = true;
    if (++p == end) break;
  }
  return end;
}

const char* BehindContainer(const char* p, const char* end) {
  int64_t depth = 0;
  bool ignored = false;
  while (p < end) {
    if (*p == '"') {
      p = BehindString(p, end, &ignored);
      continue;
    }
    if (*p == '{' || *p == '[') ++depth;
    if (*p == '}' || *p == ']') --depth;
    ++p;
    if (depth == 0) return p;
  }
  return end;
}

bool EndsToken(char c) { return c == ',' || c == '}' || c == ']' || IsJsonSpace(c); }

Kind KindOfToken(std::string_view token) {
  if (token == "true" || token == "false") return Kind::kBool;
  return token == "null" ? Kind::kNull : Kind::kNumber;
}

// The value at `*p`, which moves behind it.
JsonValue TakeValue(const char** p, const char* end) {
  JsonValue value;
  const char* begin = *p;
  if (*begin == '"') {
    *p = BehindString(begin, end, &value.escaped);
    value.data = begin + 1;
    value.kind = Kind::kString;
    value.size = static_cast<uint32_t>(std::min<ptrdiff_t>(std::max<ptrdiff_t>(*p - begin - 2, 0), kLongestText));
    return value;
  }
  const bool container = *begin == '{' || *begin == '[';
  *p = container ? BehindContainer(begin, end) : std::find_if(begin, end, EndsToken);
  value.data = begin;
  value.size = static_cast<uint32_t>(std::min<ptrdiff_t>(*p - begin, UINT32_MAX));
  value.kind = *begin == '{' ? Kind::kObject : *begin == '[' ? Kind::kArray : KindOfToken(value.raw());
  return value;
}

}  // namespace

MemberCursor::MemberCursor(std::string_view text) : p_(text.data()), end_(text.data() + text.size()) {
  if (p_ == end_ || *p_ != '{') {
    p_ = end_;
  } else {
    ++p_;
  }
}

bool MemberCursor::Next(JsonValue* key, JsonValue* value) {
  p_ = SkipSpace(p_, end_);
  while (p_ < end_ && *p_ == ',') p_ = SkipSpace(p_ + 1, end_);
  if (p_ == end_ || *p_ != '"') return false;
  *key = TakeValue(&p_, end_);
  p_ = SkipSpace(p_, end_);
  if (p_ == end_ || *p_ != ':') return false;
  p_ = SkipSpace(p_ + 1, end_);
  if (p_ == end_) return false;
  *value = TakeValue(&p_, end_);
  return true;
}

JsonValue FindMember(std::string_view object, std::string_view key) {
  JsonValue found, name, value;
  std::string decoded;
  for (MemberCursor members(object); members.Next(&name, &value);) {
    if (TextOf(name, &decoded) == key) found = value;
  }
  return found;
}

}  // namespace tfprof::chrome
