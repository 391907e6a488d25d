// Protobuf wire format over a byte range: varints and fields, nothing allocated, nothing read outside the range.
//
// Every reader is three-valued by convention: a `FieldReader` ends (`kEnd`), yields a field (`kField`) or is broken
// (`kBroken`: cut off, an over-long varint, an unknown wire type). Lengths are 64 bit and checked against the range
// before use; groups (wire types 3 and 4) are skipped. Format: protobuf.dev/programming-guides/encoding.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tfprof::wire {

using Bytes = std::string_view;

inline const uint8_t* Begin(Bytes b) { return reinterpret_cast<const uint8_t*>(b.data()); }
inline const uint8_t* End(Bytes b) { return Begin(b) + b.size(); }
inline Bytes MakeBytes(const uint8_t* begin, const uint8_t* end) {
  return {reinterpret_cast<const char*>(begin), static_cast<size_t>(end - begin)};
}

// Longest varint, and how many bytes past a position `ReadVarintUnchecked` may touch.
inline constexpr int kMaxVarintBytes = 10;
inline constexpr int kSlopBytes = 16;

// Reads a varint in [p, end). Returns the byte after it, or nullptr when it is cut off or longer than 10 bytes.
inline const uint8_t* ReadVarint(const uint8_t* p, const uint8_t* end, uint64_t* value) {
  uint64_t result = 0;
  for (int shift = 0; shift < 70 && p < end; shift += 7) {
    const uint64_t byte = *p++;
    if (shift < 64) result |= (byte & 127) << shift;
    if (byte < 128) {
      *value = result;
      return p;
    }
  }
  return nullptr;
}

// Same, for a position with at least kMaxVarintBytes readable bytes behind it.
inline const uint8_t* ReadVarintUnchecked(const uint8_t* p, uint64_t* value) {
  uint64_t byte = *p++;
  uint64_t result = byte;
  if (byte < 128) {
    *value = result;
    return p;
  }
  result &= 127;
  for (int shift = 7; shift < 70; shift += 7) {
    byte = *p++;
    if (shift < 64) result |= (byte & 127) << shift;
    if (byte < 128) {
      *value = result;
      return p;
    }
  }
  return nullptr;
}

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroup = 3, kEndGroup = 4, kFixed32 = 5 };

struct Field {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t bits = 0;  // varint, fixed64 or fixed32
  Bytes bytes;        // kBytes; for kGroup its content

  int64_t as_int64() const { return static_cast<int64_t>(bits); }
  bool Is(uint32_t n, WireType t) const { return number == n && type == t; }
};

enum class Next { kField, kEnd, kBroken };

// Walks the fields of one message. `position()` is where the next field starts (or the broken one began).
class FieldReader {
 public:
  explicit FieldReader(Bytes message) : p_(Begin(message)), end_(End(message)) {}
  FieldReader(const uint8_t* begin, const uint8_t* end) : p_(begin), end_(end) {}

  const uint8_t* position() const { return p_; }

  Next Read(Field* field) {
    if (p_ == end_) return Next::kEnd;
    uint64_t tag = 0;
    const uint8_t* p = ReadVarint(p_, end_, &tag);
    if (p == nullptr || (tag >> 3) == 0 || (tag >> 3) > 0x1fffffff) return Next::kBroken;
    field->number = static_cast<uint32_t>(tag >> 3);
    field->type = static_cast<WireType>(tag & 7);
    p = ReadValue(p, field);
    if (p == nullptr) return Next::kBroken;
    p_ = p;
    return Next::kField;
  }

 private:
  const uint8_t* ReadValue(const uint8_t* p, Field* field) {
    switch (field->type) {
      case WireType::kVarint:
        return ReadVarint(p, end_, &field->bits);
      case WireType::kFixed64:
        return ReadFixed(p, 8, &field->bits);
      case WireType::kFixed32:
        return ReadFixed(p, 4, &field->bits);
      case WireType::kBytes: {
        uint64_t size = 0;
        p = ReadVarint(p, end_, &size);
        if (p == nullptr || size > static_cast<uint64_t>(end_ - p)) return nullptr;
        field->bytes = MakeBytes(p, p + size);
        return p + size;
      }
      case WireType::kGroup:
        return SkipGroup(p, field);
      case WireType::kEndGroup:
        break;
    }
    return nullptr;
  }

  const uint8_t* ReadFixed(const uint8_t* p, int size, uint64_t* bits) const {
    if (end_ - p < size) return nullptr;
    *bits = 0;
    std::memcpy(bits, p, size);  // little endian hosts only (CMake checks)
    return p + size;
  }

  const uint8_t* SkipGroup(const uint8_t* p, Field* field) const;

  const uint8_t* p_;
  const uint8_t* end_;
};

// A group ends at the end-group tag of its own depth; nested ones are counted, not recursed into.
inline const uint8_t* FieldReader::SkipGroup(const uint8_t* p, Field* field) const {
  const uint8_t* begin = p;
  for (uint64_t depth = 1;;) {
    uint64_t tag = 0, ignored = 0;
    const uint8_t* before = p;
    p = ReadVarint(p, end_, &tag);
    if (p == nullptr) return nullptr;
    switch (static_cast<WireType>(tag & 7)) {
      case WireType::kVarint:
        p = ReadVarint(p, end_, &ignored);
        break;
      case WireType::kFixed64:
        p = ReadFixed(p, 8, &ignored);
        break;
      case WireType::kFixed32:
        p = ReadFixed(p, 4, &ignored);
        break;
      case WireType::kBytes:
        p = ReadVarint(p, end_, &ignored);
        if (p != nullptr) p = ignored > static_cast<uint64_t>(end_ - p) ? nullptr : p + ignored;
        break;
      case WireType::kGroup:
        ++depth;
        break;
      case WireType::kEndGroup:
        if (--depth == 0) {
          field->bytes = MakeBytes(begin, before);
          return p;
        }
        break;
      default:
        return nullptr;
    }
    if (p == nullptr) return nullptr;
  }
}

}  // namespace tfprof::wire
