// Parses one element of an event array that lies whole in memory, or says that it doesn't.
#pragma once

#include "formats/chrome/event.h"
#include "formats/chrome/key_memory.h"
#include "formats/chrome/text_index.h"

namespace tfprof::chrome {

enum class ParseStep {
  kWhole,       // *next is behind the element
  kIncomplete,  // the text ends inside the element
  kBroken,      // it is no JSON value
};

struct ElementParse {
  ParseStep step = ParseStep::kBroken;
  const char* next = nullptr;
  const char* open_string = nullptr;  // kIncomplete: the text ends inside the string that begins here
  bool is_object = false;
};

inline constexpr size_t kLongestText = 1 << 16;  // longer strings are cut to this many bytes

inline bool IsJsonSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Behind blanks of any number; made for long indentations.
const char* SkipBlanks(const char* p, const char* end);

inline const char* SkipSpace(const char* p, const char* end) {
  return p < end && IsJsonSpace(*p) ? SkipBlanks(p + 1, end) : p;
}

// Parses elements of one text after another; remembers which keys its writer uses in which order.
class ElementParser {
 public:
  // What comes next is another text.
  void Reset() { index_.Reset(); }

  // `p` is at the element's first character, `end` the end of the text, `event` is reset. Superfluous commas at the end of
  // an object and raw control characters in strings are accepted; NaN and Infinity count as numbers. Only `args` is looked
  // into, and of it the keys in ArgKey.
  ElementParse Parse(const char* p, const char* end, TraceEvent* event);

  // Behind the string whose first quote is at `p`; null when the text ends inside it. `escaped`: it holds a backslash.
  const char* SkipString(const char* p, const char* end, bool* escaped) {
    for (++p;;) {
      p = index_.FindQuote(p, end);
      if (p == end) return nullptr;
      if (*p == '"') return p + 1;
      *escaped = true;
      if (end - p < 2) return nullptr;
      p += 2;
    }
  }
  TextIndex& index() { return index_; }
  KeyMemory& keys() { return keys_; }

 private:
  TextIndex index_;
  KeyMemory keys_;
};

}  // namespace tfprof::chrome
