// From the raw texts of a few JSON values to a number: what turns an event's texts into its lane or its op.
//
// An open-addressing table. A key is looked up as views into the trace's text, without being put together; it is stored
// once, when it is new, and compared with the stored bytes whole, so that two keys are never taken for one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace tfprof::chrome {

class KeyTable {
 public:
  // Equal keys have equal heads, and equal parts in equal order.
  struct Part {
    std::string_view text;  // less than 4 GiB
    uint32_t tag = 0;
  };
  static constexpr uint32_t kNew = UINT32_MAX - 1;

  KeyTable();

  // The number of the key: kNew the first time, then what was set there. Valid until the next call.
  uint32_t* Find(uint32_t head, std::span<const Part> parts);
  size_t size() const { return size_; }

 private:
  struct Slot {
    const char* key = nullptr;
    uint32_t hash = 0;
    uint32_t number = kNew;
  };

  Slot* Place(uint32_t hash);
  const char* Store(uint32_t head, std::span<const Part> parts);
  void Grow();

  std::vector<Slot> slots_;  // a power of two, at most half of them taken
  size_t size_ = 0;
  Slot last_;                // the key found last, which often is the next one
  uint32_t* last_number_ = nullptr;
  std::vector<std::unique_ptr<char[]>> blocks_;  // stored keys
  char* free_ = nullptr;
  size_t free_bytes_ = 0;
};

}  // namespace tfprof::chrome
