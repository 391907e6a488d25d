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

// How many of the 16 bytes at `p` from the first on are digits, signs or points: 16 or more says nothing of what
// follows.
size_t NumberLength([[maybe_unused]] const char* p) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  // '+' to '9' without ',' and '/'.
  const __m128i outside =
      _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8('+')), _mm_cmpgt_epi8(bytes, _mm_set1_epi8('9')));
  const __m128i between =
      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')));
  const auto others = static_cast<uint32_t>(_mm_movemask_epi8(_mm_or_si128(outside, between)));
  return static_cast<size_t>(std::countr_zero(others | 0x10000));
#else
  return 0;
#endif
}

class Parsing {
 public:
  Parsing(const char* p, const char* end, ElementParser* parser, TraceEvent* event)
      : p_(p), end_(end), parser_(*parser), key_(parser->keys().start()), event_(event) {}

  ElementParse Run() {
    ElementParse result;
    result.is_object = p_ < end_ && *p_ == '{';
    const bool ok = result.is_object ? ParseObject<false>() : SkipValue();
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

  // The object at p_: an event, or its args.
  template <bool kInArgs>
  bool ParseObject() {
    ++p_;
    if (!kInArgs) event_->empty = true;
    for (;;) {
      if (!ToNext()) return false;
      if (*p_ == '}') {
        ++p_;
        return true;
      }
      Member member = Member::kSkipped;
      if (*p_ != '"' || !ParseKey(kInArgs, &member) || !ToNext()) return false;
      if (kInArgs) {
        if (!(member == Member::kSkipped ? SkipValue() : ParseValue(event_->AddArg(ArgOf(member))))) return false;
      } else {
        event_->empty = false;
        if (!ParseField(member)) return false;
      }
      if (!ToNext()) return false;
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

  // A key and the colon behind it.
  bool ParseKey(bool in_args, Member* member) {
    if (end_ - p_ > static_cast<ptrdiff_t>(KeyMemory::kBytes)) {
      if (KeyMemory::Known* known = parser_.keys().Recall(key_, p_ + 1, in_args)) {
        p_ += 1 + known->length;
        *member = known->member;
        key_ = known;
        return true;
      }
    }
    return ParseNewKey(in_args, member);
  }

  [[gnu::noinline]] bool ParseNewKey(bool in_args, Member* member) {
    JsonValue key;
    if (!ParseString(&key) || !ToNext()) return false;
    if (*p_++ != ':') return false;
    std::string decoded;
    *member = MemberOf(TextOf(key, &decoded), in_args);
    key_ = parser_.keys().Learn(key_, key.raw(), *member, in_args);
    return true;
  }

  static ArgKey ArgOf(Member member) {
    return static_cast<ArgKey>(static_cast<size_t>(member) - static_cast<size_t>(Member::kFirstArg));
  }

  bool ParseField(Member member) {
    JsonValue* to = nullptr;
    switch (member) {
      case Member::kPhase:
        return ParsePhase();
      case Member::kArgs:
        if (*p_ != '{') return SkipValue();
        event_->has_args = true;
        event_->args = 0;
        return ParseObject<true>();
      case Member::kName:
        to = &event_->name;
        break;
      case Member::kCategory:
        to = &event_->category;
        break;
      case Member::kProcess:
        to = &event_->process;
        break;
      case Member::kThread:
        to = &event_->thread;
        break;
      case Member::kTimestamp:
        to = &event_->timestamp;
        break;
      case Member::kDuration:
        to = &event_->duration;
        break;
      default:
        return SkipValue();
    }
    return ParseValue(to);
  }

  bool ParsePhase() {
    if (end_ - p_ > 3 && p_[0] == '"' && p_[2] == '"' && p_[1] != '\\' && p_[1] != '"') {
      event_->phase = p_[1];
      p_ += 3;
      return true;
    }
    return ParseOddPhase();
  }

  [[gnu::noinline]] bool ParseOddPhase() {
    JsonValue value;
    if (!ParseValue(&value)) return false;
    std::string decoded;
    const std::string_view phase = TextOf(value, &decoded);
    event_->phase = value.is_string() && phase.size() == 1 ? phase[0] : 0;
    return true;
  }

  bool ParseString(JsonValue* value) {
    bool escaped = false;
    const char* begin = p_ + 1;
    const char* behind = parser_.SkipString(p_, end_, &escaped);
    if (behind == nullptr) {
      open_string_ = p_;
      return Incomplete();
    }
    *value = {begin, static_cast<uint32_t>(std::min(static_cast<size_t>(behind - 1 - begin), kLongestText)),
              Kind::kString, escaped};
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
    *value = {begin, static_cast<uint32_t>(std::min<size_t>(static_cast<size_t>(p_ - begin), UINT32_MAX)),
              Kind::kNumber};
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
      p_ = parser_.index().FindStructure(p_, end_);
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
  ElementParser& parser_;
  KeyMemory::Known* key_;  // the last one
  TraceEvent* event_;
  bool incomplete_ = false;
  const char* open_string_ = nullptr;
};

}  // namespace

const char* SkipBlanks(const char* p, const char* end) {
  constexpr uint64_t kSpaces = 0x2020202020202020;
  for (uint64_t word = 0; end - p >= 8; p += 8) {
    std::memcpy(&word, p, sizeof word);
    if (word != kSpaces) break;
  }
  while (p < end && IsJsonSpace(*p)) ++p;
  return p;
}

ElementParse ElementParser::Parse(const char* p, const char* end, TraceEvent* event) {
  return Parsing(p, end, this, event).Run();
}

}  // namespace tfprof::chrome
