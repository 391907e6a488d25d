#include "formats/chrome/key_table.h"

#include <algorithm>
#include <cstring>

namespace tfprof::chrome {
namespace {

constexpr size_t kFirstSlots = 1024;
constexpr size_t kBlockBytes = size_t{1} << 16;

uint64_t Load8(const char* p) {
  uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}
uint64_t Load4(const char* p) {
  uint32_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// The first (at most eight) and the last bytes of a text of up to 16; together they hold all of it.
struct Ends {
  uint64_t first = 0, last = 0;
};
Ends EndsOf(const char* p, size_t size) {
  if (size >= 8) return {Load8(p), Load8(p + size - 8)};
  if (size >= 4) return {Load4(p), Load4(p + size - 4)};
  if (size == 0) return {};
  const auto byte = [&](size_t i) { return uint64_t{static_cast<uint8_t>(p[i])}; };
  return {byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16, 0};
}

uint64_t Mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

constexpr uint64_t kSeed1 = 0x9e3779b97f4a7c15, kSeed2 = 0xe7037ed1a0b428db;

uint64_t HashText(std::string_view text, uint64_t hash) {
  const char* p = text.data();
  size_t size = text.size();
  for (; size > 16; p += 16, size -= 16) hash = Mix(Load8(p) ^ kSeed1, Load8(p + 8) ^ hash);
  const Ends ends = EndsOf(p, size);
  return Mix(ends.first ^ kSeed2, ends.last ^ hash);
}

bool EqualText(const char* a, const char* b, size_t size) {
  for (; size > 16; a += 16, b += 16, size -= 16) {
    if (((Load8(a) ^ Load8(b)) | (Load8(a + 8) ^ Load8(b + 8))) != 0) return false;
  }
  const Ends x = EndsOf(a, size), y = EndsOf(b, size);
  return ((x.first ^ y.first) | (x.last ^ y.last)) == 0;
}

// What stands before the bytes of a stored part.
uint64_t Header(const KeyTable::Part& part) { return part.text.size() | uint64_t{part.tag} << 32; }
// What stands before the parts.
uint64_t Header(uint32_t head, size_t parts) { return head | uint64_t{parts} << 32; }

uint32_t HashKey(uint32_t head, std::span<const KeyTable::Part> parts) {
  uint64_t hash = Header(head, parts.size()) * kSeed1;
  for (const KeyTable::Part& part : parts) hash = HashText(part.text, hash ^ Header(part));
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

bool EqualKey(const char* stored, uint32_t head, std::span<const KeyTable::Part> parts) {
  if (Load8(stored) != Header(head, parts.size())) return false;
  stored += 8;
  for (const KeyTable::Part& part : parts) {
    if (Load8(stored) != Header(part) || !EqualText(stored + 8, part.text.data(), part.text.size())) return false;
    stored += 8 + part.text.size();
  }
  return true;
}

}  // namespace

KeyTable::KeyTable() : slots_(kFirstSlots) {}

// Where a key of that hash is looked for first.
KeyTable::Slot* KeyTable::Place(uint32_t hash) { return &slots_[hash & (slots_.size() - 1)]; }

uint32_t* KeyTable::Find(uint32_t head, std::span<const Part> parts) {
  if (last_.key != nullptr && EqualKey(last_.key, head, parts)) return last_number_;
  if (2 * (size_ + 1) > slots_.size()) Grow();
  const uint32_t hash = HashKey(head, parts);
  Slot* slot = Place(hash);
  while (slot->key != nullptr && !(slot->hash == hash && EqualKey(slot->key, head, parts))) {
    if (++slot == slots_.data() + slots_.size()) slot = slots_.data();
  }
  if (slot->key == nullptr) {
    *slot = {Store(head, parts), hash, kNew};
    ++size_;
  }
  last_ = *slot;
  last_number_ = &slot->number;
  return last_number_;
}

const char* KeyTable::Store(uint32_t head, std::span<const Part> parts) {
  size_t bytes = 8;
  for (const Part& part : parts) bytes += 8 + part.text.size();
  if (bytes > free_bytes_) {
    free_bytes_ = std::max(bytes, kBlockBytes);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(free_bytes_));
    free_ = blocks_.back().get();
  }
  char* const stored = free_;
  free_ += bytes;
  free_bytes_ -= bytes;
  char* to = stored;
  const auto put = [&to](const void* data, size_t size) {
    if (size > 0) std::memcpy(to, data, size);
    to += size;
  };
  const uint64_t header = Header(head, parts.size());
  put(&header, sizeof header);
  for (const Part& part : parts) {
    const uint64_t part_header = Header(part);
    put(&part_header, sizeof part_header);
    put(part.text.data(), part.text.size());
  }
  return stored;
}

void KeyTable::Grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.key == nullptr) continue;
    Slot* to = Place(slot.hash);
    while (to->key != nullptr) {
      if (++to == slots_.data() + slots_.size()) to = slots_.data();
    }
    *to = slot;
  }
  last_ = Slot();
}

}  // namespace tfprof::chrome
