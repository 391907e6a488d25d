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
// So many words of intervals may wait to be merged: 16 MiB, or as much again as has been merged.
constexpr size_t kMostWaitingWords = size_t{8} << 20;

std::string PlaceOf(const LaneInfo& info) {
  return fmt::format("{}{}, lane \"{}\" ({})", info.host, info.plane, info.name, info.IdText());
}

std::string PlaceOf(const LaneInfo& info, int64_t at_ps) {
  return fmt::format("{}, {:.3f} µs", PlaceOf(info), static_cast<double>(at_ps) / 1e6);
}

// Device first, then by self time; names tell apart what is alike. Places are sorted, not rows: those are large.
std::vector<OpsRow> Sorted(std::vector<OpsRow> rows) {
  struct Place {
    int128 self_ps;
    Side side;
    size_t at;
  };
  std::vector<Place> order;
  order.reserve(rows.size());
  for (size_t at = 0; at < rows.size(); ++at) order.push_back({rows[at].self_ps, rows[at].side, at});
  std::sort(order.begin(), order.end(), [&](const Place& a, const Place& b) {
    if (a.side != b.side) return a.side < b.side;
    if (a.self_ps != b.self_ps) return a.self_ps > b.self_ps;
    const OpsRow& one = rows[a.at];
    const OpsRow& other = rows[b.at];
    return std::tie(one.op_name, one.key, one.op_type) < std::tie(other.op_name, other.key, other.op_type);
  });
  std::vector<OpsRow> sorted;
  sorted.reserve(rows.size());
  for (const Place& place : order) sorted.push_back(std::move(rows[place.at]));
  return sorted;
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
      return fmt::format("{}{}/{}{}{}", info.host, info.plane,
                         info.name.empty() ? info.IdText() : std::string(info.name), '\0', info.IdText());
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
      AddBusy(std::move(totals.busy), &device_busy_[place(info.device.empty() ? info.plane : info.device)]);
    } else {
      if (info.idle_group.empty()) {
        host_idle_ps_ += static_cast<int128>(totals.busy.span_ps()) - totals.busy.busy_ps();
      } else {
        AddBusy(totals.busy.Copy(), &idle_groups_[place(info.idle_group)]);
      }
      AddBusy(std::move(totals.busy), &host_busy_[place("")]);
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

void OpTable::AddBusy(IntervalList busy, BusyUnion* to) {
  waiting_words_ += busy.words();
  to->Add(std::move(busy));
  if (waiting_words_ > std::max(kMostWaitingWords, settled_words_)) Settle();
}

void OpTable::Flush(Plane& plane, const std::string& group) {
  if (rows_.empty()) rows_.reserve(plane.records.touched.size());
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
  waiting_words_ = settled_words_ = 0;
  for (auto* unions : {&host_busy_, &device_busy_, &idle_groups_}) {
    for (auto& [place, busy] : *unions) {
      busy.Settle();
      settled_words_ += busy.words();
    }
  }
}

void OpTable::Merge(OpTable&& other) {
  rows_.merge(other.rows_);  // what stays behind is in both
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

// Gives up rows_ on the way: of a million ops both would be a lot.
std::vector<OpsRow> OpTable::MakeRows() {
  const bool by_op = options_.by == OpsBy::kOp;
  std::vector<OpsRow> rows;
  if (by_op) rows.reserve(rows_.size() + 2);
  std::vector<std::unique_ptr<QuantileSketch>> durations;  // by row, where they are wanted
  std::unordered_map<std::string, size_t> row_of;          // by side and what rows are grouped by
  // A device's op occurs as often as its commonest kernel. By row and op: most occurrences of any kernel so far.
  std::unordered_map<std::string, uint64_t> commonest;
  while (!rows_.empty()) {
    const auto node = rows_.extract(rows_.begin());
    RowKey& key = node.key();
    OpRecord& record = node.mapped().record;
    const bool on_device = key.side == Side::kDevice;
    size_t at = rows.size();
    std::string group;
    if (on_device || !by_op) {  // by op a host's rows have one record each
      group = (on_device ? 'D' : 'H') + KeyOf(key.group, key.type, key.name);
      at = row_of.try_emplace(group, at).first->second;
    }
    if (on_device) {
      uint64_t& most = commonest[group + '\0' + key.type + '\0' + key.name];
      record.occurrences -= std::min(record.occurrences, std::exchange(most, std::max(most, record.occurrences)));
    }
    if (at == rows.size()) {
      OpsRow& row = rows.emplace_back();
      row.side = key.side;
      if (by_op) {
        row.op_type = std::move(key.type);
        row.op_name = std::move(key.name);
      } else {
        row.key = group.substr(1);
      }
      if (options_.distribution) durations.emplace_back();
    }
    OpsRow& row = rows[at];
    row.total_ps += record.total_ps;
    row.self_ps += record.self_ps;
    row.eager |= record.eager;
    AddCount(record.occurrences, &row.occurrences);
    if (record.durations == nullptr) continue;
    if (durations[at] == nullptr) {
      durations[at] = std::move(record.durations);
    } else {
      durations[at]->Merge(*record.durations);
    }
  }
  for (size_t at = 0; at < durations.size(); ++at) {
    const QuantileSketch* d = durations[at].get();
    if (d == nullptr) continue;
    rows[at].distribution = {d->min(), d->max(), d->Quantile(0.5), d->Quantile(0.9), d->Quantile(0.99)};
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

OpsResult OpTable::Finish(bool include_idle, Diagnostics* diagnostics, unsigned threads) && {
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
  const auto measure = [threads](std::map<Place, BusyUnion>& unions, SideTotals* totals) {
    for (auto& [place, busy] : unions) {
      const BusyTime time = std::move(busy).Measure(threads);
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
  result.rows = Sorted(std::move(result.rows));
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
                     fmt::format("{:.1f}% of the device's op time ({:.3f} µs) belongs to no framework op; its kernels "
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
