#include "formats/xplane/layout.h"

#include <utility>

namespace tfprof::xplane {

using wire::Field;
using wire::FieldReader;
using wire::WireType;

void MetadataMap::Insert(const Metadata& entry) {
  const uint32_t known = IndexOf(entry.key);
  if (known != kNone) {
    entries_[known] = entry;
    return;
  }
  const auto index = static_cast<uint32_t>(entries_.size());
  entries_.push_back(entry);
  // Real keys are small and dense; a table a few times as long as the map costs little and is read for every event.
  const auto key = static_cast<uint64_t>(entry.key);
  if (key < 4 * entries_.size() + 4096) {
    if (key >= dense_.size()) dense_.resize(key + 1, kNone);
    dense_[key] = index;
  } else {
    sparse_.emplace(entry.key, index);
  }
}

std::optional<Stat> Plane::FindStat(std::string_view wanted) const {
  for (const Bytes& message : stats) {
    const Stat stat = ParseStat(message);
    if (StatName(stat.metadata_id) == wanted) return stat;
  }
  return std::nullopt;
}

namespace {

// A value that stands in the entry more than once is one message, as protobuf merges it: its parts end to end, which
// `merged` keeps.
Metadata ParseMetadataEntry(Bytes entry, bool* whole, std::vector<std::unique_ptr<const std::string>>* merged) {
  Metadata out;
  size_t values = 0;
  std::string joined;
  const auto for_each = [&](Bytes message, auto&& visit) {
    FieldReader reader(message);
    Field field;
    for (;;) {
      const wire::Next next = reader.Read(&field);
      if (next == wire::Next::kField) {
        visit(field);
        continue;
      }
      *whole = *whole && next == wire::Next::kEnd;
      return;
    }
  };
  for_each(entry, [&](const Field& field) {
    if (field.Is(1, WireType::kVarint)) out.key = field.as_int64();
    if (!field.Is(2, WireType::kBytes)) return;
    if (values++ == 0) {
      out.body = field.bytes;
      return;
    }
    if (joined.empty()) joined = out.body;
    joined += field.bytes;
  });
  if (values > 1) {
    merged->push_back(std::make_unique<const std::string>(std::move(joined)));
    out.body = *merged->back();
  }
  for_each(out.body, [&](const Field& field) {
    if (field.Is(1, WireType::kVarint)) out.inner_id = field.as_int64();
    if (field.Is(2, WireType::kBytes)) out.name = field.bytes;
    if (field.Is(4, WireType::kBytes)) out.display_name = field.bytes;
  });
  return out;
}

// The head ends at the first event. What decides about the line's fate (its id and name) is looked for behind the
// events if it did not stand before them: nobody would read such a line's events and notice.
Line ParseLine(Bytes body, bool thorough) {
  Line line;
  line.body = body;
  bool has_id = false, has_name = false;
  FieldReader reader(body);
  Field field;
  while (reader.Read(&field) == wire::Next::kField) {
    if (field.Is(1, WireType::kVarint)) {
      line.id = field.as_int64();
      has_id = true;
    } else if (field.Is(2, WireType::kBytes)) {
      line.name = field.bytes;
      has_name = !line.name.empty();
    } else if (field.Is(3, WireType::kVarint)) {
      line.timestamp_ns = field.as_int64();
    } else if (field.Is(11, WireType::kBytes)) {
      line.display_name = field.bytes;
    } else if (field.Is(4, WireType::kBytes) && has_id && has_name && !thorough) {
      break;
    }
  }
  return line;
}

class LayoutReader {
 public:
  LayoutReader(Bytes bytes, bool thorough) : thorough_(thorough) { layout_.bytes = bytes; }

  Layout Run() && {
    FieldReader reader(layout_.bytes);
    Field field;
    for (;;) {
      const wire::Next next = reader.Read(&field);
      if (next == wire::Next::kEnd) break;
      if (next == wire::Next::kBroken) {
        TakeCutField(reader.position());
        break;
      }
      TakeField(field);
    }
    return std::move(layout_);
  }

 private:
  void TakeField(const Field& field) {
    if (field.type != WireType::kBytes) return;
    if (field.number == 1) layout_.planes.push_back(ReadPlane(field.bytes, false));
    if (field.number == 2) layout_.errors.push_back(field.bytes);
    if (field.number == 3) layout_.warnings.push_back(field.bytes);
    if (field.number == 4) layout_.hostnames.push_back(field.bytes);
  }

  // The top level ends inside a field. When that is a plane whose length lies beyond the end, its beginning is read.
  void TakeCutField(const uint8_t* at) {
    layout_.damage = {layout_.OffsetOf(at), "the file ends inside a field or holds bytes that are no XSpace"};
    const uint8_t* end = wire::End(layout_.bytes);
    uint64_t tag = 0, size = 0;
    const uint8_t* p = wire::ReadVarint(at, end, &tag);
    if (p == nullptr || tag != 0x0a) return;
    p = wire::ReadVarint(p, end, &size);
    if (p == nullptr || p == end) return;
    // A length that no machine's file reaches is no cut but garbage.
    if (size > (uint64_t{1} << 46)) return;
    Plane plane = ReadPlane(wire::MakeBytes(p, end), true);
    if (plane.name.empty() && plane.lines.empty()) return;
    layout_.damage->what = "the file ends inside plane \"" + std::string(plane.name) + "\", which says it is " +
                           std::to_string(size) + " bytes long";
    layout_.damage->offset = layout_.bytes.size();
    layout_.cut_plane = true;
    layout_.planes.push_back(std::move(plane));
  }

  Plane ReadPlane(Bytes bytes, bool cut) {
    Plane plane;
    FieldReader reader(bytes);
    Field field;
    for (;;) {
      const uint8_t* at = reader.position();
      const wire::Next next = reader.Read(&field);
      if (next == wire::Next::kEnd) return plane;
      if (next == wire::Next::kBroken) {
        if (cut) {
          TakeCutLine(at, wire::End(bytes), &plane);
        } else if (!layout_.damage) {
          layout_.damage = {layout_.OffsetOf(at),
                            "plane \"" + std::string(plane.name) + "\" holds bytes that are no XPlane"};
        }
        return plane;
      }
      TakePlaneField(field, &plane);
    }
  }

  void TakePlaneField(const Field& field, Plane* plane) {
    if (field.Is(1, WireType::kVarint)) plane->id = field.as_int64();
    if (field.type != WireType::kBytes) return;
    if (field.number == 2) plane->name = field.bytes;
    if (field.number == 3) plane->lines.push_back(ParseLine(field.bytes, thorough_));
    if (field.number == 4) TakeMetadata(field.bytes, &plane->event_metadata);
    if (field.number == 5) TakeMetadata(field.bytes, &plane->stat_metadata);
    if (field.number == 6) {
      plane->stats.push_back(field.bytes);
      if (ParseStat(field.bytes).broken) NoteBadMetadata(field.bytes);
    }
  }

  void TakeMetadata(Bytes entry, MetadataMap* map) {
    bool whole = true;
    map->Insert(ParseMetadataEntry(entry, &whole, &layout_.merged));
    if (!whole) NoteBadMetadata(entry);
  }

  void NoteBadMetadata(Bytes entry) {
    if (layout_.bad_metadata++ == 0) layout_.first_bad_metadata = layout_.OffsetOf(wire::Begin(entry));
  }

  // The events of a cut line that are whole are still events.
  void TakeCutLine(const uint8_t* at, const uint8_t* end, Plane* plane) {
    uint64_t tag = 0, size = 0;
    const uint8_t* p = wire::ReadVarint(at, end, &tag);
    if (p == nullptr || tag != 0x1a) return;
    p = wire::ReadVarint(p, end, &size);
    if (p == nullptr || p == end || size < static_cast<uint64_t>(end - p)) return;
    plane->lines.push_back(ParseLine(wire::MakeBytes(p, end), thorough_));
  }

  bool thorough_;
  Layout layout_;
};

}  // namespace

Layout ReadLayout(Bytes bytes, bool thorough) { return LayoutReader(bytes, thorough).Run(); }

}  // namespace tfprof::xplane
