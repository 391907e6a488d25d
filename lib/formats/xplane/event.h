// XEvent: decoding the events of a line, the hot loop of the reader.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/xplane/stat.h"
#include "wire/reader.h"

namespace tfprof::xplane {

struct Event {
  int64_t metadata_id = 0;
  int64_t offset_ps = 0;  // from the line's timestamp; 0 for aggregates
  int64_t duration_ps = 0;
  int64_t num_occurrences = 0;  // > 0: an aggregate of that many (at least one), without a start
  Bytes stats;  // from the first wanted stat to the event's end, for StatCursor(stats, kEventStats); empty: none is
};

// Yields the events of one XLine message in file order, many at a time or one by one.
//
//   EventCursor cursor(line.body, &filter, end_of_file);
//   Event events[EventCursor::kBlock];
//   while (const size_t n = cursor.Read(events, EventCursor::kBlock)) …
//   if (cursor.broken()) … cursor.position() …
//
// The common event (a length of one or two bytes; id, offset, duration and stats in this order) is decoded by a fast
// path that looks ahead up to kReach bytes; every other, and those too near to the end of the readable bytes, by a
// checked one. Both give the same events.
class EventCursor {
 public:
  static constexpr size_t kBlock =
      128;  // events that a caller reads at once; their array stays in the first-level cache

  // `wanted`: which stats the caller looks at; null: all. `readable_end`: how far the bytes behind the line can be read
  // (the end of the file); null: not at all. Both outlive the cursor.
  explicit EventCursor(Bytes line, const StatFilter* wanted = nullptr, const uint8_t* readable_end = nullptr);

  // Decodes up to `max` events; fewer, or 0, only at the end of the line or where it is broken.
  size_t Read(Event* events, size_t max);
  bool Next(Event* event) { return Read(event, 1) == 1; }
  // The same for CPUs without a fast PEXT; Read chooses.
  size_t ReadPlain(Event* events, size_t max);

  // Events whose own bytes make no sense; they were passed over, reading went on with the next.
  uint64_t bad_events() const { return bad_events_; }
  const uint8_t* first_bad() const { return first_bad_; }
  // The line ended inside something; position() is where.
  bool broken() const { return broken_; }
  // A field of the line's head (id, name, timestamp) stood behind an event, so the layout did not see it.
  bool late_header() const { return late_header_; }
  // Behind the last event that was read.
  const uint8_t* position() const { return p_; }

 private:
  static constexpr ptrdiff_t kReach = 32;  // how far behind an event's end its fast decoding may look

  template <bool kPext>
  size_t ReadBlock(Event* events, size_t max);
  size_t ReadPext(Event* events, size_t max);
  bool ReadChecked(Event* event);
  bool ParseBody(const uint8_t* p, const uint8_t* end, Event* event) const;

  const uint8_t* p_;
  const uint8_t* end_;
  const uint8_t* fast_end_;  // events that end before it may be decoded fast
  const StatFilter* wanted_;
  bool seen_event_ = false;
  uint64_t bad_events_ = 0;
  const uint8_t* first_bad_ = nullptr;
  bool broken_ = false;
  bool late_header_ = false;
};

}  // namespace tfprof::xplane
