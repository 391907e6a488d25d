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

// Events as columns: one pass decodes them, the next ones look at the few columns that they need.
struct EventBlock {
  static constexpr size_t kMostEvents = 128;  // few enough to stay in the first-level cache

  size_t size = 0;
  bool aggregates = false;  // some have num_occurrences; else that column isn't filled
  int64_t metadata_id[kMostEvents], offset_ps[kMostEvents], duration_ps[kMostEvents];
  int64_t num_occurrences[kMostEvents];
  Bytes stats[kMostEvents];

  Event operator[](size_t i) const {
    return {metadata_id[i], offset_ps[i], duration_ps[i], aggregates ? num_occurrences[i] : 0, stats[i]};
  }
  void Add(const Event& event);
};

// Yields the events of one XLine message in file order, many at a time or one by one.
//
//   EventCursor cursor(line.body, &filter, end_of_file);
//   EventBlock block;
//   while (cursor.Read(&block)) …
//   if (cursor.broken()) … cursor.position() …
//
// The common event (a length of one or two bytes; id, offset, duration and stats in this order) is decoded by a fast
// path that looks ahead up to kReach bytes; every other, and those too near to the end of the readable bytes, by a
// checked one. Both give the same events.
class EventCursor {
 public:
  // `wanted`: which stats the caller looks at; null: all. `readable_end`: how far the bytes behind the line can be read
  // (the end of the file); null: not at all. Both outlive the cursor.
  explicit EventCursor(Bytes line, const StatFilter* wanted = nullptr, const uint8_t* readable_end = nullptr);

  // Fills the block, or what is left of it at the end of the line or where that is broken. False: there was no event.
  bool Read(EventBlock* block);
  // The same for CPUs without a fast PEXT; Read chooses.
  bool ReadPlain(EventBlock* block);
  // The next event alone, for who wants few: the checked way.
  bool Next(Event* event);

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
  bool ReadBlock(EventBlock* block);
  bool ReadPext(EventBlock* block);
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
