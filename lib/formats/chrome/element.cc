#include "formats/chrome/element.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tfprof::chrome {
namespace {

using Kind = JsonValue::Kind;

bool IsTokenEnd(char c) { return c == ',' || c == '}' || c == ']' || IsJsonSpace(c); }
bool IsTokenChar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

// How many of the 16 bytes at `p` from the first on are digits, signs or points: 16 or more says nothing of what follows.
size_t NumberLength([[maybe_unused]] const char* p) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  // '+' to '9' without ',' and '/'.
  const __m128i outside = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8('+')), _mm_cmpgt_epi8(bytes, _mm_set1_epi8('9')));
  const __m128i between = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')));
  const auto others = static_cast<uint32_t>(_mm_movemask_epi8(_mm_or_si128(outside, between)));
  return static_cast<size_t>(std::countr_zero(others | 0x10000));
#else
  return 0;
#endif
}

// The first eight bytes of a key in one number, zeros behind a shorter one.
constexpr uint64_t Word(std::string_view key) {
  uint64_t word = 0;
  for (size_t i = 0; i < key.size() && i < 8; ++i) word |= uint64_t{static_cast<uint8_t>(key[i])} << (8 * i);
  return word;
}

// The argument of that name; kCount: none that is looked at. `word` is Word(key).
ArgKey ArgOf(std::string_view key, uint64_t word) {
  const auto is = [&](std::string_view name, ArgKey arg) { return key == name ? arg : ArgKey::kCount; };
  switch (word) {
    case Word("name"):
      return is("name", ArgKey::kName);
    case Word("op"):
      return is("op", ArgKey::kOp);
    case Word("long_name"):
      return is("long_name", ArgKey::kLongName);
    case Word("tf_op"):
      return is("tf_op", ArgKey::kTfOp);
    case Word("annotation"):
      return is("annotation", ArgKey::kAnnotation);
    case Word("hlo_op"):
      return is("hlo_op", ArgKey::kHloOp);
    case Word("hlo_category"):
      return is("hlo_category", ArgKey::kHloCategory);
    case Word("correlation"):
      return key == "correlation_id" ? ArgKey::kCorrelation : is("correlation", ArgKey::kCorrelation);
    case Word("External id"):
      return is("External id", ArgKey::kExternalId);
    case Word("external id"):
      return is("external id", ArgKey::kExternalId);
    case Word("device"):
      return is("device", ArgKey::kDevice);
    case Word("is_eager"):
      return is("is_eager", ArgKey::kIsEager);
    case Word("level 0"):
      return is("level 0", ArgKey::kLevel0);
    default:
      return ArgKey::kCount;
  }
}

class Parser {
 public:
  Parser(const char* p, const char* end, TextIndex* index, TraceEvent* event)
      : p_(p), end_(end), index_(*index), event_(event) {}

  ElementParse Run() {
    ElementParse result;
    result.is_object = p_ < end_ && *p_ == '{';
    const bool ok = result.is_object ? ParseEvent() : SkipValue();
    result.step = ok ? ParseStep::kWhole : incomplete_ ? ParseStep::kIncomplete : ParseStep::kBroken;
    result.next = p_;
    result.open_string = open_string_;
    return result;
  }

 private:
  struct Key {
    std::string_view text;
    uint64_t word;
  };

  bool Incomplete() {
    incomplete_ = true;
    return false;
  }

  bool ParseEvent() {
    event_->empty = true;
    return ParseMembers([this](const Key& key) {
      event_->empty = false;
      return ParseField(key);
    });
  }

  // The object at p_; `take` is called with p_ at each member's value.
  template <typename Take>
  bool ParseMembers(Take take) {
    ++p_;
    for (;;) {
      if (!ToNext()) return false;
      if (*p_ == '}') {
        ++p_;
        return true;
      }
      Key key;
      if (*p_ != '"' || !ParseKey(&key)) return false;
      if (!ToNext()) return false;
      if (*p_ != ':') return false;
      ++p_;
      if (!ToNext() || !take(key) || !ToNext()) return false;
      if (*p_ == ',') {
        ++p_;
      } else if (*p_ != '}') {
        return false;
      }
    }
  }

  // Over blanks; false at the end of the text.
  bool ToNext() {
    p_ = SkipSpace(p_, end_);
    return p_ < end_ || Incomplete();
  }

  bool ParseKey(Key* key) {
    JsonValue text;
    if (!ParseString(&text)) return false;
    key->text = text.raw();
    if (text.size >= 8) {
      std::memcpy(&key->word, text.data, sizeof key->word);
    } else if (end_ - text.data >= 8) {
      std::memcpy(&key->word, text.data, sizeof key->word);
      key->word &= (uint64_t{1} << (8 * text.size)) - 1;
    } else {
      key->word = Word(key->text);
    }
    return true;
  }

  bool ParseField(const Key& key) {
    if (key.text.size() > 4) return SkipValue();
    switch (key.word) {
      case Word("ph"):
        return ParsePhase();
      case Word("ts"):
        return ParseValue(&event_->timestamp);
      case Word("pid"):
        return ParseValue(&event_->process);
      case Word("tid"):
        return ParseValue(&event_->thread);
      case Word("dur"):
        return ParseValue(&event_->duration);
      case Word("cat"):
        return ParseValue(&event_->category);
      case Word("name"):
        return ParseValue(&event_->name);
      case Word("args"):
        if (*p_ != '{') return SkipValue();
        event_->has_args = true;
        event_->args = 0;
        return ParseMembers([this](const Key& arg) { return ParseArg(arg); });
      default:
        return SkipValue();
    }
  }

  bool ParsePhase() {
    JsonValue value;
    if (!ParseValue(&value)) return false;
    event_->phase = value.is_string() && value.size == 1 ? value.data[0] : 0;
    return true;
  }

  bool ParseArg(const Key& key) {
    const ArgKey arg = ArgOf(key.text, key.word);
    return arg == ArgKey::kCount ? SkipValue() : ParseValue(event_->AddArg(arg));
  }

  bool ParseString(JsonValue* value) {
    bool escaped = false;
    const char* begin = p_ + 1;
    const char* behind = SkipString(p_, end_, &index_, &escaped);
    if (behind == nullptr) {
      open_string_ = p_;
      return Incomplete();
    }
    *value = {begin, static_cast<uint32_t>(std::min(static_cast<size_t>(behind - 1 - begin), kLongestText)), Kind::kString,
              escaped};
    p_ = behind;
    return true;
  }

  bool ParseValue(JsonValue* value) {
    if (*p_ == '"') return ParseString(value);
    const char* begin = p_;
    const char first = *p_;
    if (!(first == '{' || first == '[' ? SkipContainer() : SkipToken())) {
      *value = JsonValue();
      return false;
    }
    *value = {begin, static_cast<uint32_t>(std::min<size_t>(static_cast<size_t>(p_ - begin), UINT32_MAX)), Kind::kNumber};
    if (first == '{') {
      value->kind = Kind::kObject;
    } else if (first == '[') {
      value->kind = Kind::kArray;
    } else if (first > '9') {
      const std::string_view text = value->raw();
      if (text == "true" || text == "false") value->kind = Kind::kBool;
      if (text == "null") value->kind = Kind::kNull;
    }
    return true;
  }

  bool SkipValue() {
    if (*p_ == '"') {
      JsonValue ignored;
      return ParseString(&ignored);
    }
    return *p_ == '{' || *p_ == '[' ? SkipContainer() : SkipToken();
  }

  bool SkipToken() {
    const char* begin = p_;
    if (end_ - p_ > 16) {
      const size_t length = NumberLength(p_);
      p_ += length;
      if (length > 0 && IsTokenEnd(*p_)) return true;
    }
    while (p_ < end_ && IsTokenChar(*p_)) ++p_;
    if (p_ == end_) return Incomplete();
    return p_ > begin && IsTokenEnd(*p_);
  }

  // Nesting is only counted, so that no depth is too deep.
  bool SkipContainer() {
    int64_t depth = 0;
    for (;;) {
      p_ = index_.FindStructure(p_, end_);
      if (p_ == end_) return Incomplete();
      if (*p_ == '"') {
        JsonValue ignored;
        if (!ParseString(&ignored)) return false;
        continue;
      }
      if (*p_ != '\\') depth += *p_ == '{' || *p_ == '[' ? 1 : -1;
      ++p_;
      if (depth == 0) return true;
    }
  }

  const char* p_;
  const char* end_;
  TextIndex& index_;
  TraceEvent* event_;
  bool incomplete_ = false;
  const char* open_string_ = nullptr;
};

}  // namespace

const char* SkipString(const char* p, const char* end, TextIndex* index, bool* escaped) {
  for (++p;;) {
    p = index->FindQuote(p, end);
    if (p == end) return nullptr;
    if (*p == '"') return p + 1;
    *escaped = true;
    if (end - p < 2) return nullptr;
    p += 2;
  }
}

const char* SkipBlanks(const char* p, const char* end) {
  constexpr uint64_t kSpaces = 0x2020202020202020;
  for (uint64_t word = 0; end - p >= 8; p += 8) {
    std::memcpy(&word, p, sizeof word);
    if (word != kSpaces) break;
  }
  while (p < end && IsJsonSpace(*p)) ++p;
  return p;
}

ElementParse ParseElement(const char* p, const char* end, TextIndex* index, TraceEvent* event) {
  return Parser(p, end, index, event).Run();
}

}  // namespace tfprof::chrome
