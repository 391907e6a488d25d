#include "formats/chrome/event_places.h"

#include <array>
#include <bit>
#include <utility>

namespace tfprof::chrome {
namespace {

using trace::Op;
using trace::Role;

constexpr uint32_t kNoLane = UINT32_MAX;

// Values of one text are one id, however written; all that is neither text nor number is one id too.
KeyTable::Part IdPart(const JsonValue& value) {
  if (value.is_string() || value.is_number()) return {value.raw()};
  return {value.present() ? "?" : "0"};
}

uint32_t KindTag(const JsonValue& value) { return static_cast<uint32_t>(value.kind); }

}  // namespace

std::string IdText(const JsonValue& value) { return value.present() ? Decode(value) : "0"; }

EventPlaces::EventPlaces(Dialect dialect, const Names& names, Lanes* lanes)
    : dialect_(dialect), names_(names), lanes_(*lanes), placer_(dialect, names) {}

Lane* EventPlaces::LaneOf(const TraceEvent& event) {
  std::array<KeyTable::Part, 4> parts = {IdPart(event.process), IdPart(event.thread)};
  size_t count = 2;
  if (placer_.by_category()) parts[count++] = IdPart(event.category);
  if (dialect_ == Dialect::kKineto) parts[count++] = IdPart(event.arg(ArgKey::kDevice));
  uint32_t* lane = lane_of_.Find(0, {parts.data(), count});
  if (*lane == KeyTable::kNew) *lane = NewLane(event);
  return *lane == kNoLane ? nullptr : &lanes_.all()[*lane];
}

uint32_t EventPlaces::NewLane(const TraceEvent& event) {
  const std::string pid = IdText(event.process), tid = IdText(event.thread);
  const Placement placement = placer_.Place(pid, tid, Decode(event.category), Decode(event.arg(ArgKey::kDevice)));
  if (!placement.placed) return kNoLane;
  std::string key = ThreadKey(pid, tid);  // one lane for each side, role and device of a thread
  key += static_cast<char>('0' + static_cast<int>(placement.side) * 8 + static_cast<int>(placement.role));
  key += placement.device;
  Lane& lane = lanes_.Find(key, placement, pid, tid);
  lane.name = names_.Thread(pid, tid);
  lane.deciding_args = placer_.DecidingArgs(placement);
  return lane.index;
}

uint32_t EventPlaces::OpOf(const TraceEvent& event, const Lane& lane) {
  const Placement& placement = lane.placement;
  if (placement.role == Role::kView || placement.role == Role::kOther) return Op::kNone;
  std::array<KeyTable::Part, 2 + static_cast<size_t>(ArgKey::kCount)> parts;
  size_t count = 0;
  parts[count++] = {event.name.raw(), KindTag(event.name)};
  if (placer_.by_category()) parts[count++] = {event.category.raw(), KindTag(event.category)};
  const ArgSet args = event.args & lane.deciding_args;
  for (ArgSet rest = args; rest != 0; rest &= rest - 1) {
    const JsonValue& value = event.arg(static_cast<ArgKey>(std::countr_zero(rest)));
    parts[count++] = {value.raw(), KindTag(value)};
  }
  const uint32_t place = static_cast<uint32_t>(placement.side) * 8 + static_cast<uint32_t>(placement.role);
  uint32_t* number = op_of_.Find(args << 8 | place, {parts.data(), count});
  if (*number == KeyTable::kNew) {
    Op op;
    *number = placer_.OpOf(event, placement, &op) ? lanes_.ops(placement.side).Intern(std::move(op)) : Op::kNone;
  }
  return *number;
}

}  // namespace tfprof::chrome
