// Walks the events of lines one by one, and keeps what went wrong on the way.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "formats/xplane/event.h"
#include "formats/xplane/layout.h"

namespace tfprof::xplane {

class EventScan {
 public:
  using OnDone = std::function<void(Bytes)>;

  // `layout` and `on_done` outlive the scan; `cancelled` may be null.
  EventScan(const Layout& layout, const OnDone& on_done, const std::atomic<bool>* cancelled)
      : layout_(layout), on_done_(on_done), cancelled_(cancelled) {}

  // Calls visit(event, ordinal) for each event of the line in file order. `last_time`: the line isn't read again.
  template <typename Visit>
  void ForEach(const Line& line, const StatFilter* wanted, bool last_time, Visit&& visit) {
    EventCursor cursor(line.body, wanted, wire::End(layout_.bytes));
    const uint8_t* reported = wire::Begin(line.body);
    uint64_t ordinal = 0;
    EventBlock block;
    while (cursor.Read(&block)) {
      for (size_t i = 0; i < block.size; ++i) visit(block[i], ordinal++);
      if (cursor.position() - reported < (1 << 20)) continue;
      Report(reported, cursor.position(), last_time);
      reported = cursor.position();
      if (Cancelled()) break;
    }
    Report(reported, cursor.position(), last_time);
    late_header_ = late_header_ || cursor.late_header();
    if (last_time) bad_events_ += cursor.bad_events();  // once, however often the line is read
    if (cursor.first_bad() != nullptr) {
      first_bad_at_ = std::min(first_bad_at_.value_or(UINT64_MAX), layout_.OffsetOf(cursor.first_bad()));
    }
    if (cursor.broken()) {
      broken_at_ = std::min(broken_at_.value_or(UINT64_MAX), layout_.OffsetOf(cursor.position()));
    }
  }

  // For who reads the stats of the events.
  void NoteBrokenStats(const BrokenStats& broken) { broken_stats_.Merge(broken); }

  // What another scan of the same file found.
  void Merge(const EventScan& other) {
    late_header_ = late_header_ || other.late_header_;
    bad_events_ += other.bad_events_;
    if (other.first_bad_at_) first_bad_at_ = std::min(first_bad_at_.value_or(UINT64_MAX), *other.first_bad_at_);
    if (other.broken_at_) broken_at_ = std::min(broken_at_.value_or(UINT64_MAX), *other.broken_at_);
    broken_stats_.Merge(other.broken_stats_);
  }

  bool Cancelled() const { return cancelled_ != nullptr && *cancelled_; }
  // A line's head goes on behind its events: the layout must be read anew, thoroughly.
  bool late_header() const { return late_header_; }
  // The least offset at which a line ends inside an event.
  std::optional<uint64_t> broken_at() const { return broken_at_; }
  // Events that were passed over because their bytes make no sense, and where the first of them stands.
  uint64_t bad_events() const { return bad_events_; }
  std::optional<uint64_t> first_bad_at() const { return first_bad_at_; }
  const BrokenStats& broken_stats() const { return broken_stats_; }

 private:
  void Report(const uint8_t* begin, const uint8_t* end, bool last_time) const {
    if (last_time && on_done_) on_done_(wire::MakeBytes(begin, end));
  }

  const Layout& layout_;
  const OnDone& on_done_;
  const std::atomic<bool>* cancelled_;
  bool late_header_ = false;
  std::optional<uint64_t> broken_at_, first_bad_at_;
  uint64_t bad_events_ = 0;
  BrokenStats broken_stats_;
};

// When an event begins and ends as XProf computes it: unsigned picoseconds, mod 2^64.
inline uint64_t WrappingBegin(const Line& line, const Event& event) {
  return static_cast<uint64_t>(line.timestamp_ns) * 1000 + static_cast<uint64_t>(event.offset_ps);
}
inline uint64_t WrappingEnd(const Line& line, const Event& event) {
  return WrappingBegin(line, event) + static_cast<uint64_t>(event.duration_ps);
}

}  // namespace tfprof::xplane
