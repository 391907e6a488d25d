#include "analyze/kernels.h"

#include <catch2/catch.hpp>
#include <string>

#include "analyze/kernels_select.h"
#include "support/stream_space.h"
#include "support/xspace_builder.h"

namespace tfprof::analyze {
namespace {

using namespace tfprof::testing;

enum : int64_t { kDetails = 1, kTfOp, kLevel0, kVendor, kEquation };

const std::string kLaunch = "regs:32 static_shared:16 dynamic_shared:48 grid:2,3,4 block:128,1,1 occ_pct:33.3";

std::string Stats(const std::string& details = kLaunch) { return TextStat(kDetails, details); }

// A GPU whose kernels 1, 2, 3 are `k`, `volta_h884gemm`, `m`.
std::string Gpu(const std::string& events, const std::string& vendor = "Nvidia", int64_t line = 7) {
  const std::string plane_stat = vendor.empty() ? "" : Bytes(6, Int(1, kVendor) + Bytes(5, vendor));
  return EncodePlane("/device:GPU:0", EncodeLine(line, "s", events) + EventName(1, "k") +
                                          EventName(2, "volta_h884gemm") + EventName(3, "m") +
                                          StatName(kDetails, "kernel_details") + StatName(kTfOp, "tf_op") +
                                          StatName(kLevel0, "level 0") + StatName(kVendor, "device_vendor") +
                                          StatName(kEquation, "equation") + plane_stat);
}

KernelsResult Kernels(const std::string& space, Compat compat = Compat::kNone) {
  KernelStats stats(compat);
  StreamSpace(space, &stats);
  return std::move(stats).Finish();
}

TEST_CASE("a kernel's times are exact, and one without a length counts") {
  const std::string space = Gpu(EncodeEvent(1, 0, 1'999, Stats()) + EncodeEvent(1, 5'000, 0, Stats()) +
                                EncodeEvent(1, 9'000, 2'500, Stats()));
  const KernelsResult strict = Kernels(space);
  REQUIRE(strict.rows.size() == 1);
  CHECK(strict.rows[0].times.occurrences == 3);
  CHECK(strict.rows[0].times.total_ps == 4'499);
  CHECK(strict.rows[0].times.min_ps == 0);
  CHECK(strict.rows[0].times.max_ps == 2'500);
  CHECK(strict.rows[0].launch.grid == std::array<uint32_t, 3>{2, 3, 4});
  CHECK(strict.rows[0].occupancy_percent == 33.3);

  const KernelsResult xprof = Kernels(space, Compat::kXprof);
  REQUIRE(xprof.rows.size() == 1);
  CHECK(xprof.rows[0].times.occurrences == 2);
  CHECK(xprof.rows[0].times.total_ps == 3'000);  // whole ns of each
  CHECK(xprof.rows[0].occupancy_percent == static_cast<double>(33.3F));
}

TEST_CASE("an aggregate is as many launches as it says, alike but for their sum") {
  // num_occurrences takes the place of the offset.
  const std::string space = Gpu(Bytes(4, Int(1, 1) + Int(5, 10) + Int(3, 100) + Stats()));
  const KernelsResult strict = Kernels(space);
  REQUIRE(strict.rows.size() == 1);
  CHECK(strict.rows[0].times.occurrences == 10);
  CHECK(strict.rows[0].times.total_ps == 100);
  CHECK(strict.rows[0].times.min_ps == 10);
  CHECK(strict.rows[0].times.max_ps == 10);
}

TEST_CASE("events without kernel_details and views of other lines are no kernels") {
  CHECK(Kernels(Gpu(EncodeEvent(1, 0, 10))).rows.empty());
  CHECK(Kernels(Gpu(EncodeEvent(1, 0, 10, Stats()), "Nvidia", 0xDEADBEEF)).rows.empty());
}

TEST_CASE("the outermost annotation owns a kernel of old files; XProf knows no op there") {
  const std::string space = Gpu(EncodeEvent(1, 0, 10'000, Stats() + TextStat(kLevel0, "model/conv/Conv2D:Conv2D")));
  const KernelsResult strict = Kernels(space);
  CHECK(strict.rows.at(0).op == "model/conv/Conv2D");
  CHECK(strict.rows.at(0).eligible);
  CHECK(strict.unclaimed_ps == 0);
  CHECK(Kernels(space, Compat::kXprof).rows.at(0).op.empty());
}

TEST_CASE("shared memory as TensorFlow 2.2 wrote it") {
  const std::string space = Gpu(EncodeEvent(1, 0, 10'000, Stats("regs:8 shm:512 grid:1,1,1 block:32,1,1")));
  CHECK(Kernels(space).rows.at(0).launch.static_shared_bytes == 512);
  CHECK_FALSE(Kernels(space).rows.at(0).occupancy_percent.has_value());
  CHECK(Kernels(space, Compat::kXprof).rows.at(0).launch.static_shared_bytes == 0);
}

TEST_CASE("tensor cores go by the vendor's list, and who uses them is eligible") {
  const std::string space = Gpu(EncodeEvent(2, 0, 10'000, Stats()), "");
  const KernelsResult strict = Kernels(space);
  CHECK(strict.without_vendor == 1);
  CHECK(strict.rows.at(0).uses_tensor_cores);
  CHECK(strict.rows.at(0).eligible);
  CHECK(strict.tensor_core_ps == 10'000);
  CHECK_FALSE(Kernels(space, Compat::kXprof).rows.at(0).uses_tensor_cores);
  CHECK_FALSE(Kernels(Gpu(EncodeEvent(2, 0, 10'000, Stats()), "AMD")).rows.at(0).uses_tensor_cores);
}

TEST_CASE("a MatMul at the root is eligible, which XProf's list of endings misses") {
  const std::string space = Gpu(EncodeEvent(1, 0, 10'000, Stats() + TextStat(kTfOp, "MatMul:MatMul")));
  CHECK(Kernels(space).rows.at(0).eligible);
  CHECK_FALSE(Kernels(space, Compat::kXprof).rows.at(0).eligible);
}

TEST_CASE("an einsum of two inputs is eligible") {
  const auto einsum = [](const std::string& equation) {
    return Gpu(EncodeEvent(1, 0, 10'000, Stats() + TextStat(kTfOp, "e:Einsum") + TextStat(kEquation, equation)));
  };
  CHECK(Kernels(einsum("ab,bc->ac")).rows.at(0).eligible);
  CHECK_FALSE(Kernels(einsum("ab->ba")).rows.at(0).eligible);
}

// k twice for a, m once for a and once for nobody.
KernelsResult Several() {
  const std::string a = Stats() + TextStat(kTfOp, "a:A");
  return Kernels(Gpu(EncodeEvent(1, 0, 10'000, a) +
                     EncodeEvent(1, 20'000, 10'000, Stats("regs:1") + TextStat(kTfOp, "a:A")) +
                     EncodeEvent(3, 40'000, 40'000, a) + EncodeEvent(3, 90'000, 5'000, Stats())));
}

TEST_CASE("rows by launch, kernel and op") {
  KernelsResult result = Several();
  CHECK(result.rows.size() == 4);
  CHECK(result.unclaimed_ps == 5'000);
  Diagnostics diagnostics;
  SelectKernels({.by = KernelsBy::kKernel}, &result, &diagnostics);
  REQUIRE(result.rows.size() == 2);
  CHECK(result.rows[0].kernel == "m");
  CHECK(result.rows[0].times.total_ps == 45'000);
  CHECK(result.rows[0].ops == 1);
  CHECK(result.rows[1].times.occurrences == 2);

  result = Several();
  SelectKernels({.by = KernelsBy::kOp}, &result, &diagnostics);
  REQUIRE(result.rows.size() == 2);
  CHECK(result.rows[0].op == "a");
  CHECK(result.rows[0].kernels == 2);
  CHECK(result.rows[0].times.total_ps == 60'000);
  CHECK(result.rows[1].op.empty());
  CHECK(diagnostics.Empty());
}

TEST_CASE("filters look at kernel and op; a limit sums the rest") {
  KernelsResult result = Several();
  Diagnostics diagnostics;
  SelectKernels({.include = {"^m$"}, .limit = 1}, &result, &diagnostics);
  REQUIRE(result.rows.size() == 1);
  CHECK(result.total_rows == 2);
  CHECK(result.rows[0].times.total_ps == 40'000);
  REQUIRE(result.others.has_value());
  CHECK(result.others->total_ps == 5'000);
  CHECK(diagnostics.Has(DiagCode::kRowsLimited));

  result = Several();
  SelectKernels({.exclude = {"^a$"}}, &result, &diagnostics);
  CHECK(result.rows.size() == 1);
}

TEST_CASE("kernels of two hosts add up") {
  KernelStats sum(Compat::kNone);
  for (const char* host : {"h0", "h1"}) {
    KernelStats one(Compat::kNone);
    StreamSpace(Gpu(EncodeEvent(1, 0, 10'000, Stats())), &one, host);
    sum.Merge(std::move(one));
  }
  const KernelsResult result = std::move(sum).Finish();
  REQUIRE(result.rows.size() == 1);
  CHECK(result.rows[0].times.occurrences == 2);
  CHECK(result.gpus == 2);
}

}  // namespace
}  // namespace tfprof::analyze
