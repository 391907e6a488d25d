// Encodes small XSpaces by hand: what the tests read is what they wrote, byte for byte.
#pragma once

#include <bit>
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
inline std::string Fixed64(int field, uint64_t bits) {
  std::string out = Varint(static_cast<uint64_t>(field) << 3 | 1);
  for (int i = 0; i < 8; ++i) out += static_cast<char>(bits >> (8 * i));
  return out;
}
inline std::string Fixed32(int field, uint32_t bits) {
  std::string out = Varint(static_cast<uint64_t>(field) << 3 | 5);
  for (int i = 0; i < 4; ++i) out += static_cast<char>(bits >> (8 * i));
  return out;
}
inline std::string Group(int field, std::string_view content) {
  return Varint(static_cast<uint64_t>(field) << 3 | 3) + std::string(content) + Varint(static_cast<uint64_t>(field) << 3 | 4);
}

// The content of an XStat, one function a slot.
inline std::string DoubleValue(int64_t metadata, double value) {
  return Int(1, metadata) + Fixed64(2, std::bit_cast<uint64_t>(value));
}
inline std::string UintValue(int64_t metadata, uint64_t value) {
  return Int(1, metadata) + Int(3, static_cast<int64_t>(value));
}
inline std::string IntValue(int64_t metadata, int64_t value) { return Int(1, metadata) + Int(4, value); }
inline std::string TextValue(int64_t metadata, std::string_view text) { return Int(1, metadata) + Bytes(5, text); }
inline std::string BytesValue(int64_t metadata, std::string_view bytes) { return Int(1, metadata) + Bytes(6, bytes); }
inline std::string RefValue(int64_t metadata, int64_t text_id) { return Int(1, metadata) + Int(7, text_id); }

// XEvent, and its stats: any, of an int64, of a text.
inline std::string EncodeEvent(int64_t metadata, int64_t offset_ps, int64_t duration_ps, std::string_view stats = "") {
  return Bytes(4, Int(1, metadata) + Int(2, offset_ps) + Int(3, duration_ps) + std::string(stats));
}
inline std::string EventStat(std::string_view value) { return Bytes(4, value); }
inline std::string IntStat(int64_t metadata, int64_t value) { return EventStat(IntValue(metadata, value)); }
inline std::string TextStat(int64_t metadata, std::string_view text) { return EventStat(TextValue(metadata, text)); }

// XLine; the entries of the two metadata maps; XPlane in an XSpace.
inline std::string EncodeLine(int64_t id, std::string_view name, std::string_view events, int64_t timestamp_ns = 0) {
  return Bytes(3, Int(1, id) + Bytes(2, name) + Int(3, timestamp_ns) + std::string(events));
}
// `more`: further fields of the metadata, such as its stats (MetadataStat) and its display name (field 4).
inline std::string EventName(int64_t id, std::string_view name, std::string_view more = "") {
  return Bytes(4, Int(1, id) + Bytes(2, Int(1, id) + Bytes(2, name) + std::string(more)));
}
inline std::string MetadataStat(std::string_view value) { return Bytes(5, value); }
inline std::string PlaneStat(std::string_view value) { return Bytes(6, value); }
inline std::string StatName(int64_t id, std::string_view name) {
  return Bytes(5, Int(1, id) + Bytes(2, Int(1, id) + Bytes(2, name)));
}
inline std::string EncodePlane(std::string_view name, std::string_view content) {
  return Bytes(1, Bytes(2, name) + std::string(content));
}
// `/host:metadata` entry of a program whose HloProto has one computation with these instructions.
inline std::string HloInstruction(std::string_view name, std::string_view opcode, std::string_view op_type,
                                  std::string_view op_name) {
  return Bytes(2, Bytes(1, name) + Bytes(2, opcode) + Bytes(7, Bytes(1, op_type) + Bytes(2, op_name)));
}
inline std::string HloProto(std::string_view instructions) { return Bytes(1, Bytes(3, instructions)); }

}  // namespace tfprof::testing
