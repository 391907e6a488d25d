// What the texts about a GPU kernel tell: launch parameters and tensor cores.
//
// `kernel_details` is `regs:N static_shared:N dynamic_shared:N grid:x,y,z block:x,y,z occ_pct:F`, separated by blanks or
// newlines (reference: xspace.md §3). Which kernels use tensor cores, and which ops could, XProf tells by their names; the
// lists are its own (xprof/utils/kernel_stats_utils.cc, 2.24).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tfprof::trace {

// In the order in which XProf compares launches.
struct KernelLaunch {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t registers = 0, static_shared_bytes = 0, dynamic_shared_bytes = 0;

  auto operator<=>(const KernelLaunch&) const = default;
};

// Unknown tokens are passed over; what is missing or no number keeps its default.
KernelLaunch ParseKernelDetails(std::string_view kernel_details);

// `occ_pct`, a finite number; none if it isn't told.
std::optional<double> ParseOccupancyPercent(std::string_view kernel_details);
// `shm`: shared memory as TensorFlow 2.2 wrote it. XProf doesn't know it.
std::optional<uint32_t> ParseOldSharedBytes(std::string_view kernel_details);

enum class GpuVendor : uint8_t { kUnknown, kNvidia, kAmd };

// By the device plane's stat `device_vendor`.
GpuVendor ParseGpuVendor(std::string_view text);

bool UsesTensorCores(GpuVendor vendor, std::string_view kernel_name);

// Whether an op of that name, or one with that einsum equation, could use them.
bool IsTensorCoreOp(std::string_view op_name);
bool IsTensorCoreEinsum(std::string_view equation);

}  // namespace tfprof::trace
