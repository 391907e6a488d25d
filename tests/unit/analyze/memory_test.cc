#include "analyze/memory.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/stream_space.h"
#include "support/xspace_builder.h"

namespace tfprof::analyze {
namespace {

using namespace tfprof::testing;

enum : int64_t { kName = 1, kInUse, kReserved, kFree, kLifetime, kSize, kAddress, kOp, kRegion, kType, kShape, kGroup };
enum : int64_t { kAllocate = 1, kDeallocate = 2 };

// An event after which `in_use` bytes are in use.
std::string Event(int64_t kind, int64_t offset_ps, int64_t address, int64_t size, int64_t in_use, const std::string& op,
                  int64_t lifetime = 0, int64_t group = -1) {
  std::string stats = TextStat(kName, "GPU_0_bfc") + IntStat(kInUse, in_use) + IntStat(kFree, 1000 - in_use) +
                      IntStat(kLifetime, lifetime) + IntStat(kSize, size) + IntStat(kAddress, address) +
                      TextStat(kOp, op) + TextStat(kRegion, "dynamic") + IntStat(kType, 1) + TextStat(kShape, "[4]");
  if (group >= 0) stats += IntStat(kGroup, group);
  return EncodeEvent(kind, offset_ps, 0, stats);
}

std::string Host(const std::string& lines) {
  std::string names;
  const char* texts[] = {"allocator_name",    "bytes_allocated",  "bytes_reserved", "bytes_available",
                         "peak_bytes_in_use", "allocation_bytes", "addr",           "tf_op",
                         "region_type",       "data_type",        "shape",          "group_id"};
  for (int64_t i = 0; i < 12; ++i) names += StatName(i + 1, texts[i]);
  return EncodePlane("/host:CPU", lines + EventName(kAllocate, "MemoryAllocation") +
                                      EventName(kDeallocate, "MemoryDeallocation") + names);
}

AllocatorMemory Memory(const std::string& space, Compat compat = Compat::kNone) {
  MemoryStats stats(compat);
  StreamSpace(space, &stats);
  const MemoryResult result = std::move(stats).Finish();
  REQUIRE(result.allocators.size() == 1);
  CHECK(result.allocators[0].id == "GPU_0_bfc");
  CHECK(result.allocators[0].host == "h");
  return result.allocators[0];
}

TEST_CASE("sizes count in whatever slot they were stored") {
  const std::string event = EncodeEvent(
      kAllocate, 10, 0,
      TextStat(kName, "GPU_0_bfc") + EventStat(DoubleValue(kInUse, 300)) + EventStat(TextValue(kFree, "700")) +
          EventStat(UintValue(kSize, 100)) + EventStat(TextValue(kAddress, "0xa")) + TextStat(kOp, "a:A") +
          EventStat(DoubleValue(kType, 1)));
  const AllocatorMemory memory = Memory(Host(EncodeLine(1, "t", event)));
  REQUIRE(memory.peak);
  CHECK(memory.peak->use.heap_bytes == 300);
  CHECK(memory.peak->use.free_bytes == 700);
  REQUIRE(memory.active_at_peak.size() == 2);
  CHECK(memory.active_at_peak[1].allocation_bytes == 100);
  CHECK(memory.active_at_peak[1].purpose.data_type == "float");
}

TEST_CASE("allocations without address don't replace each other") {
  const auto allocation = [](int64_t offset_ps, int64_t size, int64_t in_use) {
    return EncodeEvent(kAllocate, offset_ps, 0,
                       TextStat(kName, "GPU_0_bfc") + IntStat(kInUse, in_use) + IntStat(kSize, size) + TextStat(kOp, "a:A"));
  };
  const AllocatorMemory memory = Memory(Host(EncodeLine(1, "t", allocation(10, 100, 100) + allocation(20, 50, 150))));
  REQUIRE(memory.active_at_peak.size() == 2);
  CHECK(memory.active_at_peak[0].allocation_bytes == 100);
  CHECK(memory.active_at_peak[1].allocation_bytes == 50);
}

TEST_CASE("what is alive at the peak, and what was in use before the profile") {
  const AllocatorMemory memory = Memory(
      Host(EncodeLine(1, "t",
                      Event(kAllocate, 10, 0xa, 100, 300, "a:A") + Event(kAllocate, 20, 0xb, 50, 350, "b:B") +
                          Event(kDeallocate, 30, 0xa, 100, 250, "") + Event(kAllocate, 40, 0xc, 250, 500, "c:C") +
                          Event(kDeallocate, 50, 0xc, 250, 250, ""))));
  REQUIRE(memory.peak.has_value());
  CHECK(memory.peak->use.used_bytes() == 500);
  CHECK(memory.peak->time_ps == 40);
  CHECK(memory.capacity_bytes == 1000);
  CHECK(memory.allocations == 3);
  CHECK(memory.deallocations == 2);
  CHECK(memory.timeline.size() == 5);
  REQUIRE(memory.active_at_peak.size() == 3);
  int128 sum = 0;
  for (const MemoryRow& row : memory.active_at_peak) sum += row.total_bytes();
  CHECK(sum == 500);
  CHECK(memory.active_at_peak[0].purpose.op_name == "c");
  CHECK(memory.active_at_peak[0].purpose.data_type == "float");
  CHECK(memory.active_at_peak[1].purpose.op_name == "in use since before the profile");
  CHECK(memory.active_at_peak[1].allocation_bytes == 200);
  CHECK(memory.active_at_peak[2].purpose.op_name == "b");
}

TEST_CASE("the peak is the first largest use; XProf takes the last of the file") {
  const std::string space =
      Host(EncodeLine(1, "t",
                      Event(kAllocate, 10, 0xa, 100, 100, "a:A") + Event(kDeallocate, 20, 0xa, 100, 0, "") +
                          Event(kAllocate, 30, 0xb, 100, 100, "b:B")));
  CHECK(Memory(space).peak->time_ps == 10);
  CHECK(Memory(space).active_at_peak.at(0).purpose.op_name == "a");
  CHECK(Memory(space, Compat::kXprof).peak->time_ps == 30);
}

TEST_CASE("the lifetime peak is the largest that is told, and no less than the peak; XProf's is the last") {
  const std::string space = Host(EncodeLine(
      1, "t", Event(kAllocate, 10, 0xa, 100, 100, "a:A", 700) + Event(kDeallocate, 20, 0xa, 100, 0, "", 500)));
  CHECK(Memory(space).lifetime_peak_bytes == 700);
  CHECK(Memory(space, Compat::kXprof).lifetime_peak_bytes == 500);
  const std::string untold = Host(EncodeLine(1, "t", Event(kAllocate, 10, 0xa, 100, 100, "a:A")));
  CHECK(Memory(untold).lifetime_peak_bytes == 100);
}

TEST_CASE("lines begin at times of their own, which XProf leaves out") {
  // 0xa is freed before 0xb is allocated, though its line comes later in the file.
  const std::string space =
      Host(EncodeLine(1, "t", Event(kAllocate, 10, 0xb, 100, 100, "b:B"), 2) +
           EncodeLine(2, "u", Event(kAllocate, 20, 0xa, 40, 40, "a:A") + Event(kDeallocate, 30, 0xa, 40, 0, ""), 1));
  const AllocatorMemory strict = Memory(space);
  REQUIRE(strict.timeline.size() == 3);
  CHECK(strict.timeline[0].use.used_bytes() == 40);
  CHECK(strict.timeline[2].use.used_bytes() == 100);
  CHECK(strict.timeline[2].time_ps - strict.timeline[0].time_ps == 990);  // 1 ns between the lines
  CHECK(strict.active_at_peak.size() == 1);
  CHECK(Memory(space, Compat::kXprof).timeline[0].use.used_bytes() == 100);
}

TEST_CASE("allocations of other steps are alive too; XProf lists those of the peak's step") {
  const std::string space = Host(EncodeLine(
      1, "t", Event(kAllocate, 10, 0xa, 60, 60, "a:A", 0, 1) + Event(kAllocate, 20, 0xb, 40, 100, "b:B", 0, 2)));
  REQUIRE(Memory(space).active_at_peak.size() == 2);
  const AllocatorMemory xprof = Memory(space, Compat::kXprof);
  REQUIRE(xprof.active_at_peak.size() == 2);
  CHECK(xprof.active_at_peak[0].purpose.op_name == "unused preallocated device memory");
  CHECK(xprof.active_at_peak[0].allocation_bytes == 60);
  CHECK(xprof.active_at_peak[1].purpose.op_name == "b:B");
}

TEST_CASE("allocations that are alike are one row") {
  const AllocatorMemory memory = Memory(
      Host(EncodeLine(1, "t", Event(kAllocate, 10, 0xa, 50, 50, "a:A") + Event(kAllocate, 20, 0xb, 50, 100, "a:A"))));
  REQUIRE(memory.active_at_peak.size() == 1);
  CHECK(memory.active_at_peak[0].occurrences == 2);
  CHECK(memory.active_at_peak[0].total_bytes() == 100);
}

TEST_CASE("a long timeline has 1000 points and keeps the peak") {
  std::string events;
  for (int64_t i = 0; i < 2500; ++i) events += Event(kAllocate, i, i, 1, i == 1234 ? 999 : 1, "a:A");
  const AllocatorMemory memory = Memory(Host(EncodeLine(1, "t", events)));
  CHECK(memory.timeline.size() == 1000);
  int64_t most = 0;
  for (const MemoryPoint& point : memory.timeline) most = std::max(most, point.use.used_bytes());
  CHECK(most == 999);
}

TEST_CASE("a limit cuts rows and tells their sum") {
  MemoryResult result;
  result.allocators.resize(1);
  result.allocators[0].active_at_peak = {{{"a", "", "", ""}, 1, 100, 100}, {{"b", "", "", ""}, 2, 30, 30}};
  result.allocators[0].total_rows = 2;
  Diagnostics diagnostics;
  LimitMemoryRows(1, &result, &diagnostics);
  CHECK(result.allocators[0].active_at_peak.size() == 1);
  CHECK(result.allocators[0].other_bytes == 60);
  CHECK(diagnostics.Has(DiagCode::kRowsLimited));
}

TEST_CASE("one allocator in two files of a host") {
  MemoryStats sum(Compat::kNone);
  for (const char* op : {"a:A", "b:B"}) {
    MemoryStats one(Compat::kNone);
    StreamSpace(Host(EncodeLine(1, "t", Event(kAllocate, 10, op[0], 50, op[0] == 'a' ? 50 : 100, op))), &one);
    sum.Merge(std::move(one));
  }
  const MemoryResult result = std::move(sum).Finish();
  REQUIRE(result.allocators.size() == 1);
  CHECK(result.allocators[0].active_at_peak.size() == 2);
}

}  // namespace
}  // namespace tfprof::analyze
