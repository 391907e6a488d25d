// XEvent: decoding the events of a line, the hot loop of the reader.
#pragma once

#include <cstdint>

#include "formats/xplane/stat.h"
#include "wire/reader.h"

namespace tfprof::xplane {

struct Event {
  int64_t metadata_id = 0;
  int64_t offset_ps = 0;        // from the line's timestamp; 0 for aggregates
  int64_t duration_ps = 0;
  int64_t num_occurrences = 0;  // > 0: an aggregate of that many, without a start
  Bytes stats;                  // from the first stat to the event's end; StatCursor(stats, kEventStats). May be empty
};

// Yields the events of one XLine message in file order.
//
//   EventCursor cursor(line.body);
//   for (Event e; cursor.Next(&e);) …
//   if (cursor.broken()) … cursor.position() …
class EventCursor {
 public:
  explicit EventCursor(Bytes line) : p_(wire::Begin(line)), end_(wire::End(line)) {}

  bool Next(Event* event);

  // The line ended inside something; position() is where.
  bool broken() const { return broken_; }
  // A field of the line's head (id, name, timestamp) stood behind an event, so the layout did not see it.
  bool late_header() const { return late_header_; }
  const uint8_t* position() const { return p_; }

 private:
  bool NextSlow(Event* event);
  static bool ParseBody(const uint8_t* p, const uint8_t* end, Event* event);
  static bool ParseBodyFast(const uint8_t* p, const uint8_t* end, Event* event);

  const uint8_t* p_;
  const uint8_t* end_;
  bool seen_event_ = false;
  bool broken_ = false;
  bool late_header_ = false;
};

// The common case, inline: an `events` tag, a one- or two-byte length, fields in canonical order (ids 1, 2, 3, then
// stats 4). Everything else goes to the checked path. Reads ahead at most kSlopBytes past a field, which is why the
// fast path is left near the end of the line.
inline bool EventCursor::ParseBodyFast(const uint8_t* p, const uint8_t* end, Event* event) {
  uint64_t v = 0;
  event->metadata_id = 0;
  event->offset_ps = 0;
  event->duration_ps = 0;
  event->num_occurrences = 0;
  if (*p == 0x08) {
    p = wire::ReadVarintUnchecked(p + 1, &v);
    if (p == nullptr || p > end) return false;
    event->metadata_id = static_cast<int64_t>(v);
  }
  if (p < end && *p == 0x10) {
    p = wire::ReadVarintUnchecked(p + 1, &v);
    if (p == nullptr || p > end) return false;
    event->offset_ps = static_cast<int64_t>(v);
  }
  if (p < end && *p == 0x18) {
    p = wire::ReadVarintUnchecked(p + 1, &v);
    if (p == nullptr || p > end) return false;
    event->duration_ps = static_cast<int64_t>(v);
  }
  event->stats = wire::MakeBytes(p, end);
  while (p < end && *p == 0x22 && p[1] < 128) p += 2 + p[1];  // nothing but stats may follow
  return p == end;
}

inline bool EventCursor::Next(Event* event) {
  // An event of up to 16,383 bytes with room for look-ahead behind it.
  if (end_ - p_ > 3 + wire::kSlopBytes && p_[0] == 0x22) {
    const uint8_t* body = p_ + 2;
    int64_t size = p_[1];
    if (size >= 128) {
      if (p_[2] >= 128) return NextSlow(event);
      size = (size & 127) | (static_cast<int64_t>(p_[2]) << 7);
      ++body;
    }
    if (end_ - body >= size + wire::kSlopBytes && size > 0 && ParseBodyFast(body, body + size, event)) {
      p_ = body + size;
      seen_event_ = true;
      return true;
    }
  }
  return NextSlow(event);
}

}  // namespace tfprof::xplane
