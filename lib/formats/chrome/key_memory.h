// The keys that a trace's writer uses, and which came after which.
//
// Writers give the members of every event in the same order. So the key that comes next is nearly always the one that
// came next the last time, and comparing 16 bytes with it settles what it is and where it ends; nothing has to be
// searched. A wrong guess costs one comparison and is corrected for the next time. Keys are remembered as they are
// written, with their escapes. Holds a fixed number of keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "formats/chrome/event.h"

namespace tfprof::chrome {

// What a member of an element is; arguments count from kFirstArg on (in the order of ArgKey).
enum class Member : uint8_t {
  kSkipped,
  kPhase,
  kName,
  kCategory,
  kProcess,
  kThread,
  kTimestamp,
  kDuration,
  kArgs,
  kFirstArg
};

// The member with that key, of an event or of its args.
Member MemberOf(std::string_view key, bool in_args);

class KeyMemory {
 public:
  static constexpr size_t kBytes = 32;  // longer keys are not remembered

  struct Known {
    std::array<char, kBytes> text = {};  // the key, its closing quote and the colon
    uint64_t mask[2] = {};               // of the first 16 bytes
    uint32_t length = 0;
    Member member = Member::kSkipped;
    bool in_args = false;
    Known* next = nullptr;  // what came behind it the last time

    // Whether the text at `p`, behind a quote, is this key. kBytes must be readable there.
    bool Is(const char* p) const { return ((Differs(p, 0) & mask[0]) | (Differs(p, 8) & mask[1])) == 0 && RestIs(p); }

   private:
    uint64_t Differs(const char* p, size_t at) const {
      uint64_t a = 0, b = 0;
      std::memcpy(&a, p + at, sizeof a);
      std::memcpy(&b, text.data() + at, sizeof b);
      return a ^ b;
    }
    bool RestIs(const char* p) const {
      return length <= 16 ? length > 0 : std::memcmp(p + 16, text.data() + 16, length - 16) == 0;
    }
  };

  KeyMemory() { start_.next = nowhere_.next = &nowhere_; }
  KeyMemory(const KeyMemory&) = delete;
  KeyMemory& operator=(const KeyMemory&) = delete;

  // What stands before an element's first key.
  Known* start() { return &start_; }

  // The key at `p` behind `previous`, if it is the expected one or another known one; else null.
  Known* Recall(Known* previous, const char* p, bool in_args) {
    Known* key = previous->next;
    return key->Is(p) && key->in_args == in_args ? key : Search(previous, p, in_args);
  }

  // A key, as written, that was not recalled stood behind `previous`; `member` is what it means. Returns what the next
  // one is behind of.
  Known* Learn(Known* previous, std::string_view key, Member member, bool in_args);

 private:
  static constexpr size_t kMostKeys = 64;

  Known* Search(Known* previous, const char* p, bool in_args);

  Known start_, nowhere_;  // no keys
  std::array<Known, kMostKeys> keys_;
  size_t size_ = 0;
};

}  // namespace tfprof::chrome
