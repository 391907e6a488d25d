#include "formats/chrome/event_args.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "formats/chrome/element.h"
#include "formats/chrome/members.h"

namespace tfprof::chrome {
namespace {

using trace::EventStat;
using trace::StatValue;

// A number as it is written; what is none stays a text.
StatValue ValueOf(std::string_view text) {
  StatValue value;
  value.text = text;
  value.slot = StatValue::Slot::kText;
  const char* end = text.data() + text.size();
  int64_t whole = 0;
  double real = 0;
  if (const auto [behind, error] = std::from_chars(text.data(), end, whole); error == std::errc() && behind == end) {
    value.slot = StatValue::Slot::kInt64;
    value.bits = static_cast<uint64_t>(whole);
  } else if (const auto [to, bad] = std::from_chars(text.data(), end, value.bits); bad == std::errc() && to == end) {
    value.slot = StatValue::Slot::kUint64;
  } else if (const auto [at, wrong] = std::from_chars(text.data(), end, real); wrong == std::errc() && at == end) {
    value.slot = StatValue::Slot::kDouble;
    value.bits = std::bit_cast<uint64_t>(real);
  } else {
    value.bits = 0;
  }
  return value;
}

// A number as a whole one, such as `64.0` as `64`; as it is where it has another fraction or is none.
std::string_view WithoutZeros(std::string_view number) {
  const size_t point = number.find('.');
  if (point == std::string_view::npos || number.find_first_not_of('0', point + 1) != std::string_view::npos)
    return number;
  return number.substr(0, point);
}

// `[8, 1.0, 1]` as `8,1,1`.
void AppendDimensions(std::string_view array, std::string* out) {
  std::string plain;
  for (const char c : array) {
    if (c != '[' && c != ']' && !IsJsonSpace(c)) plain += c;
  }
  for (size_t at = 0; at <= plain.size();) {
    const size_t comma = std::min(plain.find(',', at), plain.size());
    out->append(at == 0 ? "" : ",").append(WithoutZeros(std::string_view(plain).substr(at, comma - at)));
    at = comma + 1;
  }
}

}  // namespace

void EventArgs::Point(std::string_view text, const TraceEvent* event, const Placement* placement,
                      std::string_view owner) {
  text_ = text;
  event_ = event;
  placement_ = placement;
  owner_ = owner;
  read_ = op_known_ = false;
}

void EventArgs::ReadArguments() const {
  if (read_) return;
  read_ = true;
  count_ = 0;
  if (!event_->has_args) return;
  const JsonValue args = FindMember(text_, "args");
  JsonValue key, value;
  for (MemberCursor members(args.raw()); members.Next(&key, &value);) {
    if (count_ == arguments_.size()) arguments_.emplace_back();
    Argument& argument = arguments_[count_++];
    argument.key = key;
    argument.value = value;
    argument.decoded.reset();
  }
}

StatValue EventArgs::Find(std::string_view key) const {
  ReadArguments();
  std::string decoded;
  for (size_t i = count_; i-- > 0;) {  // of several of one name the last
    Argument& argument = arguments_[i];
    if (TextOf(argument.key, &decoded) != key) continue;
    if (argument.value.kind == JsonValue::Kind::kNull) return {};
    if (!argument.value.escaped) return ValueOf(argument.value.raw());
    if (!argument.decoded) argument.decoded = Decode(argument.value);
    return ValueOf(*argument.decoded);
  }
  return {};
}

StatValue EventArgs::KernelDetails() const {
  const StatValue grid = Find("grid"), block = Find("block");
  if (placement_->side != trace::Side::kDevice || !grid || !block) return {};
  details_ = "grid:";
  AppendDimensions(grid.text, &details_);
  details_ += " block:";
  AppendDimensions(block.text, &details_);
  for (const auto& [key, token] :
       {std::pair{"registers per thread", " regs:"}, std::pair{"shared memory", " dynamic_shared:"},
        std::pair{"est. achieved occupancy %", " occ_pct:"}}) {
    if (const StatValue number = Find(key)) details_.append(token).append(WithoutZeros(number.text));
  }
  StatValue value;
  value.slot = StatValue::Slot::kText;
  value.text = details_;
  return value;
}

StatValue EventArgs::First(EventStat stat) const {
  if (dialect_ == Dialect::kKineto) {
    if (stat == EventStat::kKernelDetails) return KernelDetails();
    if (stat == EventStat::kCorrelationId) return Find("correlation");
    return {};
  }
  if (dialect_ != Dialect::kTf2) return {};
  return Find(trace::EventStatName(stat));
}

EventStat EventArgs::LatestOf(std::initializer_list<EventStat> stats) const {
  for (const EventStat stat : stats) {
    if (First(stat)) return stat;
  }
  return EventStat::kCount;
}

const trace::Op* EventArgs::TellOp() const {
  if (!op_known_) is_op_ = placer_.OpOf(*event_, *placement_, &op_);
  op_known_ = true;
  return is_op_ ? &op_ : nullptr;
}

std::string_view EventArgs::TellOwner() const {
  if (dialect_ == Dialect::kKineto) return owner_;
  const trace::Op* op = TellOp();
  return op != nullptr && op->attributed ? std::string_view(op->name) : std::string_view();
}

}  // namespace tfprof::chrome
