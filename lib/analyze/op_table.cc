#include "analyze/op_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/count.h"

namespace tfprof::analyze {

using trace::LaneInfo;
using trace::Role;

namespace {

constexpr char kIdle[] = "IDLE";

std::string PlaceOf(const LaneInfo& info) {
  return fmt::format("{}{}, lane \"{}\" ({})", info.host, info.plane, info.name, info.id);
}

std::string PlaceOf(const LaneInfo& info, int64_t at_ps) {
  return fmt::format("{}, {:.3f} us", PlaceOf(info), static_cast<double>(at_ps) / 1e6);
}

bool RowOrder(const OpsRow& a, const OpsRow& b) {
  if (a.side != b.side) return a.side < b.side;
  if (a.self_ps != b.self_ps) return a.self_ps > b.self_ps;
  return std::tie(a.op_name, a.key, a.op_type) < std::tie(b.op_name, b.key, b.op_type);
}

}  // namespace

std::string_view ScopeOf(std::string_view op_name) {
  const size_t slash = op_name.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : op_name.substr(0, slash);
}

size_t OpTable::RowKeyHash::operator()(const RowKey& key) const {
  size_t hash = static_cast<size_t>(key.side);
  for (const std::string* part : {&key.group, &key.type, &key.name, &key.kernel}) {
    hash = hash * 0x9e3779b97f4a7c15u + std::hash<std::string_view>{}(*part);
  }
  return hash;
}

void OpTable::Oddity::Add(uint64_t n, const std::string& where) {
  if (n == 0) return;
  if (count == 0 || where < place) place = where;
  AddCount(n, &count);
}

std::string OpTable::GroupOf(const LaneInfo& info) const {
  switch (options_.by) {
    case OpsBy::kHost:
      return std::string(info.host);
    case OpsBy::kDevice:
      return std::string(info.host) + (info.side == Side::kHost ? std::string() : std::string(info.plane));
    case OpsBy::kLane:
      // Threads of one name are lanes of their own; NameLanes makes a text of it.
      return fmt::format("{}{}/{}{}{}", info.host, info.plane, info.name.empty() ? std::to_string(info.id) : info.name,
                         '\0', info.id);
    default:
      return {};
  }
}

// The text that rows are grouped by.
std::string OpTable::KeyOf(const std::string& group, const std::string& type, const std::string& name) const {
  switch (options_.by) {
    case OpsBy::kType:
      return type;
    case OpsBy::kScope:
      return std::string(ScopeOf(name));
    case OpsBy::kOp:
      return type + '\0' + name;
    default:
      return group;
  }
}

OpTable::Plane& OpTable::PlaneOf(const LaneInfo& info) {
  for (const auto& plane : planes_) {
    if (plane->records.ops == info.ops) return *plane;
  }
  auto plane = std::make_unique<Plane>();
  plane->records.ops = info.ops;
  plane->side = info.side;
  // On the host every (type, name) has one op id, so by op nothing has to be looked up.
  if (info.side == Side::kDevice || options_.by != OpsBy::kOp) {
    Plane* p = plane.get();
    p->records.cover_group_of = [this, p](uint32_t op) {
      const trace::Op& o = (*p->records.ops)[op];
      // By host, device and lane all ops of a lane are one group.
      const std::string key = KeyOf("", o.type, o.name);
      return p->group_ids.try_emplace(key, static_cast<uint32_t>(p->group_ids.size())).first->second;
    };
  }
  planes_.push_back(std::move(plane));
  return *planes_.back();
}

trace::LaneConsumer* OpTable::Open(const LaneInfo& info) {
  if (info.role == Role::kView || info.role == Role::kOther) return nullptr;
  const auto open = [&]<typename Lane>(std::vector<std::unique_ptr<Lane>>& all, std::vector<Lane*>& free) {
    if (free.empty()) {
      all.push_back(std::make_unique<Lane>(options_, [this](OpLane* lane) { CloseLane(lane); }));
      free.push_back(all.back().get());
    }
    Lane* lane = free.back();
    free.pop_back();
    lane->Reset(info, &PlaneOf(info).records);
    return lane;
  };
  if (info.role == Role::kStream) return open(streams_, free_streams_);
  return open(nested_, free_nested_);
}

void OpTable::CloseLane(OpLane* lane) {
  lane->Finish();
  const LaneInfo& info = lane->info();
  LaneTotals& totals = lane->totals();
  overlaps_.Add(totals.overlaps, totals.overlaps == 0 ? "" : PlaceOf(info, totals.first_overlap_ps));
  overruns_.Add(totals.overruns, totals.overruns == 0 ? "" : PlaceOf(info, totals.first_overrun_ps));
  left_out_.Add(totals.left_out, totals.left_out == 0 ? "" : PlaceOf(info));
  flagged_unattributed_ps_ += totals.unattributed_ps;
  if (totals.any_op) {
    ++(info.side == Side::kHost ? host_lanes_ : device_lanes_);
    const auto place = [&](std::string_view name) {
      return Place(options_.file, std::string(info.host) + '\0' + std::string(name));
    };
    if (info.side == Side::kDevice) {
      device_busy_[place(info.device.empty() ? info.plane : info.device)].Add(std::move(totals.busy));
    } else {
      if (info.idle_group.empty()) {
        host_idle_ps_ += static_cast<int128>(totals.busy.span_ps()) - totals.busy.busy_ps();
      } else {
        idle_groups_[place(info.idle_group)].Add(totals.busy.Copy());
      }
      host_busy_[place("")].Add(std::move(totals.busy));
    }
  }
  const std::string group = GroupOf(info);
  if (!group.empty()) Flush(PlaneOf(info), group);
  if (info.role == Role::kStream) {
    free_streams_.push_back(static_cast<StreamLane*>(lane));
  } else {
    free_nested_.push_back(static_cast<NestedLane*>(lane));
  }
}

void OpTable::Flush(Plane& plane, const std::string& group) {
  for (const uint32_t id : plane.records.touched) {
    const trace::Op& op = (*plane.records.ops)[id];
    Row& row = rows_[{plane.side, group, op.type, op.name, op.kernel}];
    row.record.Add(plane.records.records[id]);
    if (!op.attributed) row.unattributed_ps += plane.records.records[id].self_ps;
    plane.records.records[id] = OpRecord();
  }
  plane.records.touched.clear();
}

void OpTable::EndPlane(const trace::OpDictionary& ops) {
  const auto at = std::find_if(planes_.begin(), planes_.end(), [&](const auto& p) { return p->records.ops == &ops; });
  if (at == planes_.end()) return;
  Flush(**at, "");
  planes_.erase(at);
}

void OpTable::Settle() {
  for (auto* unions : {&host_busy_, &device_busy_, &idle_groups_}) {
    for (auto& [place, busy] : *unions) busy.Settle();
  }
}

void OpTable::Merge(OpTable&& other) {
  for (auto& [key, row] : other.rows_) {
    Row& mine = rows_[key];
    mine.record.Add(row.record);
    mine.unattributed_ps += row.unattributed_ps;
  }
  for (auto& [place, busy] : other.host_busy_) host_busy_[place].Merge(std::move(busy));
  for (auto& [place, busy] : other.device_busy_) device_busy_[place].Merge(std::move(busy));
  for (auto& [place, busy] : other.idle_groups_) idle_groups_[place].Merge(std::move(busy));
  flagged_unattributed_ps_ += other.flagged_unattributed_ps_;
  host_lanes_ += other.host_lanes_;
  device_lanes_ += other.device_lanes_;
  host_idle_ps_ += other.host_idle_ps_;
  overlaps_.Add(other.overlaps_.count, other.overlaps_.place);
  overruns_.Add(other.overruns_.count, other.overruns_.place);
  left_out_.Add(other.left_out_.count, other.left_out_.place);
}

// By lane: a lane's name says which it is, and its id where it shares that with another.
void OpTable::NameLanes(std::vector<OpsRow>* rows) {
  std::unordered_map<std::string, int> lanes;
  for (const OpsRow& row : *rows) ++lanes[row.key.substr(0, row.key.find('\0'))];
  for (OpsRow& row : *rows) {
    const size_t end = row.key.find('\0');
    std::string name = row.key.substr(0, end);
    const std::string id = row.key.substr(end + 1);
    if (lanes[name] > 1) name += fmt::format(" ({})", id);
    row.key = std::move(name);
  }
}

std::vector<OpsRow> OpTable::MakeRows() {
  // First ops, whose occurrences on a device are those of their commonest kernel; then what the rows are grouped by.
  struct Group {
    OpsRow row;
    std::unordered_map<std::string, uint64_t> commonest;  // by op (type, name): most occurrences of any kernel
    std::unique_ptr<QuantileSketch> durations;
  };
  std::unordered_map<std::string, Group> groups;
  for (auto& [key, row] : rows_) {
    std::string text(1, key.side == Side::kDevice ? 'D' : 'H');
    const std::string by = KeyOf(key.group, key.type, key.name);
    Group& group = groups[text + by];
    group.row.side = key.side;
    if (options_.by == OpsBy::kOp) {
      group.row.op_type = key.type;
      group.row.op_name = key.name;
    } else {
      group.row.key = by;
    }
    group.row.total_ps += row.record.total_ps;
    group.row.self_ps += row.record.self_ps;
    group.row.eager |= row.record.eager;
    if (key.side == Side::kHost) {
      AddCount(row.record.occurrences, &group.row.occurrences);
    } else {
      uint64_t& most = group.commonest[key.type + '\0' + key.name];
      AddCount(row.record.occurrences > most ? row.record.occurrences - most : 0, &group.row.occurrences);
      most = std::max(most, row.record.occurrences);
    }
    if (row.record.durations != nullptr) {
      if (group.durations == nullptr) group.durations = std::make_unique<QuantileSketch>();
      group.durations->Merge(*row.record.durations);
    }
  }
  std::vector<OpsRow> rows;
  rows.reserve(groups.size() + 2);
  for (auto& [text, group] : groups) {
    if (const QuantileSketch* d = group.durations.get()) {
      group.row.distribution = {d->min(), d->max(), d->Quantile(0.5), d->Quantile(0.9), d->Quantile(0.99)};
    }
    rows.push_back(std::move(group.row));
  }
  return rows;
}

void OpTable::AddIdle(Side side, int128 idle_ps, std::vector<OpsRow>* rows) const {
  OpsRow idle;
  idle.side = side;
  idle.idle = true;
  (options_.by == OpsBy::kOp ? idle.op_name : idle.key) = kIdle;
  if (options_.by == OpsBy::kOp) idle.op_type = kIdle;
  idle.total_ps = idle.self_ps = idle_ps;
  rows->push_back(std::move(idle));
}

OpsResult OpTable::Finish(bool include_idle, Diagnostics* diagnostics) && {
  OpsResult result;
  result.by = options_.by;
  result.include_idle = include_idle;
  for (const auto& [key, row] : rows_) {
    SideTotals& totals = key.side == Side::kHost ? result.host : result.device;
    totals.sum_self_ps += row.record.self_ps;
    if (key.side == Side::kDevice) totals.unattributed_ps += row.unattributed_ps;
  }
  result.host.lanes = host_lanes_;
  result.device.lanes = device_lanes_;
  result.device.unattributed_ps += flagged_unattributed_ps_;
  const auto measure = [](std::map<Place, BusyUnion>& unions, SideTotals* totals) {
    for (auto& [place, busy] : unions) {
      const BusyTime time = std::move(busy).Measure();
      totals->span_ps += time.span_ps;
      totals->busy_ps += time.busy_ps;
    }
  };
  measure(host_busy_, &result.host);
  measure(device_busy_, &result.device);
  SideTotals grouped;
  measure(idle_groups_, &grouped);
  result.host.idle_ps = host_idle_ps_ + grouped.span_ps - grouped.busy_ps;
  result.device.idle_ps = result.device.span_ps - result.device.busy_ps;

  result.rows = MakeRows();
  if (options_.by == OpsBy::kLane) NameLanes(&result.rows);
  for (const Side side : {Side::kDevice, Side::kHost}) {
    const bool any =
        std::any_of(result.rows.begin(), result.rows.end(), [&](const OpsRow& r) { return r.side == side; });
    if (include_idle && any) {
      AddIdle(side, side == Side::kHost ? result.host.idle_ps : result.device.idle_ps, &result.rows);
    }
  }
  std::sort(result.rows.begin(), result.rows.end(), RowOrder);
  int rank = 0;
  int128 running[2] = {0, 0};
  for (OpsRow& row : result.rows) {
    row.rank = ++rank;
    const SideTotals& totals = row.side == Side::kHost ? result.host : result.device;
    const int128 all = totals.sum_self_ps + (include_idle ? totals.idle_ps : 0);
    int128& sum = running[row.side == Side::kHost];
    sum += row.self_ps;
    if (all > 0) {
      row.self_fraction = static_cast<double>(row.self_ps) / static_cast<double>(all);
      row.cumulative_fraction = static_cast<double>(sum) / static_cast<double>(all);
    }
  }
  result.total_rows = result.rows.size();
  Say(result, diagnostics);
  return result;
}

void OpTable::Say(const OpsResult& result, Diagnostics* diagnostics) const {
  if (overlaps_.count > 0) {
    diagnostics->Add(DiagCode::kOverlappingEvents,
                     "events overlap partly on one lane; the earlier keeps its total and loses the overlap from its "
                     "self time; first: " +
                         overlaps_.place,
                     overlaps_.count);
  }
  if (overruns_.count > 0) {
    diagnostics->Add(DiagCode::kOverrun,
                     "device events run over the starts of later ones on their stream; their durations may be wrong; "
                     "first: " +
                         overruns_.place,
                     overruns_.count);
  }
  if (left_out_.count > 0) {
    diagnostics->Add(DiagCode::kUntimedEvent,
                     "events have no place in the trace's time (aggregated, or years away from the others), so that no "
                     "--time and no step can hold them; they are left out; first: " +
                         left_out_.place,
                     left_out_.count);
  }
  const auto full = std::count_if(result.rows.begin(), result.rows.end(),
                                  [](const OpsRow& row) { return row.occurrences == kMostCount; });
  if (full > 0) {
    diagnostics->Add(
        DiagCode::kBadNumber,
        "the file claims more occurrences of ops than can be counted (2^63 - 1); their rows give that many",
        static_cast<uint64_t>(full));
  }
  if (result.device.unattributed_ps > 0) {
    diagnostics->Add(DiagCode::kUnattributedDeviceTime,
                     fmt::format("{:.1f} % of the device's op time ({:.3f} us) belongs to no framework op; its kernels "
                                 "are rows of type Unknown",
                                 100 * static_cast<double>(result.device.unattributed_ps) /
                                     static_cast<double>(result.device.sum_self_ps),
                                 static_cast<double>(result.device.unattributed_ps) / 1e6));
  }
  if (device_lanes_ == 0 && host_lanes_ > 0) {
    diagnostics->Add(DiagCode::kNoDeviceActivity,
                     "the profile has no device lane with events: there is no device table, only the host's");
  }
}

}  // namespace tfprof::analyze
