#include "formats/xplane/xprof_stats.h"

namespace tfprof::xplane {
XprofStats::XprofStats(const Plane& plane, const std::vector<XprofStat>& get, const std::vector<XprofStat>& for_each,
                       trace::NumberSlots numbers)
    : plane_(plane) {
  for (size_t kind = 0; numbers == trace::NumberSlots::kAny && kind < kKinds; ++kind) {
    if (trace::IsWholeNumber(static_cast<XprofStat>(kind))) numbers_ |= uint64_t{1} << kind;
  }
  for (const XprofStat stat : get) {
    const Metadata* named = nullptr;
    for (const Metadata& entry : plane.stat_metadata.entries()) {
      if (entry.name == trace::EventStatName(stat)) named = &entry;
    }
    if (named == nullptr) continue;
    known_ |= uint64_t{1} << Index(stat);
    get_table_.Set(named->inner_id, stat);
    filter_.Want(named->inner_id);
  }
  for (const XprofStat stat : for_each) {
    for (const Metadata& entry : plane.stat_metadata.entries()) {
      if (entry.name != trace::EventStatName(stat)) continue;
      known_ |= uint64_t{1} << Index(stat);
      last_table_.Set(entry.key, stat);
      filter_.Want(entry.key);
    }
  }
}

void XprofStats::Table::Set(int64_t id, XprofStat stat) {
  if (id < 0 || id >= 65'536) {
    sparse_[id] = static_cast<uint8_t>(stat);
    return;
  }
  if (static_cast<size_t>(id) >= dense_.size()) dense_.resize(static_cast<size_t>(id) + 1, kNoKind);
  dense_[static_cast<size_t>(id)] = static_cast<uint8_t>(stat);
}

void XprofStats::Read(Bytes message, uint32_t field) {
  get_found_ = last_found_ = 0;
  if (message.empty()) return;
  uint8_t order = 0;
  StatCursor cursor(message, field, &filter_);
  bool broken = false;
  for (Stat stat; cursor.Next(&stat);) {
    broken |= stat.broken;
    const uint8_t last = last_table_.Of(stat.metadata_id);
    const uint8_t get = get_table_.Of(stat.metadata_id);
    const uint8_t kind = last != kNoKind ? last : get;
    const bool in_any_slot = kind != kNoKind && (numbers_ >> kind & 1) != 0;
    if (in_any_slot && stat.slot != Stat::Slot::kInt64 && !MakeNumber(&stat)) continue;
    if (last != kNoKind) {
      last_[last] = stat;
      last_order_[last] = order;
      order += order < 255;
      last_found_ |= uint64_t{1} << last;
    }
    if (get != kNoKind && (get_found_ >> get & 1) == 0) {
      get_[get] = stat;
      get_found_ |= uint64_t{1} << get;
    }
  }
  if (broken) broken_.Note(message);
}

// False: it holds no number.
bool XprofStats::MakeNumber(Stat* stat) const {
  const trace::StatValue number = ValueOf(plane_, *stat).whole_number();
  if (!number) return false;
  stat->slot = number.slot == trace::StatValue::Slot::kUint64 ? Stat::Slot::kUint64 : Stat::Slot::kInt64;
  stat->bits = number.bits;
  return true;
}

trace::StatValue ValueOf(const Plane& plane, const Stat& stat) {
  using Slot = trace::StatValue::Slot;
  trace::StatValue value;
  value.bits = stat.bits;
  switch (stat.slot) {
    case Stat::Slot::kInt64:
      value.slot = Slot::kInt64;
      break;
    case Stat::Slot::kUint64:
      value.slot = Slot::kUint64;
      break;
    case Stat::Slot::kDouble:
      value.slot = Slot::kDouble;
      break;
    default:
      value.slot = Slot::kText;
      value.text = plane.Text(stat);
  }
  return value;
}

std::optional<Stat> GetPlaneStat(const Plane& plane, std::string_view name) {
  const Metadata* named = nullptr;
  for (const Metadata& entry : plane.stat_metadata.entries()) {
    if (entry.name == name) named = &entry;
  }
  if (named == nullptr) return std::nullopt;
  for (const Bytes& message : plane.stats) {
    const Stat stat = ParseStat(message);
    if (stat.metadata_id == named->inner_id) return stat;
  }
  return std::nullopt;
}

std::optional<Stat> LastPlaneStat(const Plane& plane, std::string_view name) {
  std::optional<Stat> last;
  for (const Bytes& message : plane.stats) {
    const Stat stat = ParseStat(message);
    if (plane.StatName(stat.metadata_id) == name) last = stat;
  }
  return last;
}

int64_t TextIds::Of(const Stat* stat) {
  if (stat == nullptr) return kNone;
  if (stat->slot == Stat::Slot::kRef && static_cast<int64_t>(stat->bits) >= 0) return static_cast<int64_t>(stat->bits);
  const auto [at, is_new] =
      ids_.try_emplace(std::string(plane_.Text(*stat)), kFirstLocal - static_cast<int64_t>(texts_.size()));
  if (is_new) texts_.push_back(at->first);
  return at->second;
}

std::string_view TextIds::Text(int64_t id) const {
  if (id >= 0) return plane_.StatName(id);
  return id == kNone ? std::string_view{} : std::string_view(texts_[static_cast<size_t>(kFirstLocal - id)]);
}

}  // namespace tfprof::xplane
