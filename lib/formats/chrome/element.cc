#include "formats/chrome/element.h"

#include <bit>
#include <cstring>

#include "formats/chrome/scanner.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tfprof::chrome {
namespace {

using Kind = JsonValue::Kind;

// The first of `"` and `\` in [p, end), else end.
const char* FindQuoteOrBackslash(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hits));
    if (mask != 0) return p + std::countr_zero(mask);
  }
#endif
  while (p < end && *p != '"' && *p != '\\') ++p;
  return p;
}

// The first byte in [p, end) that opens or closes something or begins a string, else end.
const char* FindStructure(const char* p, const char* end) {
  while (p < end && *p != '"' && *p != '{' && *p != '}' && *p != '[' && *p != ']') ++p;
  return p;
}

bool IsTokenEnd(char c) { return c == ',' || c == '}' || c == ']' || IsJsonSpace(c); }
bool IsTokenChar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

struct ArgName {
  std::string_view name;
  ArgKey key;
};
constexpr ArgName kArgNames[] = {
    {"name", ArgKey::kName},
    {"op", ArgKey::kOp},
    {"long_name", ArgKey::kLongName},
    {"tf_op", ArgKey::kTfOp},
    {"annotation", ArgKey::kAnnotation},
    {"hlo_op", ArgKey::kHloOp},
    {"correlation", ArgKey::kCorrelation},
    {"correlation_id", ArgKey::kCorrelation},
    {"External id", ArgKey::kExternalId},
    {"external id", ArgKey::kExternalId},
    {"device", ArgKey::kDevice},
    {"is_eager", ArgKey::kIsEager},
    {"device_offset_ps", ArgKey::kDeviceOffset},
    {"device_duration_ps", ArgKey::kDeviceDuration},
    {"hlo_category", ArgKey::kHloCategory},
    {"level 0", ArgKey::kLevel0},
};

class Parser {
 public:
  Parser(const char* p, const char* end, TraceEvent* event) : p_(p), end_(end), event_(event) {}

  ElementParse Run() {
    ElementParse result;
    result.is_object = p_ < end_ && *p_ == '{';
    const bool ok = result.is_object ? ParseObject(false) : SkipValue();
    result.step = ok ? ParseStep::kWhole : incomplete_ ? ParseStep::kIncomplete : ParseStep::kBroken;
    result.next = p_;
    result.open_string = open_string_;
    return result;
  }

 private:
  bool Incomplete() {
    incomplete_ = true;
    return false;
  }

  // The object at p_: an event (`in_args` false) or its args.
  bool ParseObject(bool in_args) {
    ++p_;
    bool first = true;
    for (;;) {
      p_ = SkipSpace(p_, end_);
      if (p_ == end_) return Incomplete();
      if (*p_ == '}') {
        ++p_;
        if (!in_args) event_->empty = first;
        return true;
      }
      if (*p_ != '"') return false;
      JsonValue key;
      if (!ParseString(&key)) return false;
      p_ = SkipSpace(p_, end_);
      if (p_ == end_) return Incomplete();
      if (*p_ != ':') return false;
      p_ = SkipSpace(p_ + 1, end_);
      if (p_ == end_) return Incomplete();
      if (!(in_args ? ParseArg(key) : ParseField(key))) return false;
      first = false;
      p_ = SkipSpace(p_, end_);
      if (p_ == end_) return Incomplete();
      if (*p_ == ',') {
        ++p_;
      } else if (*p_ != '}') {
        return false;
      }
    }
  }

  bool ParseField(const JsonValue& key) {
    JsonValue* to = nullptr;
    switch (key.raw.size()) {
      case 2:
        if (key.raw == "ph") return ParsePhase();
        if (key.raw == "ts") to = &event_->timestamp;
        break;
      case 3:
        if (key.raw == "pid") to = &event_->process;
        if (key.raw == "tid") to = &event_->thread;
        if (key.raw == "dur") to = &event_->duration;
        if (key.raw == "cat") to = &event_->category;
        break;
      case 4:
        if (key.raw == "name") to = &event_->name;
        if (key.raw == "args" && *p_ == '{') {
          event_->has_args = true;
          event_->args = {};
          return ParseObject(true);
        }
        break;
      default:
        break;
    }
    return to == nullptr ? SkipValue() : ParseValue(to);
  }

  bool ParsePhase() {
    JsonValue value;
    if (!ParseValue(&value)) return false;
    event_->phase = value.is_string() && value.raw.size() == 1 ? value.raw[0] : 0;
    return true;
  }

  bool ParseArg(const JsonValue& key) {
    for (const ArgName& arg : kArgNames) {
      if (arg.name.size() == key.raw.size() && arg.name == key.raw) return ParseValue(&event_->args[static_cast<size_t>(arg.key)]);
    }
    return SkipValue();
  }

  bool ParseString(JsonValue* value) {
    bool escaped = false;
    const char* begin = p_ + 1;
    const char* behind = SkipString(p_, end_, &escaped);
    if (behind == nullptr) {
      open_string_ = p_;
      return Incomplete();
    }
    value->kind = Kind::kString;
    value->escaped = escaped;
    value->raw = std::string_view(begin, static_cast<size_t>(behind - 1 - begin)).substr(0, EventScanner::kLongestText);
    p_ = behind;
    return true;
  }

  bool ParseValue(JsonValue* value) {
    *value = JsonValue();
    if (*p_ == '"') return ParseString(value);
    const char* begin = p_;
    if (*p_ == '{' || *p_ == '[') {
      value->kind = *p_ == '{' ? Kind::kObject : Kind::kArray;
      if (!SkipContainer()) return false;
    } else {
      if (!SkipToken()) return false;
    }
    value->raw = std::string_view(begin, static_cast<size_t>(p_ - begin));
    if (value->kind == Kind::kAbsent) {
      value->kind = value->raw == "true" || value->raw == "false" ? Kind::kBool
                    : value->raw == "null"                        ? Kind::kNull
                                                                  : Kind::kNumber;
    }
    return true;
  }

  bool SkipValue() {
    if (p_ == end_) return Incomplete();
    if (*p_ == '"') {
      JsonValue ignored;
      return ParseString(&ignored);
    }
    return *p_ == '{' || *p_ == '[' ? SkipContainer() : SkipToken();
  }

  bool SkipToken() {
    const char* begin = p_;
    while (p_ < end_ && IsTokenChar(*p_)) ++p_;
    if (p_ == end_) return Incomplete();
    return p_ > begin && IsTokenEnd(*p_);
  }

  // Nesting is only counted, so that no depth is too deep.
  bool SkipContainer() {
    int64_t depth = 0;
    for (;;) {
      p_ = FindStructure(p_, end_);
      if (p_ == end_) return Incomplete();
      if (*p_ == '"') {
        JsonValue ignored;
        if (!ParseString(&ignored)) return false;
        continue;
      }
      depth += *p_ == '{' || *p_ == '[' ? 1 : -1;
      ++p_;
      if (depth == 0) return true;
    }
  }

  const char* p_;
  const char* end_;
  TraceEvent* event_;
  bool incomplete_ = false;
  const char* open_string_ = nullptr;
};

}  // namespace

const char* SkipString(const char* p, const char* end, bool* escaped) {
  for (++p;;) {
    p = FindQuoteOrBackslash(p, end);
    if (p == end) return nullptr;
    if (*p == '"') return p + 1;
    *escaped = true;
    if (end - p < 2) return nullptr;
    p += 2;
  }
}

ElementParse ParseElement(const char* p, const char* end, TraceEvent* event) { return Parser(p, end, event).Run(); }

}  // namespace tfprof::chrome
