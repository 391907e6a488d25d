#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>
#include <utility>

#include "analyze/steps.h"

namespace tfprof::analyze {
namespace {

constexpr size_t kXprofKeepsAll = 5;  // of more steps XProf drops the first and the last

bool HasDeviceWork(const StepParts& parts) {
  return parts.has(StepActivity::kCompute16) || parts.has(StepActivity::kCompute32);
}

// Time in which some device did something: computed, copied, or met others.
uint64_t DeviceBusyPs(StepActivities* activities, TimeSpan step, bool host_copies) {
  using A = StepActivity;
  return host_copies ? activities->AnyOf({A::kDeviceToDevice, A::kDeviceToHost, A::kCompute32, A::kCompute16,
                                          A::kCollectives, A::kHostToDevice},
                                         step)
                     : activities->AnyOf({A::kDeviceToDevice, A::kDeviceToHost, A::kCompute32, A::kCompute16,
                                          A::kCollectives},
                                         step);
}

// By how much two lists of steps overlap when the second is moved by `offset` places.
uint64_t Overlap(const std::vector<StepRow>& a, const std::vector<StepRow>& b, int64_t offset) {
  uint64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t j = static_cast<int64_t>(i) + offset;
    if (j < 0 || j >= static_cast<int64_t>(b.size())) continue;
    const StepRow& x = a[i];
    const StepRow& y = b[static_cast<size_t>(j)];
    const int64_t from = std::max(x.start_ps, y.start_ps);
    const int64_t to =
        std::min(x.start_ps + static_cast<int64_t>(x.total_ps), y.start_ps + static_cast<int64_t>(y.total_ps));
    if (to > from) sum += static_cast<uint64_t>(to - from);
  }
  return sum;
}

// The offset of the largest overlap; of several the first of 0, 1, …, -1, -2, …
int64_t BestOffset(const std::vector<StepRow>& chief, const std::vector<StepRow>& other) {
  int64_t best = 0;
  uint64_t most = 0;
  const auto consider = [&](int64_t offset) {
    const uint64_t overlap = Overlap(chief, other, offset);
    if (overlap > most) most = overlap, best = offset;
  };
  for (int64_t offset = 0; offset < static_cast<int64_t>(other.size()); ++offset) consider(offset);
  for (int64_t offset = -1; offset > -static_cast<int64_t>(chief.size()); --offset) consider(offset);
  return best;
}

uint64_t SpanOf(const std::vector<StepRow>& rows) {
  return static_cast<uint64_t>(rows.back().start_ps - rows.front().start_ps) + rows.back().total_ps;
}

// Where each file is a step (TF1), files come in the order of their names: 100, 20, 3.
void SortFilesOfOneStep(std::vector<StepRow>* rows) {
  std::set<uint32_t> files;
  for (const StepRow& row : *rows) {
    if (!files.insert(row.file).second) return;
  }
  std::stable_sort(rows->begin(), rows->end(), [](const StepRow& a, const StepRow& b) {
    return a.host != b.host ? a.host < b.host : a.group < b.group;
  });
}

// The rows of several hosts as XProf joins them: those of the first, of the steps that all have; and how long each of
// these took the slowest host.
void JoinHosts(std::vector<std::vector<StepRow>> hosts, StepsResult* result) {
  std::erase_if(hosts, [](const auto& rows) { return rows.empty(); });
  if (hosts.empty()) return;
  size_t chief = 0;
  for (size_t h = 1; h < hosts.size(); ++h) {
    if (SpanOf(hosts[h]) < SpanOf(hosts[chief])) chief = h;
  }
  std::vector<int64_t> offsets;
  int64_t from = 0, to = static_cast<int64_t>(hosts[chief].size());
  for (const auto& rows : hosts) {
    offsets.push_back(&rows == &hosts[chief] ? 0 : BestOffset(hosts[chief], rows));
    from = std::max(from, -offsets.back());
    to = std::min(to, static_cast<int64_t>(rows.size()) - offsets.back());
  }
  for (int64_t i = from; i < to; ++i) {
    uint64_t slowest = 0;
    for (size_t h = 0; h < hosts.size(); ++h) {
      slowest = std::max(slowest, hosts[h][static_cast<size_t>(i + offsets[h])].total_ps);
    }
    result->rows.push_back(std::move(hosts[0][static_cast<size_t>(i + offsets[0])]));
    result->slowest_ps.push_back(slowest);
  }
}

}  // namespace

void Steps::Group::AddDeviceWork(TimeSpan time) {
  device_work.begin_ps = works ? std::min(device_work.begin_ps, time.begin_ps) : time.begin_ps;
  device_work.end_ps = std::max(device_work.end_ps, time.end_ps);
  works = true;
}

void Steps::Group::Append(Group&& other) {
  device_marks.insert(device_marks.end(), other.device_marks.begin(), other.device_marks.end());
  host_marks.insert(host_marks.end(), other.host_marks.begin(), other.host_marks.end());
  spans.insert(spans.end(), other.spans.begin(), other.spans.end());
  activities.Merge(other.activities);
  if (other.works) AddDeviceWork(other.device_work);
  if (!other.name.empty()) name = std::move(other.name);
  user_step = user_step || other.user_step;
  marked = marked || other.marked;
  on_device = on_device || other.on_device;
}

// XProf: the longest marker of the devices, or the host's where it holds that one.
TimeSpan Steps::LongestOf(const Group& group) {
  const auto longest = [](const std::vector<TimeSpan>& marks) {
    TimeSpan best;
    for (const TimeSpan& mark : marks) {
      if (mark.length_ps() > best.length_ps()) best = mark;
    }
    return best;
  };
  const TimeSpan device = longest(group.device_marks), host = longest(group.host_marks);
  if (device.length_ps() == 0) return host;
  return host.begin_ps <= device.begin_ps && device.end_ps <= host.end_ps ? host : device;
}

TimeSpan Steps::HullOf(std::initializer_list<const std::vector<TimeSpan>*> lists) {
  TimeSpan hull{UINT64_MAX, 0};
  for (const std::vector<TimeSpan>* marks : lists) {
    for (const TimeSpan& mark : *marks) {
      hull.begin_ps = std::min(hull.begin_ps, mark.begin_ps);
      hull.end_ps = std::max(hull.end_ps, mark.end_ps);
    }
  }
  return hull.begin_ps < hull.end_ps ? hull : TimeSpan{};
}

StepRow Steps::MakeRow(int64_t number, Group* group, TimeSpan time) const {
  StepRow row;
  row.name = group->name.empty() ? std::to_string(number) : group->name;
  row.host = host_;
  row.file = file_.file;
  row.group = number;
  row.start_ps = static_cast<int64_t>(strict_ ? time.begin_ps ^ (uint64_t{1} << 63) : time.begin_ps);
  row.total_ps = time.length_ps();
  row.parts = strict_ ? group->activities.Parts(time) : Sweep(group->spans, time);
  return row;
}

void Steps::MakeCompatRows() {
  for (auto& [number, group] : groups_) {
    const StepRow row = MakeRow(number, &group, LongestOf(group));
    file_.precision.bits16_ps += row.parts.whole_ps[static_cast<size_t>(StepActivity::kCompute16)];
    file_.precision.bits32_ps += row.parts.whole_ps[static_cast<size_t>(StepActivity::kCompute32)];
    const bool whole =
        file_.has_gpu || file_.has_tpu ? HasDeviceWork(row.parts) : row.parts.has(StepActivity::kHostCompute);
    if (!whole || row.total_ps == 0) continue;
    file_.rows.push_back(row);
  }
  if (!file_.rows.empty()) file_.kind = StepKind::kStep;
  if (file_.rows.size() > kXprofKeepsAll && !file_.has_tpu) {
    file_.rows.erase(file_.rows.begin());
    file_.rows.pop_back();
    file_.left_out = 2;
  }
}

void Steps::MakeStrictRows() {
  bool user_steps = false, on_device = false;
  for (const auto& [number, group] : groups_) {
    user_steps = user_steps || (group.user_step && !group.host_marks.empty());
    on_device = on_device || group.on_device;
  }
  for (auto& [number, group] : groups_) {
    const bool tpu_step = file_.has_tpu && !group.device_marks.empty();
    if (user_steps && !group.user_step && !tpu_step) continue;
    const TimeSpan time = HullOf({&group.device_marks, &group.host_marks});
    if (time.length_ps() == 0) continue;
    // Without work on a device nothing was launched on one.
    if (!on_device) group.activities.Relabel(StepActivity::kKernelLaunch, StepActivity::kHostCompute);
    group.activities.Relabel(StepActivity::kHostToHost, StepActivity::kHostCompute);
    StepRow row = MakeRow(number, &group, time);
    TimeSpan host = HullOf({&group.host_marks});
    if (host.length_ps() == 0) host = time;
    row.host_from_ps = static_cast<int64_t>(host.begin_ps ^ (uint64_t{1} << 63));
    row.host_to_ps = static_cast<int64_t>(host.end_ps ^ (uint64_t{1} << 63));
    if (on_device) row.device_idle_ps = row.total_ps - DeviceBusyPs(&group.activities, time, file_.has_gpu);
    if (tpu_step) user_steps = true;
    file_.rows.push_back(std::move(row));
  }
  std::stable_sort(file_.rows.begin(), file_.rows.end(),
                   [](const StepRow& a, const StepRow& b) { return a.start_ps < b.start_ps; });
  if (file_.rows.empty()) return;
  file_.kind = user_steps ? StepKind::kStep : StepKind::kCall;
  if (file_.rows.size() > 1) MarkCutRows();
  std::vector<TimeSpan> steps;
  for (const StepRow& row : file_.rows) {
    const uint64_t begin_ps = static_cast<uint64_t>(row.start_ps) ^ (uint64_t{1} << 63);
    steps.push_back({begin_ps, begin_ps + row.total_ps});
  }
  file_.coverage = std::move(coverage_).Measure(std::move(steps));
  for (StepRow& row : file_.rows) row.start_ps = trace::FromTraceStart(row.start_ps, trace_start_ps_);
}

// The profilers write a marker of the host's only when they saw both its begin and its end, so at that edge the step is
// whole. Where a device's work makes the edge, there may have been more of it.
void Steps::MarkCutRows() {
  const auto edge = [this](const StepRow& row, bool first) {
    const Group& group = groups_.at(row.group);
    const TimeSpan hull = HullOf({&group.device_marks, &group.host_marks});
    return std::none_of(group.host_marks.begin(), group.host_marks.end(), [&](const TimeSpan& mark) {
      return first ? mark.begin_ps == hull.begin_ps : mark.end_ps == hull.end_ps;
    });
  };
  StepRow &first = file_.rows.front(), &last = file_.rows.back();
  first.perhaps_incomplete = edge(first, true);
  last.perhaps_incomplete = edge(last, false);
}

void Steps::EndFile() {
  strict_ ? MakeStrictRows() : MakeCompatRows();
  groups_.clear();
  hosts_.push_back(std::move(file_));
}

std::unique_ptr<trace::EventSink> Steps::Fork() const {
  auto fork = std::make_unique<Steps>(compat_);
  fork->file_.has_gpu = file_.has_gpu;
  fork->file_.has_tpu = file_.has_tpu;
  fork->already_grouped_ = already_grouped_;
  fork->names_steps_ = names_steps_;
  fork->tells_ops_ = tells_ops_;
  fork->plane_ = plane_;
  fork->has_stages_ = has_stages_;
  fork->launches_ = launches_;
  fork->made_up_ = made_up_;
  fork->has_hlo_ops_ = has_hlo_ops_;
  return fork;
}

void Steps::Join(trace::EventSink&& sink) {
  Steps& fork = static_cast<Steps&>(sink);
  for (auto& [number, group] : fork.groups_) groups_[number].Append(std::move(group));
  for (auto& [number, group] : fork.plane_groups_) plane_groups_[number].Append(std::move(group));
  device_events_.insert(device_events_.end(), fork.device_events_.begin(), fork.device_events_.end());
  device_spans_.insert(device_spans_.end(), fork.device_spans_.begin(), fork.device_spans_.end());
  std::move(fork.doubtful_.begin(), fork.doubtful_.end(), std::back_inserter(doubtful_));
  producers_.merge(std::move(fork.producers_));
  coverage_.Merge(fork.coverage_);
  file_.precision.Add(fork.file_.precision);
  file_.enqueue_ps += fork.file_.enqueue_ps;
  file_.between_enqueues_ps += fork.file_.between_enqueues_ps;
  plane_works_ = plane_works_ || fork.plane_works_;
}

void Steps::Merge(Steps&& other) { std::move(other.hosts_.begin(), other.hosts_.end(), std::back_inserter(hosts_)); }

StepsResult Steps::Finish() && {
  StepsResult result;
  result.compat = compat_;
  std::stable_sort(hosts_.begin(), hosts_.end(),
                   [](const HostSteps& a, const HostSteps& b) { return a.file < b.file; });
  uint64_t enqueue = 0, between = 0;
  for (const HostSteps& host : hosts_) {
    result.has_gpu = result.has_gpu || host.has_gpu;
    result.has_tpu = result.has_tpu || host.has_tpu;
    if (host.kind == StepKind::kStep || result.kind == StepKind::kNone) result.kind = host.kind;
    if (result.devices == 0 && host.devices > 0) result.device_type = host.device_type;
    result.devices += host.devices;
    result.left_out += host.left_out;
    result.precision.Add(host.precision);
    result.coverage.Add(host.coverage);
    enqueue += host.enqueue_ps;
    between += host.between_enqueues_ps;
  }
  if (between > 0) result.enqueue_ratio = static_cast<double>(enqueue) / static_cast<double>(between);
  if (strict_) {
    for (HostSteps& host : hosts_) {
      if (host.kind != result.kind) continue;  // calls don't stand beside steps
      std::move(host.rows.begin(), host.rows.end(), std::back_inserter(result.rows));
    }
    SortFilesOfOneStep(&result.rows);
    for (const StepRow& row : result.rows) result.slowest_ps.push_back(row.total_ps);
    return result;
  }
  std::vector<std::vector<StepRow>> rows;
  for (HostSteps& host : hosts_) rows.push_back(std::move(host.rows));
  JoinHosts(std::move(rows), &result);
  return result;
}

}  // namespace tfprof::analyze
