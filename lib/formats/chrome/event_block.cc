#include "formats/chrome/event_block.h"

#include <bit>
#include <cstring>
#include <iterator>

namespace tfprof::chrome {
namespace {

constexpr JsonValue TraceEvent::*kFields[] = {&TraceEvent::name,   &TraceEvent::category,  &TraceEvent::process,
                                              &TraceEvent::thread, &TraceEvent::timestamp, &TraceEvent::duration};

// The second word of an event: what it is and which of its values follow.
constexpr unsigned kHasArgs = 8, kEmpty = 9, kFirstField = 16, kFirstArg = 32;

}  // namespace

void EventBlock::Put(const JsonValue& value) {
  std::memcpy(&words_[used_], &value, sizeof value);
  used_ += kValueWords;
}

void EventBlock::Get(size_t* position, JsonValue* value) const {
  std::memcpy(static_cast<void*>(value), &words_[*position], sizeof *value);
  *position += kValueWords;
}

void EventBlock::Add(const TraceEvent& event) {
  words_[used_++] = event.offset;
  uint64_t& shape = words_[used_++];
  uint64_t bits = static_cast<uint8_t>(event.phase) | uint64_t{event.has_args} << kHasArgs | uint64_t{event.empty} << kEmpty |
                  uint64_t{event.args} << kFirstArg;
  for (size_t i = 0; i < std::size(kFields); ++i) {
    const JsonValue& value = event.*kFields[i];
    if (!value.present()) continue;
    bits |= uint64_t{1} << (kFirstField + i);
    Put(value);
  }
  for (ArgSet rest = event.args; rest != 0; rest &= rest - 1) Put(event.arg(static_cast<ArgKey>(std::countr_zero(rest))));
  shape = bits;
}

bool EventBlock::Read(size_t* position, TraceEvent* event) const {
  if (*position == used_) return false;
  event->Reset();
  event->offset = words_[(*position)++];
  const uint64_t bits = words_[(*position)++];
  event->phase = static_cast<char>(bits & 0xff);
  event->has_args = (bits >> kHasArgs & 1) != 0;
  event->empty = (bits >> kEmpty & 1) != 0;
  for (size_t i = 0; i < std::size(kFields); ++i) {
    if ((bits >> (kFirstField + i) & 1) != 0) Get(position, &(event->*kFields[i]));
  }
  for (auto rest = static_cast<ArgSet>(bits >> kFirstArg); rest != 0; rest &= rest - 1) {
    Get(position, event->AddArg(static_cast<ArgKey>(std::countr_zero(rest))));
  }
  return true;
}

}  // namespace tfprof::chrome
