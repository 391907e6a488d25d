#include "formats/xplane/event.h"

#include <algorithm>
#include <iterator>

#include "wire/fast_varint.h"

namespace tfprof::xplane {

using wire::Field;
using wire::FieldReader;
using wire::WireType;

namespace {

constexpr uint8_t kEventTag = 0x22, kIdTag = 0x08, kOffsetTag = 0x10, kDurationTag = 0x18, kStatTag = 0x22;
static_assert(kEventTag == kStatTag);       // IsShort() serves both
constexpr ptrdiff_t kPrefetchBytes = 1024;  // the hardware prefetcher stops at every page

const StatFilter& EveryStat() {
  static const StatFilter filter = StatFilter::All();
  return filter;
}

// Tag of a stat, a length of one byte, tag of its metadata id; the first byte of that is the highest one.
inline uint32_t StatHead(const uint8_t* p) {
  uint32_t head = 0;
  std::memcpy(&head, p, sizeof(head));
  return head;
}
inline bool IsShort(uint32_t head) { return (head & 0xff80ff) == (uint32_t{kIdTag} << 16 | kStatTag); }

// As FirstWantedStat, whatever the form of the stats; `first` is the first wanted one so far, nullptr if there is none.
[[gnu::noinline]] const uint8_t* FirstWantedSlowly(const uint8_t* p, const uint8_t* end, const StatFilter& filter,
                                                   const uint8_t* first) {
  FieldReader reader(p, end);
  for (Field field;;) {
    const uint8_t* at = reader.position();
    const wire::Next next = reader.Read(&field);
    if (next == wire::Next::kEnd) return first == nullptr ? end : first;
    if (next == wire::Next::kBroken || *at != kStatTag) return nullptr;
    if (first == nullptr && filter.MayWant(field.bytes)) first = at;
  }
}

// Where the first wanted one of the stats in [p, end) begins, `end` if none is, nullptr if anything but stats stands
// there. Reads up to 3 bytes behind `end`.
[[gnu::always_inline]] inline const uint8_t* FirstWantedStat(const uint8_t* p, const uint8_t* end,
                                                             const StatFilter& filter) {
  const uint8_t* first = end;
  for (;; p += 2 + ((StatHead(p) >> 8) & 255)) {
    if (p >= end) return p == end ? first : nullptr;
    const uint32_t head = StatHead(p);
    if (!IsShort(head)) [[unlikely]]
      return FirstWantedSlowly(p, end, filter, nullptr);
    if (filter.MayWantId(static_cast<uint8_t>(head >> 24))) break;
  }
  for (first = p; p < end;) {
    const uint32_t head = StatHead(p);
    if (!IsShort(head)) [[unlikely]]
      return FirstWantedSlowly(p, end, filter, first);
    p += 2 + ((head >> 8) & 255);
  }
  return p == end ? first : nullptr;
}

// The length of an event that begins with `head` when it takes two bytes; 0: it takes more.
inline uint32_t LongSize(uint32_t head) {
  return (head & 0x800000) != 0 ? 0 : ((head >> 8) & 127) | ((head >> 9) & 0x3f80);
}

// Decodes the event at `p` into place `n` of the block if it is a usual one that ends at or before `fast_end`; returns
// the byte behind it or nullptr. Positions only grow, so that one comparison at the end tells whether every field lay inside the event.
template <bool kPext>
[[gnu::always_inline]] inline const uint8_t* ParseUsual(const uint8_t* p, const uint8_t* fast_end,
                                                        const StatFilter& filter, EventBlock* block, size_t n) {
  const uint32_t head = StatHead(p);  // an event and a stat begin alike
  const uint8_t* body = p + 2;
  const uint8_t* end = body + ((head >> 8) & 255);
  if (!IsShort(head)) [[unlikely]] {
    body = p + 3;
    end = body + LongSize(head);
    if ((head & 0xff) != kEventTag || end == body || *body != kIdTag) return nullptr;
  }
  if (end > fast_end) [[unlikely]]
    return nullptr;
  const wire::FastVarint id = wire::ReadFastVarint<kPext>(body + 1);
  if (id.next == nullptr || *id.next != kOffsetTag) [[unlikely]]
    return nullptr;
  const wire::FastVarint offset = wire::ReadFastVarint<kPext>(id.next + 1);
  if (offset.next == nullptr) [[unlikely]]
    return nullptr;
  wire::FastVarint duration{0, offset.next};
  if (offset.next < end && *offset.next == kDurationTag) [[likely]]
    duration = wire::ReadFastVarint<kPext>(offset.next + 1);
  if (duration.next == nullptr) [[unlikely]]
    return nullptr;
  const uint8_t* stats = FirstWantedStat(duration.next, end, filter);
  if (stats == nullptr) [[unlikely]]
    return nullptr;

  block->metadata_id[n] = static_cast<int64_t>(id.value);
  block->offset_ps[n] = static_cast<int64_t>(offset.value);
  block->duration_ps[n] = static_cast<int64_t>(duration.value);
  block->stats[n] = wire::MakeBytes(stats, end);
  return end;
}

}  // namespace

EventCursor::EventCursor(Bytes line, const StatFilter* wanted, const uint8_t* readable_end)
    : p_(wire::Begin(line)), end_(wire::End(line)), wanted_(wanted == nullptr ? &EveryStat() : wanted) {
  const uint8_t* readable = readable_end == nullptr ? end_ : readable_end;
  fast_end_ = readable - p_ > kReach ? std::min(end_, readable - kReach) : p_;
}

void EventBlock::Add(const Event& event) {
  if (event.num_occurrences != 0 && !aggregates) {
    aggregates = true;
    std::fill(std::begin(num_occurrences), std::end(num_occurrences), 0);
  }
  metadata_id[size] = event.metadata_id;
  offset_ps[size] = event.offset_ps;
  duration_ps[size] = event.duration_ps;
  stats[size] = event.stats;
  if (aggregates) num_occurrences[size] = event.num_occurrences;
  ++size;
}

template <bool kPext>
[[gnu::always_inline]] inline bool EventCursor::ReadBlock(EventBlock* block) {
  const uint8_t* p = p_;
  const uint8_t* const fast_end = fast_end_;
  const StatFilter& filter = *wanted_;
  block->size = 0;
  block->aggregates = false;
  if (broken_) return false;
  size_t n = 0;
  while (n < EventBlock::kMostEvents) {
    if (p < fast_end) {
      __builtin_prefetch(p + kPrefetchBytes);
      const uint8_t* next = ParseUsual<kPext>(p, fast_end, filter, block, n);
      if (next != nullptr) {
        p = next;
        ++n;
        continue;
      }
    }
    p_ = p;
    block->size = n;
    seen_event_ |= n > 0;
    Event event;
    if (!ReadChecked(&event)) return n > 0;
    block->Add(event);
    p = p_;
    ++n;
  }
  p_ = p;
  block->size = n;
  seen_event_ |= n > 0;
  return n > 0;
}

#if defined(__x86_64__)
[[gnu::target("bmi,bmi2")]]
#endif
bool EventCursor::ReadPext(EventBlock* block) {
  return ReadBlock<true>(block);
}

bool EventCursor::ReadPlain(EventBlock* block) { return ReadBlock<false>(block); }

bool EventCursor::Read(EventBlock* block) { return wire::HasFastPext() ? ReadPext(block) : ReadPlain(block); }

bool EventCursor::Next(Event* event) { return !broken_ && ReadChecked(event); }

// Any field order, any unknown field; of the oneof (offset, occurrences) the last one counts.
bool EventCursor::ParseBody(const uint8_t* p, const uint8_t* end, Event* event) const {
  *event = Event();
  FieldReader reader(p, end);
  const uint8_t* stats = end;
  Field field;
  for (;;) {
    const uint8_t* at = reader.position();
    const wire::Next next = reader.Read(&field);
    if (next == wire::Next::kEnd) break;
    if (next == wire::Next::kBroken) return false;
    if (field.Is(1, WireType::kVarint)) {
      event->metadata_id = field.as_int64();
    } else if (field.Is(2, WireType::kVarint)) {
      event->offset_ps = field.as_int64();
      event->num_occurrences = 0;
    } else if (field.Is(3, WireType::kVarint)) {
      event->duration_ps = field.as_int64();
    } else if (field.Is(4, WireType::kBytes)) {
      if (wanted_->MayWant(field.bytes)) stats = std::min(stats, at);
    } else if (field.Is(5, WireType::kVarint)) {
      event->num_occurrences = std::max<int64_t>(1, field.as_int64());  // an aggregate of none or fewer is one of one
      event->offset_ps = 0;
    }
  }
  event->stats = wire::MakeBytes(stats, end);
  return true;
}

bool EventCursor::ReadChecked(Event* event) {
  FieldReader reader(p_, end_);
  Field field;
  for (;;) {
    const wire::Next next = reader.Read(&field);
    if (next == wire::Next::kEnd) {
      p_ = end_;
      return false;
    }
    if (next == wire::Next::kBroken) {
      p_ = reader.position();
      broken_ = true;
      return false;
    }
    if (field.Is(4, WireType::kBytes)) {
      seen_event_ = true;
      if (!ParseBody(wire::Begin(field.bytes), wire::End(field.bytes), event)) {
        if (bad_events_++ == 0) first_bad_ = wire::Begin(field.bytes);
        continue;
      }
      p_ = reader.position();
      return true;
    }
    late_header_ |= seen_event_ && field.number >= 1 && field.number <= 3;
  }
}

}  // namespace tfprof::xplane
