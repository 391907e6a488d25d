// Events on their way from one thread to another, packed: only what an event holds is written, one behind the other.
//
// A TraceEvent has room for everything that may be in an element and touches memory here and there; between two cores each
// of those cache lines would travel. Packed, a common event takes two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "formats/chrome/event.h"
#include "formats/chrome/scanner.h"

namespace tfprof::chrome {

class EventBlock {
 public:
  void Clear() { used_ = 0; }
  bool empty() const { return used_ == 0; }
  // Whether any event at all still fits.
  bool has_room() const { return used_ + kMostWords <= kWords; }
  void Add(const TraceEvent& event);

  // Unpacks the events one by one; `position` is 0 at first. False: there are no more.
  bool Read(size_t* position, TraceEvent* event) const;

  TopLevel top;  // what was known of it behind the last of the events

 private:
  static constexpr size_t kWords = 2048;  // 16 KiB
  static constexpr size_t kValueWords = sizeof(JsonValue) / sizeof(uint64_t);
  static constexpr size_t kMostWords = 2 + (6 + static_cast<size_t>(ArgKey::kCount)) * kValueWords;

  void Put(const JsonValue& value);
  void Get(size_t* position, JsonValue* value) const;

  std::array<uint64_t, kWords> words_;
  size_t used_ = 0;
};

}  // namespace tfprof::chrome
