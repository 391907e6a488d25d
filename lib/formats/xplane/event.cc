#include "formats/xplane/event.h"

#include <algorithm>

#include "wire/fast_varint.h"

namespace tfprof::xplane {

using wire::Field;
using wire::FieldReader;
using wire::WireType;

namespace {

constexpr uint8_t kEventTag = 0x22, kIdTag = 0x08, kOffsetTag = 0x10, kDurationTag = 0x18, kStatTag = 0x22;
constexpr ptrdiff_t kPrefetchBytes = 1024;  // the hardware prefetcher stops at every page

const StatFilter& EveryStat() {
  static const StatFilter filter = StatFilter::All();
  return filter;
}

// The byte behind a stat that isn't of the shortest form (a long text), or nullptr when no stat stands at `p`.
const uint8_t* BehindLongStat(const uint8_t* p, const uint8_t* end, const StatFilter& filter, bool* wanted) {
  FieldReader reader(p, end);
  Field field;
  if (*p != kStatTag || reader.Read(&field) != wire::Next::kField) return nullptr;
  *wanted = filter.MayWant(field.bytes);
  return reader.position();
}

// Whether only stats stand in [p, end); `first`: the first of them that is wanted, else `end`. Reads up to 3 bytes
// behind `end`.
[[gnu::always_inline]] inline bool OnlyStats(const uint8_t* p, const uint8_t* end, const StatFilter& filter,
                                             const uint8_t** first) {
  const uint8_t* found = end;
  while (p < end) {
    uint32_t head = 0;
    std::memcpy(&head, p, sizeof(head));
    // Tag of a stat, a length of one byte, tag of its metadata id, first byte of that.
    if ((head & 0xff80ff) == (uint32_t{kIdTag} << 16 | kStatTag)) {
      found = filter.MayWantId(static_cast<uint8_t>(head >> 24)) && found == end ? p : found;
      p += 2 + ((head >> 8) & 127);
    } else {
      bool wanted = false;
      const uint8_t* next = BehindLongStat(p, end, filter, &wanted);
      if (next == nullptr) return false;
      found = wanted && found == end ? p : found;
      p = next;
    }
  }
  *first = found;
  return p == end;
}

// Decodes the event at `p` if it is a usual one that ends at or before `fast_end`; returns the byte behind it or
// nullptr. Positions only grow, so that one comparison at the end tells whether every field lay inside the event.
template <bool kPext>
[[gnu::always_inline]] inline const uint8_t* ParseUsual(const uint8_t* p, const uint8_t* fast_end,
                                                        const StatFilter& filter, Event* event) {
  uint64_t head = 0;
  std::memcpy(&head, p, sizeof(head));
  uint64_t size = (head >> 8) & 127;
  const uint8_t* body = p + 2;
  uint64_t word = head >> 16;  // the first bytes of the body
  if (head & 0x8000) {
    if (head & 0x800000) return nullptr;
    size |= (head >> 9) & 0x3f80;
    body = p + 3;
    word = head >> 24;
  }
  const uint8_t* end = body + size;
  if ((head & 255) != kEventTag || (word & 255) != kIdTag || end > fast_end) return nullptr;

  // An id of one or two bytes without a branch: both are common on one line.
  const uint64_t wide = (word >> 15) & 1;
  uint64_t id = ((word >> 8) & 127) | ((word >> 9) & (0x3f80 * wide));
  const uint8_t* at = body + 2 + wide;
  uint64_t tag = (word >> (16 + 8 * wide)) & 255;
  if ((word & 0x808000) == 0x808000) [[unlikely]] {
    const wire::FastVarint long_id = wire::ReadFastVarint<kPext>(body + 1);
    if (long_id.next == nullptr) return nullptr;
    id = long_id.value;
    at = long_id.next;
    tag = *at;
  }
  if (tag != kOffsetTag) return nullptr;
  const wire::FastVarint offset = wire::ReadFastVarint<kPext>(at + 1);
  if (offset.next == nullptr) [[unlikely]]
    return nullptr;
  wire::FastVarint duration{0, offset.next};
  if (offset.next < end && *offset.next == kDurationTag) duration = wire::ReadFastVarint<kPext>(offset.next + 1);
  if (duration.next == nullptr || duration.next > end) [[unlikely]]
    return nullptr;
  const uint8_t* stats = end;
  if (!OnlyStats(duration.next, end, filter, &stats)) return nullptr;

  event->metadata_id = static_cast<int64_t>(id);
  event->offset_ps = static_cast<int64_t>(offset.value);
  event->duration_ps = static_cast<int64_t>(duration.value);
  event->num_occurrences = 0;
  event->stats = wire::MakeBytes(stats, end);
  return end;
}

}  // namespace

EventCursor::EventCursor(Bytes line, const StatFilter* wanted, const uint8_t* readable_end)
    : p_(wire::Begin(line)), end_(wire::End(line)), wanted_(wanted == nullptr ? &EveryStat() : wanted) {
  const uint8_t* readable = readable_end == nullptr ? end_ : readable_end;
  fast_end_ = readable - p_ > kReach ? std::min(end_, readable - kReach) : p_;
}

template <bool kPext>
[[gnu::always_inline]] inline size_t EventCursor::ReadBlock(Event* events, size_t max) {
  const uint8_t* p = p_;
  const uint8_t* const fast_end = fast_end_;
  const StatFilter& filter = *wanted_;
  size_t n = 0;
  if (broken_) return 0;
  while (n < max) {
    if (p < fast_end) {
      __builtin_prefetch(p + kPrefetchBytes);
      const uint8_t* next = ParseUsual<kPext>(p, fast_end, filter, &events[n]);
      if (next != nullptr) {
        p = next;
        ++n;
        continue;
      }
    }
    p_ = p;
    seen_event_ |= n > 0;
    if (!ReadChecked(&events[n])) return n;
    p = p_;
    ++n;
  }
  p_ = p;
  seen_event_ |= n > 0;
  return n;
}

#if defined(__x86_64__)
[[gnu::target("bmi,bmi2")]]
#endif
size_t
EventCursor::ReadPext(Event* events, size_t max) {
  return ReadBlock<true>(events, max);
}

size_t EventCursor::ReadPlain(Event* events, size_t max) { return ReadBlock<false>(events, max); }

size_t EventCursor::Read(Event* events, size_t max) {
  return wire::HasFastPext() ? ReadPext(events, max) : ReadPlain(events, max);
}

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
      event->num_occurrences = field.as_int64();
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
        p_ = wire::Begin(field.bytes);
        broken_ = true;
        return false;
      }
      p_ = reader.position();
      return true;
    }
    late_header_ |= seen_event_ && field.number >= 1 && field.number <= 3;
  }
}

}  // namespace tfprof::xplane
