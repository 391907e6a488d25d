// Names and capabilities of device planes as XProf reads them (reference: op_stats.md §5, "Peaks").
#include <algorithm>
#include <string_view>

#include "formats/xplane/xprof_planes.h"
#include "base/ascii.h"
#include "formats/xplane/xprof_stats.h"
#include "trace/gpu_kernel.h"

namespace tfprof::xplane {
namespace {

constexpr std::string_view kTpu = "/device:TPU:";

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Floating point operations of one core in one cycle, the most over all data types, from this compute capability on.
struct NvidiaRate {
  uint64_t major, minor;
  double flops;
};
constexpr NvidiaRate kNvidiaRates[] = {{10, 0, 8192}, {9, 0, 4096}, {8, 9, 1024}, {8, 6, 1024}, {8, 0, 2048}, {7, 5, 1024},
                                       {7, 0, 1024},  {6, 1, 256},  {6, 0, 256},  {5, 0, 256},  {3, 0, 384},  {2, 0, 64}};

// Per core and cycle.
struct CoreRates {
  double flops = 0, shared_bytes = 0;
};

CoreRates RatesOf(trace::GpuVendor vendor, uint64_t major, uint64_t minor) {
  if (vendor == trace::GpuVendor::kNvidia) {
    const auto rate = std::find_if(std::begin(kNvidiaRates), std::end(kNvidiaRates), [&](const NvidiaRate& r) {
      return r.major < major || (r.major == major && r.minor <= minor);
    });
    return {rate == std::end(kNvidiaRates) ? 0 : rate->flops, major <= 2 ? 64.0 : 256.0};
  }
  if (vendor == trace::GpuVendor::kAmd && major == 9 && minor == 4) return {2048, 128};
  if (vendor == trace::GpuVendor::kAmd && major == 9 && minor == 5) return {4096, 256};
  return {};
}

double GetDouble(const Plane& plane, std::string_view name) {
  const std::optional<Stat> stat = GetPlaneStat(plane, name);
  return stat ? stat->double_only() : 0;
}

}  // namespace

bool IsTpuCoreName(std::string_view name) {
  return name.starts_with(kTpu) && std::all_of(name.begin() + kTpu.size(), name.end(), IsDigit);
}

// /device:TPU:[0-9]+ SparseCore(?: [a-zA-Z]+)? ([0-9]+)
bool IsSparseCoreName(std::string_view name) {
  if (!name.starts_with(kTpu)) return false;
  name.remove_prefix(kTpu.size());
  const auto take = [&](auto&& is) {
    const auto end = std::find_if_not(name.begin(), name.end(), is);
    const bool any = end != name.begin();
    name.remove_prefix(static_cast<size_t>(end - name.begin()));
    return any;
  };
  constexpr std::string_view kWord = " SparseCore ";
  if (!take(IsDigit) || !name.starts_with(kWord)) return false;
  name.remove_prefix(kWord.size());
  if (take(IsLetter)) {
    if (!name.starts_with(' ')) return false;
    name.remove_prefix(1);
  }
  return take(IsDigit) && name.empty();
}

trace::XprofPeaks GpuPeaks(const Plane& plane) {
  const auto number = [&](std::string_view name) {
    const std::optional<Stat> stat = LastPlaneStat(plane, name);
    return stat ? stat->int_or_uint() : uint64_t{0};
  };
  const std::optional<Stat> vendor_text = LastPlaneStat(plane, "device_vendor");
  const trace::GpuVendor vendor = trace::ParseGpuVendor(vendor_text ? plane.Text(*vendor_text) : std::string_view{});
  const CoreRates rates = RatesOf(vendor, number("compute_cap_major"), number("compute_cap_minor"));
  const double cycles_per_us = static_cast<double>(number("core_count")) * static_cast<double>(number("clock_rate")) / 1e3;
  const double told = GetDouble(plane, "peak_teraflops_per_second");
  trace::XprofPeaks peaks;
  peaks.tflops = told > 0 ? told : cycles_per_us * rates.flops / 1e6;
  peaks.hbm_gb = static_cast<double>(number("memory_bandwidth")) / 1e9;
  peaks.shared_gb = cycles_per_us * rates.shared_bytes / 1e3;
  return peaks;
}

trace::XprofPeaks TpuPeaks(const Plane& plane) {
  return {.tflops = GetDouble(plane, "peak_teraflops_per_second"),
          .hbm_gb = GetDouble(plane, "peak_hbm_bw_gigabytes_per_second")};
}

}  // namespace tfprof::xplane
