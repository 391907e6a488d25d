// Encodes small XSpaces by hand: what the tests read is what they wrote, byte for byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof::testing {

inline std::string Varint(uint64_t value) {
  std::string out;
  for (; value > 127; value >>= 7) out += static_cast<char>(value | 128);
  return out + static_cast<char>(value);
}
inline std::string Int(int field, int64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3) + Varint(static_cast<uint64_t>(value));
}
inline std::string Bytes(int field, std::string_view bytes) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(bytes.size()) + std::string(bytes);
}

// XEvent, XStat of an int64, a reference or a text.
inline std::string EncodeEvent(int64_t metadata, int64_t offset_ps, int64_t duration_ps, std::string_view stats = "") {
  return Bytes(4, Int(1, metadata) + Int(2, offset_ps) + Int(3, duration_ps) + std::string(stats));
}
inline std::string IntStat(int64_t metadata, int64_t value) { return Bytes(4, Int(1, metadata) + Int(4, value)); }
inline std::string TextStat(int64_t metadata, std::string_view text) { return Bytes(4, Int(1, metadata) + Bytes(5, text)); }

// XLine; the entries of the two metadata maps; XPlane in an XSpace.
inline std::string EncodeLine(int64_t id, std::string_view name, std::string_view events, int64_t timestamp_ns = 0) {
  return Bytes(3, Int(1, id) + Bytes(2, name) + Int(3, timestamp_ns) + std::string(events));
}
inline std::string EventName(int64_t id, std::string_view name) {
  return Bytes(4, Int(1, id) + Bytes(2, Int(1, id) + Bytes(2, name)));
}
inline std::string StatName(int64_t id, std::string_view name) {
  return Bytes(5, Int(1, id) + Bytes(2, Int(1, id) + Bytes(2, name)));
}
inline std::string EncodePlane(std::string_view name, std::string_view content) {
  return Bytes(1, Bytes(2, name) + std::string(content));
}

}  // namespace tfprof::testing
