#include "trace/gpu_kernel.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/ascii.h"

namespace tfprof::trace {
namespace {

constexpr std::string_view kNvidiaTensorKernels[] = {
    "16816",  "c1688",  "conv1x1", "conv2d_c1_k1", "dgrad_1x1_stride_2x2", "direct_group",       "first_layer_wgrad_kernel",
    "h1688",  "h884",   "hmma",    "i16832",       "i8816",                "s884",               "s1688",
    "xmma_gemm", "xmma_implicit_gemm", "xmma_sparse_conv", "xmma_sparse_gemm", "xmma_warp_specialized_implicit_gemm"};
constexpr std::string_view kAmdTensorKernels[] = {
    "Custom_Cijk_", "gemm_fusion", "mfma",        "wmma",     "_xdl",       "gtcx",
    "aiter",        "FMHA_FWD",    "attn_fwd",    "bwd_kernel_", "moe_gemm", "moe_mxgemm",
    "miopenSp3AsmConvRage", "TileFmhaShape<", "TileFmhaBwdShape<", "TileGemmShape<"};
constexpr std::string_view kTensorOpEnds[] = {
    "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3D", "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput", "/MatMul", "FusedMatMul", "/CudnnRNN",
    "XlaDot", "XlaDotV2"};
constexpr std::string_view kTensorOpParts[] = {"BatchMatMul", "CudnnRNNV", "CudnnRNNForward", "CudnnRNNBackprop",
                                               "dot_general", "conv_general_dilated"};

template <size_t n>
bool ContainsAny(std::string_view text, const std::string_view (&parts)[n]) {
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// `_MI16x16x4`, the matrix instruction in the name of a Tensile kernel: _MI[0-9]+x[0-9]+x[0-9]
bool NamesMatrixInstruction(std::string_view name) {
  for (size_t at = name.find("_MI"); at != std::string_view::npos; at = name.find("_MI", at + 1)) {
    size_t i = at + 3;
    const auto number_then_x = [&] {
      const size_t first = i;
      while (i < name.size() && IsDigit(name[i])) ++i;
      return i > first && i < name.size() && name[i++] == 'x';
    };
    if (number_then_x() && number_then_x() && i < name.size() && IsDigit(name[i])) return true;
  }
  return false;
}

// As absl::SimpleAtoi reads it: blanks around and a plus are fine.
std::optional<uint32_t> ParseUnsigned(std::string_view text) {
  text = StripBlanks(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void ParseDimensions(std::string_view text, std::array<uint32_t, 3>* out) {
  std::array<uint32_t, 3> parsed{};
  for (size_t i = 0; i < 3; ++i) {
    const size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (i == 2)) return;  // not three of them
    const std::optional<uint32_t> number = ParseUnsigned(text.substr(0, comma));
    if (!number) return;
    parsed[i] = *number;
    if (i < 2) text.remove_prefix(comma + 1);
  }
  *out = parsed;
}

// Calls visit(key, value) for each token; one with more or fewer than two parts is none.
template <typename Visit>
void ForEachToken(std::string_view details, Visit visit) {
  while (!details.empty()) {
    const size_t end = std::min(details.find_first_of(" \n"), details.size());
    const std::string_view token = details.substr(0, end);
    details.remove_prefix(std::min(end + 1, details.size()));
    const size_t colon = token.find(':');
    if (colon == std::string_view::npos || token.find(':', colon + 1) != std::string_view::npos) continue;
    visit(token.substr(0, colon), token.substr(colon + 1));
  }
}

void TakeToken(std::string_view key, std::string_view value, KernelLaunch* launch) {
  if (key == "grid") return ParseDimensions(value, &launch->grid);
  if (key == "block") return ParseDimensions(value, &launch->block);
  uint32_t* number = key == "regs"             ? &launch->registers
                     : key == "static_shared"  ? &launch->static_shared_bytes
                     : key == "dynamic_shared" ? &launch->dynamic_shared_bytes
                                               : nullptr;
  if (number != nullptr) *number = ParseUnsigned(value).value_or(*number);
}

}  // namespace

KernelLaunch ParseKernelDetails(std::string_view kernel_details) {
  KernelLaunch launch;
  ForEachToken(kernel_details, [&](std::string_view key, std::string_view value) { TakeToken(key, value, &launch); });
  return launch;
}

std::optional<double> ParseOccupancyPercent(std::string_view kernel_details) {
  std::optional<double> percent;
  ForEachToken(kernel_details, [&](std::string_view key, std::string_view value) {
    if (key != "occ_pct") return;
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc() && end == value.data() + value.size() && std::isfinite(number)) percent = number;
  });
  return percent;
}

std::optional<uint32_t> ParseOldSharedBytes(std::string_view kernel_details) {
  std::optional<uint32_t> bytes;
  ForEachToken(kernel_details, [&](std::string_view key, std::string_view value) {
    if (key == "shm") bytes = ParseUnsigned(value);
  });
  return bytes;
}

GpuVendor ParseGpuVendor(std::string_view text) {
  if (text == "Nvidia") return GpuVendor::kNvidia;
  return text == "AMD" ? GpuVendor::kAmd : GpuVendor::kUnknown;
}

bool UsesTensorCores(GpuVendor vendor, std::string_view kernel_name) {
  if (vendor == GpuVendor::kNvidia) return ContainsAny(kernel_name, kNvidiaTensorKernels);
  return vendor == GpuVendor::kAmd && (ContainsAny(kernel_name, kAmdTensorKernels) || NamesMatrixInstruction(kernel_name));
}

bool IsTensorCoreOp(std::string_view op_name) {
  return ContainsAny(op_name, kTensorOpParts) ||
         std::any_of(std::begin(kTensorOpEnds), std::end(kTensorOpEnds),
                     [&](std::string_view end) { return op_name.ends_with(end); });
}

bool IsTensorCoreEinsum(std::string_view equation) {
  const size_t arrow = equation.find("->");
  if (arrow == std::string_view::npos || equation.find("->", arrow + 2) != std::string_view::npos) return false;
  return std::count(equation.begin(), equation.begin() + static_cast<ptrdiff_t>(arrow), ',') == 1;
}

}  // namespace tfprof::trace
