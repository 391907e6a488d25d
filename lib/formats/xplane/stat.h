// XStat: a named value of an event, an event metadata or a plane.
#pragma once

#include <array>
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
  bool broken = false;    // its bytes make no sense from some point on; what stood before is here
  uint64_t bits = 0;      // number, double's bits, or id of the stat metadata that holds the text (kRef)
  std::string_view text;  // kString, kBytes

  bool operator==(const Stat&) const = default;

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

// Messages that a reader looked at and found to hold broken stats.
struct BrokenStats {
  uint64_t count = 0;
  const uint8_t* first = nullptr;  // the one that stands first in the file

  void Note(Bytes message) { Merge({1, wire::Begin(message)}); }
  void Merge(const BrokenStats& other) {
    count += other.count;
    if (other.first != nullptr && (first == nullptr || other.first < first)) first = other.first;
  }
};

// Which stats a reader looks at, asked for every stat of every event: a table by the first byte of the id's varint, so
// that ids may be wanted that are not (they share the low bits), never the reverse. A stat that names its id twice goes
// by the first one here.
class StatFilter {
 public:
  static StatFilter All() {
    StatFilter filter;
    filter.wanted_.fill(true);
    return filter;
  }
  void Want(int64_t metadata_id) {
    const auto id = static_cast<uint64_t>(metadata_id);
    if (id < 128) wanted_[id] = true;
    wanted_[(id & 127) | 128] = true;  // also for an id of one byte that is spelled with more
  }
  void Merge(const StatFilter& other) {
    for (size_t i = 0; i < wanted_.size(); ++i) wanted_[i] = wanted_[i] || other.wanted_[i];
  }
  bool MayWantId(uint8_t first_byte) const { return wanted_[first_byte]; }
  bool MayWant(Bytes stat) const {
    return stat.size() < 2 || stat[0] != 0x08 || MayWantId(static_cast<uint8_t>(stat[1]));
  }

 private:
  std::array<bool, 256> wanted_{};
};

// Decodes one XStat message; what is broken in it reads as unset, and `broken` says so.
Stat ParseStat(Bytes message);

// The stat in [p, end) if it is of the usual form: an id of one or two bytes, a value, nothing else. False: ParseStat
// must look at it.
[[gnu::always_inline]] inline bool ParseUsualStat(const uint8_t* p, const uint8_t* end, Stat* stat) {
  if (end - p < 4 || p[0] != 0x08) return false;
  const uint64_t wide = p[1] >> 7;
  stat->metadata_id = static_cast<int64_t>((p[1] & 127) | ((p[2] * wide) << 7));
  p += 2 + wide;
  if (end - p < 2 || (wide != 0 && p[-1] > 127)) return false;
  const uint8_t tag = *p++;
  stat->slot = static_cast<Stat::Slot>(tag >> 3);
  switch (tag) {
    case 0x18:  // uint64, int64, reference
    case 0x20:
    case 0x38:
      // Without a stop in its last byte no varint that begins before it runs over the end.
      return end[-1] < 128 && wire::ReadVarintUnchecked(p, &stat->bits) == end;
    case 0x11:  // double
      if (end - p != 8) return false;
      std::memcpy(&stat->bits, p, 8);
      return true;
    case 0x2a:  // text, bytes
    case 0x32:
      stat->text = wire::MakeBytes(p + 1, end);
      return *p < 128 && *p == end - p - 1;
    default:
      return false;
  }
}

// Field numbers under which messages hold their stats.
inline constexpr uint32_t kEventStats = 4;     // XEvent
inline constexpr uint32_t kMetadataStats = 5;  // XEventMetadata

// Yields the stats of a message; a broken tail ends it. With a filter it may leave out stats that are not wanted.
class StatCursor {
 public:
  StatCursor(Bytes message, uint32_t stats_field, const StatFilter* wanted = nullptr)
      : p_(wire::Begin(message)),
        end_(wire::End(message)),
        wanted_(wanted),
        tag_(static_cast<uint8_t>(stats_field << 3 | 2)) {}

  bool Next(Stat* stat) {
    // A stat with a length of one byte, then whatever follows it.
    while (end_ - p_ > 3 && p_[0] == tag_ && p_[1] < 128) {
      const uint8_t* body = p_ + 2;
      const uint8_t* body_end = body + p_[1];
      if (body_end > end_) return false;
      p_ = body_end;
      if (wanted_ != nullptr && body[0] == 0x08 && !wanted_->MayWantId(body[1])) continue;
      *stat = Stat();
      if (!ParseUsualStat(body, body_end, stat)) *stat = ParseStat(wire::MakeBytes(body, body_end));
      return true;
    }
    return NextChecked(stat);
  }

 private:
  bool NextChecked(Stat* stat);

  const uint8_t* p_;
  const uint8_t* end_;
  const StatFilter* wanted_;
  uint8_t tag_;
};

}  // namespace tfprof::xplane
