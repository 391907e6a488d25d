// Tables that spare most events a look at texts: the ops of events like those that were resolved before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "formats/xplane/stat.h"
#include "wire/reader.h"

namespace tfprof::xplane {

// No op id, and not trace::Op::kNone either.
inline constexpr uint32_t kUnknownOp = 0xfffffffe;

// What became of events with a single stat of up to seven bytes, by their metadata ids and these bytes as they stand in
// the file: nothing is decoded to look them up.
class KnownStats {
 public:
  struct Key {
    uint64_t id = 0;
    uint64_t stat = 0;  // the bytes of the stat, and how many in the highest byte; 0: not such an event
  };
  struct alignas(32) Slot {  // whose address costs a shift only
    Key key;
    uint32_t op = kUnknownOp;
    bool eager = false;
  };

  KnownStats() : slots_(64) {}
  // `stats` as Event has them, not empty.
  static Key KeyOf(uint64_t id, Bytes stats) {
    const uint64_t size = stats.size() - 2;
    const uint8_t* end = wire::End(stats);
    if (size - 1 > 6 || static_cast<uint8_t>(stats[1]) != size) return {};
    // The heads of the plane, the line and the event stand before, so that eight bytes back are still in the file.
    uint64_t word = 0;
    std::memcpy(&word, end - 8, 8);
    return {id, word >> (64 - 8 * size) | size << 56};
  }
  // The slot of that key; its op is kUnknownOp when nothing is known of it.
  const Slot& Find(const Key& key) const {
    const Slot* const slots = slots_.data();
    for (uint64_t at = Hash(key);; ++at) {
      const Slot& slot = slots[at & mask_];
      if ((slot.key.stat == key.stat && slot.key.id == key.id) || slot.op == kUnknownOp) return slot;
    }
  }
  void Remember(const Key& key, uint32_t op, bool eager);

 private:
  static constexpr size_t kMostSlots = 1 << 20;  // what is not remembered is resolved in full
  static uint64_t Hash(const Key& key) {
    return (((key.stat * 0x9e3779b97f4a7c15u) ^ key.id) * 0xd6e8feb86659fd93u) >> 32;
  }
  std::vector<Slot> slots_;  // a power of two, at most half of them used
  uint64_t mask_ = 63;       // one less than that
  size_t used_ = 0;
};

// The op of each combination of a metadata index and deciding stats that was seen: an open-addressing table. A key is
// its first two words, which are all of the common one (a metadata index, one stat), and further words kept end to end.
class Combinations {
 public:
  Combinations() : slots_(64) {}
  // The op remembered for these words (at least two); kUnknownOp: none yet, call Remember.
  uint32_t Find(const uint64_t* words, size_t count) const { return slots_[Probe(words, count)].op; }
  void Remember(const uint64_t* words, size_t count, uint32_t op);

 private:
  struct Slot {
    uint64_t first = 0, second = 0;
    uint32_t more_at = 0, more = 0;  // further words, in words_
    uint32_t op = kUnknownOp;
  };
  size_t Probe(const uint64_t* words, size_t count) const {
    uint64_t hash = (words[0] ^ (words[1] * 0x9e3779b97f4a7c15u)) * 0xd6e8feb86659fd93u;
    for (size_t i = 2; i < count; ++i) hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
    for (size_t at = hash >> 32;; ++at) {
      at &= slots_.size() - 1;
      const Slot& slot = slots_[at];
      if (slot.op == kUnknownOp) return at;
      if (slot.first == words[0] && slot.second == words[1] && slot.more == count - 2 &&
          (slot.more == 0 || std::equal(words + 2, words + count, words_.data() + slot.more_at))) {
        return at;
      }
    }
  }
  std::vector<Slot> slots_;
  std::vector<uint64_t> words_;
  size_t used_ = 0;
};

}  // namespace tfprof::xplane
