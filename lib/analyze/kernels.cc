#include "analyze/kernels.h"

#include <algorithm>
#include <utility>

#include "trace/op_name.h"
#include "trace/owner.h"

namespace tfprof::analyze {
namespace {

using trace::EventStat;
using trace::StreamPlaneKind;

constexpr size_t kMostXprofRows = 1000;
constexpr uint32_t kAnyName = 1;

constexpr std::string_view kTpuPlane = "/device:TPU:", kGpuPlane = "/device:GPU:";

// XProf makes whole nanoseconds of each event, by way of a double.
int128 XprofDuration(int64_t duration_ps) {
  const double ns = static_cast<double>(static_cast<uint64_t>(duration_ps)) / 1000.0;
  return static_cast<int128>(static_cast<uint64_t>(ns)) * 1000;
}

// `#` can't end a number, so that parts don't run into each other whatever they hold.
void AppendPart(std::string_view part, std::string* texts) {
  texts->append(std::to_string(part.size())).append("#").append(part);
}

// An op at the root of the model (`MatMul`) is one as well as `dense/MatMul`, and so is one that goes by another name.
bool IsEligible(const trace::Op& op) {
  return op.attributed && (trace::IsTensorCoreOp("/" + op.name) || trace::IsTensorCoreOp("/" + op.type));
}

}  // namespace

void KernelTimes::Add(const KernelTimes& other) {
  if (other.occurrences == 0) return;
  min_ps = occurrences == 0 ? other.min_ps : std::min(min_ps, other.min_ps);
  max_ps = occurrences == 0 ? other.max_ps : std::max(max_ps, other.max_ps);
  occurrences += other.occurrences;
  total_ps += other.total_ps;
}

KernelStats::KernelStats(Compat compat) : compat_(compat) {}
KernelStats::KernelStats(KernelStats&&) noexcept = default;
KernelStats& KernelStats::operator=(KernelStats&&) noexcept = default;
KernelStats::~KernelStats() = default;

std::vector<EventStat> KernelStats::Stats(const trace::StreamPlane&) const {
  return {EventStat::kKernelDetails, EventStat::kTfOp,        EventStat::kHloOp,  EventStat::kProgramId,
          EventStat::kEquation,      EventStat::kHloCategory, EventStat::kLevel0, EventStat::kAnnotation};
}

void KernelStats::BeginFile(const trace::StreamFile& file) {
  tells_ops_ = file.tells_ops;
  has_tpus_ = std::any_of(file.planes.begin(), file.planes.end(),
                          [](const trace::StreamPlane& plane) { return plane.name.starts_with(kTpuPlane); });
}

bool KernelStats::BeginPlane(const trace::StreamPlane& plane) {
  const bool is_gpu = plane.kind == StreamPlaneKind::kGpu || plane.name.starts_with(kGpuPlane);
  const trace::StatValue vendor = plane.stat("device_vendor");
  vendor_ = trace::ParseGpuVendor(vendor.text);
  idle_gpu_ = is_gpu;
  if (is_gpu) {
    ++gpus_;
    if (vendor_ == trace::GpuVendor::kUnknown) ++without_vendor_;
  }
  if (compat_ != Compat::kNone) return has_tpus_ ? plane.name.starts_with(kTpuPlane) : is_gpu;
  if (!vendor) vendor_ = trace::GpuVendor::kNvidia;
  return is_gpu;
}

uint32_t KernelStats::Classify(std::string_view) { return kAnyName; }

bool KernelStats::BeginLine(const trace::StreamLine& line) { return !line.derived; }

void KernelStats::Add(const trace::StreamEvent& event, uint32_t) {
  if (std::exchange(idle_gpu_, false)) ++gpus_at_work_;
  if (compat_ != Compat::kNone && event.duration_ps == 0) return;
  Entry* entry = Lookup(event);
  if (entry == nullptr) return;
  if (compat_ != Compat::kNone) {
    const int128 duration_ps = XprofDuration(event.duration_ps);
    return entry->times.Add({1, duration_ps, duration_ps, duration_ps});
  }
  // Of an aggregate only the sum is known.
  const uint64_t occurrences = std::max<uint64_t>(event.occurrences, 1);
  const int128 total_ps = std::max<int64_t>(event.duration_ps, 0);
  const int128 each_ps = total_ps / static_cast<int128>(occurrences);
  entry->times.Add({occurrences, total_ps, each_ps, each_ps});
}

void KernelStats::EndPlane() { known_.clear(); }

void KernelStats::EndFile() { KeepLongest(); }

KernelStats::Entry* KernelStats::Lookup(const trace::StreamEvent& event) {
  const trace::EventStats& stats = *event.stats;
  const std::string_view details = stats.Last(EventStat::kKernelDetails).text;
  if (details.empty()) return nullptr;
  texts_.clear();
  texts_.append(std::to_string(event.name_id)).append("#");
  AppendPart(details, &texts_);
  for (const EventStat stat : {EventStat::kTfOp, EventStat::kHloOp, EventStat::kEquation, EventStat::kHloCategory,
                               EventStat::kLevel0, EventStat::kAnnotation}) {
    AppendPart(stats.Last(stat).text, &texts_);
  }
  const trace::StatValue program = stats.Last(EventStat::kProgramId);
  if (program) texts_.append(std::to_string(program.int_or_uint()));
  if (tells_ops_) texts_.append(stats.TellOwner());
  const auto known = known_.find(texts_);
  if (known != known_.end()) return known->second;

  Key key = compat_ != Compat::kNone ? XprofKey(event, details) : StrictKey(event, details);
  const auto [at, is_new] = entries_.try_emplace(std::move(key));
  if (is_new) {
    at->second.occupancy_percent = trace::ParseOccupancyPercent(details);
    if (compat_ != Compat::kNone) {  // a 32-bit float there, 0 where nothing is told
      at->second.occupancy_percent = static_cast<double>(static_cast<float>(at->second.occupancy_percent.value_or(0)));
    }
  }
  return known_[texts_] = &at->second;
}

KernelStats::Key KernelStats::XprofKey(const trace::StreamEvent& event, std::string_view details) const {
  Key key{std::string(event.name), trace::ParseKernelDetails(details)};
  key.uses_tensor_cores = trace::UsesTensorCores(vendor_, event.name);
  const std::string_view tf_op = event.stats->Last(EventStat::kTfOp).text;
  if (!tf_op.empty()) {
    key.op = trace::ParseTfOpFullname(tf_op).name;
    key.eligible = trace::IsTensorCoreEinsum(event.stats->Last(EventStat::kEquation).text) ||
                   trace::IsTensorCoreOp(key.op) || key.uses_tensor_cores;
  }
  const trace::HloOrigin hlo = event.stats->Hlo();
  if (hlo.found) {
    std::string name;
    if (!hlo.op_name.empty() || !hlo.op_type.empty()) {
      name = std::string(hlo.op_name) + ":" + std::string(hlo.op_type);
    }
    key.op = trace::ParseTfOpFullname(name).name;
    key.eligible = key.eligible || trace::IsTensorCoreOp(key.op);
  }
  return key;
}

KernelStats::Key KernelStats::StrictKey(const trace::StreamEvent& event, std::string_view details) const {
  const trace::EventStats& stats = *event.stats;
  const trace::HloOrigin hlo = stats.Hlo();
  std::string framework_name;
  if (hlo.found && !(hlo.op_name.empty() && hlo.op_type.empty())) {
    framework_name = std::string(hlo.op_name) + ":" + std::string(hlo.op_type);
  }
  std::string_view annotation = stats.Last(EventStat::kLevel0).text;
  if (annotation.empty()) annotation = trace::OutermostAnnotation(stats.Last(EventStat::kAnnotation).text);
  const std::string_view category = stats.Last(EventStat::kHloCategory).text;
  const trace::Op owner = trace::ResolveOwner({.hlo_framework_name = framework_name,
                                               .tf_op = stats.Last(EventStat::kTfOp).text,
                                               .annotation = annotation,
                                               .hlo_op = hlo.instruction,
                                               .hlo_type = category.empty() ? hlo.opcode : category,
                                               .kernel = event.name});
  Key key{std::string(event.name), trace::ParseKernelDetails(details)};
  if (const std::optional<uint32_t> shared = trace::ParseOldSharedBytes(details))
    key.launch.static_shared_bytes = *shared;
  key.uses_tensor_cores = trace::UsesTensorCores(vendor_, event.name);
  key.eligible =
      key.uses_tensor_cores || IsEligible(owner) || trace::IsTensorCoreEinsum(stats.Last(EventStat::kEquation).text);
  if (owner.attributed) key.op = owner.name;
  if (tells_ops_) {
    key.op = stats.TellOwner();
    key.eligible = key.eligible || trace::IsTensorCoreOp("/" + key.op);
  }
  return key;
}

// XProf keeps the rows with the most time of each host.
void KernelStats::KeepLongest() {
  if (compat_ == Compat::kNone || entries_.size() <= kMostXprofRows) return;
  std::vector<Entries::iterator> order;
  for (auto at = entries_.begin(); at != entries_.end(); ++at) order.push_back(at);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a->second.times.total_ps > b->second.times.total_ps; });
  for (size_t i = kMostXprofRows; i < order.size(); ++i) entries_.erase(order[i]);
}

void KernelStats::Merge(KernelStats&& other) {
  for (auto& [key, entry] : other.entries_) {
    const auto [at, is_new] = entries_.try_emplace(key);
    if (is_new) at->second.occupancy_percent = entry.occupancy_percent;
    at->second.times.Add(entry.times);
  }
  gpus_ += other.gpus_;
  gpus_at_work_ += other.gpus_at_work_;
  without_vendor_ += other.without_vendor_;
}

std::unique_ptr<trace::EventSink> KernelStats::Fork() const {
  auto fork = std::make_unique<KernelStats>(compat_);
  fork->has_tpus_ = has_tpus_;
  fork->tells_ops_ = tells_ops_;
  fork->vendor_ = vendor_;
  fork->idle_gpu_ = idle_gpu_;
  return fork;
}

void KernelStats::Join(trace::EventSink&& sink) {
  KernelStats& fork = static_cast<KernelStats&>(sink);
  if (idle_gpu_ && !fork.idle_gpu_) {
    idle_gpu_ = false;
    ++gpus_at_work_;
  }
  fork.gpus_at_work_ = 0;  // the same GPU
  Merge(std::move(fork));
}

KernelsResult KernelStats::Finish() && {
  KeepLongest();
  KernelsResult result;
  result.compat = compat_;
  result.gpus = gpus_;
  result.gpus_at_work = gpus_at_work_;
  result.without_vendor = without_vendor_;
  for (const auto& [key, entry] : entries_) {
    KernelRow row;
    row.kernel = key.kernel;
    row.op = key.op;
    row.launch = key.launch;
    row.occupancy_percent = entry.occupancy_percent;
    row.eligible = key.eligible;
    row.uses_tensor_cores = key.uses_tensor_cores;
    row.times = entry.times;
    if (row.uses_tensor_cores) row.tensor_core_ps = row.times.total_ps;
    result.all.Add(row.times);
    result.tensor_core_ps += row.tensor_core_ps;
    if (row.op.empty()) result.unclaimed_ps += row.times.total_ps;
    result.rows.push_back(std::move(row));
  }
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.times.total_ps > b.times.total_ps; });
  for (size_t i = 0; i < result.rows.size(); ++i) {
    KernelRow& row = result.rows[i];
    row.rank = static_cast<int>(i) + 1;
    if (result.all.total_ps > 0) {
      row.total_fraction = static_cast<double>(row.times.total_ps) / static_cast<double>(result.all.total_ps);
    }
  }
  result.total_rows = result.rows.size();
  return result;
}

}  // namespace tfprof::analyze
