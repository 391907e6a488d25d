// XStat: a named value of an event, an event metadata or a plane.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "wire/reader.h"

namespace tfprof::xplane {

using wire::Bytes;

// One decoded XStat. Values are kept as written; the accessors say which slots they accept. The official reader's typed
// accessors see only "their" slot (int64 ≠ uint64), which compat mode has to follow; strict mode takes any number.
struct Stat {
  enum class Slot : uint8_t { kNone = 0, kDouble = 2, kUint64 = 3, kInt64 = 4, kString = 5, kBytes = 6, kRef = 7 };

  int64_t metadata_id = 0;
  Slot slot = Slot::kNone;
  uint64_t bits = 0;      // number, double's bits, or id of the stat metadata that holds the text (kRef)
  std::string_view text;  // kString, kBytes

  int64_t int64_only() const { return slot == Slot::kInt64 ? static_cast<int64_t>(bits) : 0; }
  uint64_t uint64_only() const { return slot == Slot::kUint64 ? bits : 0; }
  uint64_t int_or_uint() const { return slot == Slot::kInt64 || slot == Slot::kUint64 ? bits : 0; }
  double double_only() const { return slot == Slot::kDouble ? std::bit_cast<double>(bits) : 0.0; }
  // Any numeric slot, as a double / as an integer (doubles are cut towards 0, out of range gives 0).
  double any_number() const {
    if (slot == Slot::kDouble) return std::bit_cast<double>(bits);
    if (slot == Slot::kInt64) return static_cast<double>(static_cast<int64_t>(bits));
    return slot == Slot::kUint64 ? static_cast<double>(bits) : 0.0;
  }
  int64_t any_int() const {
    if (slot != Slot::kDouble) return static_cast<int64_t>(int_or_uint());
    const double d = std::bit_cast<double>(bits);
    return d > -9e18 && d < 9e18 ? static_cast<int64_t>(d) : 0;
  }
};

// Decodes one XStat message; what is broken in it reads as unset.
Stat ParseStat(Bytes message);

// Field numbers under which messages hold their stats.
inline constexpr uint32_t kEventStats = 4;     // XEvent
inline constexpr uint32_t kMetadataStats = 5;  // XEventMetadata

// Yields the stats of a message; a broken tail ends it.
class StatCursor {
 public:
  StatCursor(Bytes message, uint32_t stats_field) : reader_(message), stats_field_(stats_field) {}
  bool Next(Stat* stat) {
    wire::Field field;
    while (reader_.Read(&field) == wire::Next::kField) {
      if (field.Is(stats_field_, wire::WireType::kBytes)) {
        *stat = ParseStat(field.bytes);
        return true;
      }
    }
    return false;
  }

 private:
  wire::FieldReader reader_;
  uint32_t stats_field_;
};

}  // namespace tfprof::xplane
