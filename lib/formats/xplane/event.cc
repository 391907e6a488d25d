#include "formats/xplane/event.h"

namespace tfprof::xplane {

using wire::Field;
using wire::FieldReader;
using wire::WireType;

// Any field order, any unknown field; of the oneof (offset, occurrences) the last one counts.
bool EventCursor::ParseBody(const uint8_t* p, const uint8_t* end, Event* event) {
  *event = Event();
  FieldReader reader(p, end);
  const uint8_t* first_stat = nullptr;
  const uint8_t* at = reader.position();
  Field field;
  for (;;) {
    at = reader.position();
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
      if (first_stat == nullptr) first_stat = at;
    } else if (field.Is(5, WireType::kVarint)) {
      event->num_occurrences = field.as_int64();
      event->offset_ps = 0;
    }
  }
  if (first_stat != nullptr) event->stats = wire::MakeBytes(first_stat, end);
  return true;
}

bool EventCursor::NextSlow(Event* event) {
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
