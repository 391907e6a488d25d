// Where things lie in an XSpace: planes, lines and metadata as views into the file's bytes.
//
// `ReadLayout` walks the file by lengths: it visits every plane, every metadata entry and the head of every line, but
// no event (a line's events follow its head in every real file). Nothing is copied, so the bytes must outlive the
// layout. Field numbers and meaning: tensorflow/core/profiler/protobuf/xplane.proto; schemas/xplane.proto is our
// declaration.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/xplane/stat.h"
#include "wire/reader.h"

namespace tfprof::xplane {

using wire::Bytes;

// An XEventMetadata or XStatMetadata. `inner_id` is the id inside the message, which need not be its map key.
struct Metadata {
  int64_t key = 0;
  int64_t inner_id = 0;
  std::string_view name;
  std::string_view display_name;
  Bytes body;  // the whole message: StatCursor(body, kMetadataStats) yields its stats; may lie in Layout::merged
};

// A metadata map of one plane: key → entry, duplicate keys: the last one counts. Entries keep file order of first
// appearance and have a dense index, so that per-entry state of a caller can be a plain vector.
class MetadataMap {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  void Insert(const Metadata& entry);
  // Index of `key` in entries(), or kNone.
  uint32_t IndexOf(int64_t key) const {
    if (static_cast<uint64_t>(key) < dense_.size()) {
      // A key may have come before there were entries enough for it to count as near.
      const uint32_t index = dense_[static_cast<size_t>(key)];
      if (index != kNone) return index;
    }
    if (sparse_.empty()) return kNone;
    const auto it = sparse_.find(key);
    return it == sparse_.end() ? kNone : it->second;
  }
  const Metadata* Find(int64_t key) const {
    const uint32_t index = IndexOf(key);
    return index == kNone ? nullptr : &entries_[index];
  }
  const std::vector<Metadata>& entries() const { return entries_; }

 private:
  std::vector<Metadata> entries_;
  std::vector<uint32_t> dense_;                   // keys below a small multiple of the number of entries so far
  std::unordered_map<int64_t, uint32_t> sparse_;  // all others
};

struct Line {
  int64_t id = 0;
  std::string_view name, display_name;
  int64_t timestamp_ns = 0;
  Bytes body;  // the XLine message; EventCursor(body) yields its events
};

struct Plane {
  int64_t id = 0;
  std::string_view name;
  std::vector<Line> lines;
  MetadataMap event_metadata;
  MetadataMap stat_metadata;
  std::vector<Bytes> stats;  // XStat messages of the plane itself

  // Name that a stat's metadata id refers to; "" when unknown.
  std::string_view StatName(int64_t metadata_id) const {
    const Metadata* m = stat_metadata.Find(metadata_id);
    return m == nullptr ? std::string_view{} : m->name;
  }
  // Text of a string or reference stat; "" for other slots.
  std::string_view Text(const Stat& stat) const {
    if (stat.slot == Stat::Slot::kRef) return StatName(static_cast<int64_t>(stat.bits));
    return stat.slot == Stat::Slot::kString ? stat.text : std::string_view{};
  }
  // First stat of the plane itself with that name.
  std::optional<Stat> FindStat(std::string_view name) const;
};

// The place where the container stops making sense; what came before is in the layout.
struct Damage {
  uint64_t offset = 0;  // byte offset in the (decompressed) file
  std::string what;
};

struct Layout {
  Bytes bytes;
  std::vector<Plane> planes;  // in file order; planes of one name are NOT merged here
  std::vector<std::string_view> errors, warnings, hostnames;
  std::optional<Damage> damage;
  uint64_t bad_metadata = 0;        // entries with names, and stats of planes, that could not be read whole
  uint64_t first_bad_metadata = 0;  // offset of the first of them
  std::vector<std::unique_ptr<const std::string>> merged;  // metadata that stands in several parts, put together
  bool cut_plane = false;  // the last plane is the damaged one: its later parts (often its names) are missing

  bool Holds(const uint8_t* p) const { return p >= wire::Begin(bytes) && p < wire::End(bytes); }
  uint64_t OffsetOf(const uint8_t* p) const { return static_cast<uint64_t>(p - wire::Begin(bytes)); }
};

// `thorough`: also visits the fields behind the events of every line, for the rare writer that puts a line's timestamp
// there (id and name are looked for there anyway); costs a walk over all events. EventCursor::late_header() tells that
// it is needed.
Layout ReadLayout(Bytes bytes, bool thorough = false);

}  // namespace tfprof::xplane
