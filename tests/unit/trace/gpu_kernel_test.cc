// Texts about kernels, of every era of writers (reference: xspace.md §3, op_stats.md §5).
#include "trace/gpu_kernel.h"

#include <catch2/catch.hpp>
#include <string>

namespace tfprof::trace {
namespace {

using Dimensions = std::array<uint32_t, 3>;

TEST_CASE("kernel details, separated by blanks or by newlines") {
  const std::string today = "regs:32 static_shared:1024 dynamic_shared:512 grid:4,5,6 block:128,2,1 occ_pct:87.5";
  std::string older = today;
  for (char& c : older) c = c == ' ' ? '\n' : c;
  for (const std::string& text : {today, older, "  " + today + " \n"}) {
    const KernelLaunch launch = ParseKernelDetails(text);
    CHECK(launch.registers == 32);
    CHECK(launch.static_shared_bytes == 1024);
    CHECK(launch.dynamic_shared_bytes == 512);
    CHECK(launch.grid == Dimensions{4, 5, 6});
    CHECK(launch.block == Dimensions{128, 2, 1});
  }
}

TEST_CASE("TensorFlow 2.2 tells of shared memory in a word that nobody reads") {
  const KernelLaunch launch = ParseKernelDetails("regs:7 shm:4096 grid:1,1,1 block:64,1,1");
  CHECK(launch.registers == 7);
  CHECK(launch.static_shared_bytes == 0);
  CHECK(launch.block == Dimensions{64, 1, 1});
}

TEST_CASE("what is missing, odd or no number keeps its default") {
  CHECK(ParseKernelDetails("") == KernelLaunch());
  CHECK(KernelLaunch().grid == Dimensions{1, 1, 1});
  for (const char* text : {"regs", "regs:", "regs:x", "regs:-1", "regs:4294967296", "regs:1:2", ":7", "grid:1,2",
                           "grid:1,2,3,4", "grid:a,2,3", "grid:1,,3", "block:", "Regs:5", "regs :5"}) {
    INFO(text);
    CHECK(ParseKernelDetails(text) == KernelLaunch());
  }
  CHECK(ParseKernelDetails("regs:4294967295").registers == 4294967295u);
  CHECK(ParseKernelDetails("regs:+5").registers == 5);
  CHECK(ParseKernelDetails("regs:5 regs:x").registers == 5);
  CHECK(ParseKernelDetails("regs:5 regs:6").registers == 6);
}

TEST_CASE("launches are compared by grid, block, registers, shared memory") {
  const KernelLaunch small = ParseKernelDetails("grid:1,1,1 block:9,9,9 regs:9");
  const KernelLaunch large = ParseKernelDetails("grid:1,1,2 block:1,1,1 regs:1");
  CHECK(small < large);
  CHECK(ParseKernelDetails("regs:1 static_shared:9") < ParseKernelDetails("regs:2"));
}

TEST_CASE("vendors are spelled as planes spell them") {
  CHECK(ParseGpuVendor("Nvidia") == GpuVendor::kNvidia);
  CHECK(ParseGpuVendor("AMD") == GpuVendor::kAmd);
  CHECK(ParseGpuVendor("nvidia") == GpuVendor::kUnknown);
  CHECK(ParseGpuVendor("") == GpuVendor::kUnknown);
}

TEST_CASE("kernels that use tensor cores, by vendor") {
  const std::string nvidia = "volta_h884gemm_64x64", amd = "gemm_fusion_dot_3", tensile = "Cijk_Ailk_MI16x16x4x1_SN";
  CHECK(UsesTensorCores(GpuVendor::kNvidia, nvidia));
  CHECK(UsesTensorCores(GpuVendor::kNvidia, "sm80_xmma_gemm_f32"));
  CHECK_FALSE(UsesTensorCores(GpuVendor::kNvidia, amd));
  CHECK_FALSE(UsesTensorCores(GpuVendor::kNvidia, "volta_sgemm_32x32"));
  CHECK(UsesTensorCores(GpuVendor::kAmd, amd));
  CHECK(UsesTensorCores(GpuVendor::kAmd, tensile));
  for (const char* name : {"Cijk_Ailk", "Cijk_MI16x16", "Cijk_MI16x16x", "Cijk_MIx1x1", "Cijk_MI1x16y4", "_MI"}) {
    INFO(name);
    CHECK_FALSE(UsesTensorCores(GpuVendor::kAmd, name));
  }
  CHECK(UsesTensorCores(GpuVendor::kAmd, "a_MIx_MI4x4x4"));  // the second mark counts
  CHECK_FALSE(UsesTensorCores(GpuVendor::kUnknown, nvidia));
  CHECK_FALSE(UsesTensorCores(GpuVendor::kNvidia, ""));
}

TEST_CASE("ops that could use them") {
  for (const char* name : {"model/conv/Conv2D", "Conv2DBackpropInput", "dense/MatMul", "x/FusedMatMul", "BatchMatMulV2",
                           "jit(f)/dot_general", "a/conv_general_dilated_1"}) {
    INFO(name);
    CHECK(IsTensorCoreOp(name));
  }
  for (const char* name : {"", "MatMul", "dense/MatMul_1", "Conv2D_3", "Relu"}) {
    INFO(name);
    CHECK_FALSE(IsTensorCoreOp(name));
  }
}

TEST_CASE("an einsum of two factors could use them") {
  CHECK(IsTensorCoreEinsum("ab,bc->ac"));
  CHECK_FALSE(IsTensorCoreEinsum("ab->ba"));
  CHECK_FALSE(IsTensorCoreEinsum("a,b,c->abc"));
  CHECK_FALSE(IsTensorCoreEinsum("ab,bc"));
  CHECK_FALSE(IsTensorCoreEinsum("ab->a,b"));
  CHECK_FALSE(IsTensorCoreEinsum("a,b->c->d"));
  CHECK_FALSE(IsTensorCoreEinsum(""));
}

}  // namespace
}  // namespace tfprof::trace
