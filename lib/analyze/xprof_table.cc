#include "analyze/xprof_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyze/xprof_rows.h"

namespace tfprof::analyze {
namespace {

using trace::XprofEvent;
using trace::XprofKernel;
using trace::XprofPlaneKind;

// XProf keeps this many kernel reports, of each host and of all.
constexpr size_t kKernelReports = 1000;

using KernelTimes = std::map<XprofKernel, uint64_t>;

void KeepLongest(KernelTimes* kernels) {
  if (kernels->size() <= kKernelReports) return;
  std::vector<KernelTimes::const_iterator> order;
  for (auto at = kernels->cbegin(); at != kernels->cend(); ++at) order.push_back(at);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a->second > b->second; });
  for (size_t i = kKernelReports; i < order.size(); ++i) kernels->erase(order[i]);
}

// By op name: time of the kernels that use tensor cores, over that of all.
std::map<std::string, double> TensorCoreShares(const KernelTimes& kernels) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> times;
  for (const auto& [kernel, ns] : kernels) {
    auto& [tensor_ns, all_ns] = times[kernel.op_name];
    if (kernel.uses_tensor_core) tensor_ns += ns;
    all_ns += ns;
  }
  std::map<std::string, double> shares;
  for (const auto& [op_name, time] : times) {
    if (time.first > 0) shares[op_name] = static_cast<double>(time.first) / static_cast<double>(time.second);
  }
  return shares;
}

SideTotals TotalsOf(const XprofOpSet& ops, uint64_t lanes) {
  SideTotals totals;
  totals.lanes = lanes;
  totals.span_ps = ops.total_ps();
  totals.busy_ps = totals.sum_self_ps = ops.op_ps();
  totals.idle_ps = ops.total_ps() - ops.op_ps();
  return totals;
}

}  // namespace

void XprofTable::SetDevice(bool has_gpu, const trace::XprofPeaks& peaks) {
  has_gpu_ = has_gpu;
  peaks_ = peaks;
}

void XprofTable::BeginPlane(XprofPlaneKind kind, const trace::XprofNames& names) {
  kind_ = kind;
  names_ = &names;
  kernel_ns_.clear();
}

void XprofTable::BeginLine(bool only_window, bool in_order) {
  line_has_ops_ = false;
  if (kind_ == XprofPlaneKind::kHost) host_plane_.BeginLine(in_order);
  if (kind_ == XprofPlaneKind::kTpu) tpu_plane_.BeginLine(only_window);
}

void XprofTable::Add(std::span<const XprofEvent> events) {
  if (kind_ == XprofPlaneKind::kHost) return host_plane_.Add(events);
  line_has_ops_ = line_has_ops_ || std::any_of(events.begin(), events.end(),
                                               [](const XprofEvent& e) { return e.op != XprofEvent::kNone; });
  if (kind_ == XprofPlaneKind::kTpu) return tpu_plane_.Add(events, *names_);
  gpu_plane_.Add(events, *names_);
  for (const XprofEvent& event : events) {
    if (event.kernel == XprofEvent::kNone) continue;
    if (event.kernel >= kernel_ns_.size()) kernel_ns_.resize(names_->kernels.size());
    // By way of a double, as in XProf.
    kernel_ns_[event.kernel] += static_cast<uint64_t>(static_cast<double>(event.end_ps - event.begin_ps) / 1000);
  }
}

void XprofTable::EndLine() {
  if (kind_ == XprofPlaneKind::kHost) return host_plane_.EndLine();
  device_lanes_ += line_has_ops_;
  if (kind_ == XprofPlaneKind::kTpu) return tpu_plane_.EndLine(*names_);
  gpu_plane_.EndLine(*names_);
}

void XprofTable::EndPlane() {
  switch (kind_) {
    case XprofPlaneKind::kHost:
      host_lanes_ += host_plane_.lanes();
      host_plane_.Finish(*names_, &host_);
      break;
    case XprofPlaneKind::kGpu:
      gpu_plane_.Finish(&device_);
      break;
    case XprofPlaneKind::kTpu:
      tpu_plane_.Finish(*names_, &device_);
      break;
  }
  for (size_t i = 0; i < kernel_ns_.size(); ++i) kernels_[names_->kernels[i]] += kernel_ns_[i];
  names_ = nullptr;
}

void XprofTable::Merge(XprofTable&& other) {
  device_.Combine(other.device_);
  host_.Combine(other.host_);
  device_lanes_ += other.device_lanes_;
  host_lanes_ += other.host_lanes_;
  has_gpu_ = has_gpu_ || other.has_gpu_;
  KeepLongest(&other.kernels_);
  for (const auto& [kernel, ns] : other.kernels_) kernels_[kernel] += ns;
  // The last host that knows a peak has its say.
  if (other.peaks_.tflops > 0) peaks_.tflops = other.peaks_.tflops;
  if (other.peaks_.hbm_gb > 0) peaks_.hbm_gb = other.peaks_.hbm_gb;
  if (other.peaks_.shared_gb > 0) peaks_.shared_gb = other.peaks_.shared_gb;
}

OpsResult XprofTable::MakeResult(const XprofOpSet& device, Compat compat, bool include_idle, size_t most_rows) const {
  OpsResult result;
  result.compat = compat;
  result.include_idle = include_idle;
  result.has_gpu = has_gpu_;
  result.rows = MakeXprofRows(device, Side::kDevice, include_idle, {peaks_, TensorCoreShares(kernels_)}, most_rows);
  for (OpsRow& row : MakeXprofRows(host_, Side::kHost, include_idle, {peaks_, {}}, most_rows)) {
    result.rows.push_back(std::move(row));
  }
  for (size_t i = 0; i < result.rows.size(); ++i) result.rows[i].rank = static_cast<int>(i) + 1;
  result.device = TotalsOf(device, device_lanes_);
  result.host = TotalsOf(host_, host_lanes_);
  return result;
}

OpsResult XprofTable::Finish(Compat compat, bool include_idle, Diagnostics* diagnostics, bool all_rows) && {
  KeepLongest(&kernels_);
  const XprofOpSet device = RegroupByFrameworkOp(device_);
  OpsResult result = MakeResult(device, compat, include_idle, all_rows ? SIZE_MAX : kXprofRows);
  uint64_t cut = 0;
  for (const XprofOpSet* side : {&device, static_cast<const XprofOpSet*>(&host_)}) {
    if (!all_rows) cut += side->entries().size() - std::min(side->entries().size(), kXprofRows);
  }
  result.total_rows = result.rows.size() + cut;
  if (cut > 0) {
    diagnostics->Add(DiagCode::kRowsLimited,
                     fmt::format("--compat shows at most {} rows a side, as XProf does; the others are in the totals only",
                                 kXprofRows),
                     cut);
  }
  const auto unknown = std::count_if(device.entries().begin(), device.entries().end(), [](const XprofOpSet::Entry& e) {
    return e.metrics.needs_cost_analysis && e.metrics.flops == 0 && e.metrics.bytes == 0;
  });
  if (unknown > 0) {
    diagnostics->Add(DiagCode::kMissingRoofline,
                     "FLOP rate, bandwidth and bound of XLA ops on a GPU are 0 here: XProf's come from XLA's own cost analysis",
                     static_cast<uint64_t>(unknown));
  }
  return result;
}

}  // namespace tfprof::analyze
