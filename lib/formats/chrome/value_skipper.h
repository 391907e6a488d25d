// Passes over one JSON value that may be cut into pieces anywhere, keeping nothing of it.
#pragma once

#include <cstdint>
#include <string>

#include "formats/chrome/element.h"

namespace tfprof::chrome {

class ValueSkipper {
 public:
  void Start() { *this = ValueSkipper(); }

  // Moves `p` on; true when the value ended (p is behind it; a number ends before what follows it).
  bool Skip(const char** p, const char* end) {
    for (; *p < end; ++*p) {
      const char c = **p;
      if (head_.size() < kHead) head_ += c;
      if (in_string_) {
        if (escape_) {
          escape_ = false;
        } else if (c == '\\') {
          escape_ = true;
        } else if (c == '"') {
          in_string_ = false;
          if (depth_ == 0) return Behind(p);
        }
        continue;
      }
      if (c == '"') {
        in_string_ = started_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
        started_ = true;
      } else if (depth_ > 0 && (c == '}' || c == ']')) {
        if (--depth_ == 0) return Behind(p);
      } else if (depth_ == 0) {
        if (c == ',' || c == '}' || c == ']' || (started_ && IsJsonSpace(c))) return true;
        started_ = started_ || !IsJsonSpace(c);
      }
    }
    return false;
  }

  // The value's first bytes.
  const std::string& head() const { return head_; }

 private:
  static constexpr size_t kHead = 4096;
  static bool Behind(const char** p) {
    ++*p;
    return true;
  }

  std::string head_;
  int64_t depth_ = 0;
  bool in_string_ = false, escape_ = false, started_ = false;
};

}  // namespace tfprof::chrome
