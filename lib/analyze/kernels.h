// GPU kernels: how often and how long each was launched, with its launch parameters and its op.
//
// A row is a (kernel, grid, block, registers, shared memory, op); kernels that take no time count too. Times are
// picoseconds. Occupancy is no part of the key: launches of one geometry have one occupancy, and the first is kept.
// Which kernels use tensor cores is told by their names, after XProf's lists (trace/gpu_kernel.h).
//
// Strict: owners by the rules of `ops` (trace/owner.h), `shm` counts as shared memory, planes that name no vendor are
// taken for NVIDIA's (the stat came with TensorFlow 2.5), what uses tensor cores is eligible for them. Compat: XProf's
// kernel_stats (reference: other_tools.md §1): whole ns, the first 1000 rows, one list of planes (TPUs before GPUs).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/ops_result.h"
#include "trace/event_stream.h"
#include "trace/gpu_kernel.h"

namespace tfprof::analyze {

enum class KernelsBy { kLaunch, kKernel, kOp };

struct KernelTimes {
  uint64_t occurrences = 0;
  int128 total_ps = 0;
  int128 min_ps = 0, max_ps = 0;

  void Add(const KernelTimes& other);
};

struct KernelRow {
  int rank = 0;
  std::string kernel;  // "" by op
  std::string op;      // "" where no op claims the kernel, and by kernel
  trace::KernelLaunch launch;
  std::optional<double> occupancy_percent;
  bool eligible = false, uses_tensor_cores = false;
  KernelTimes times;
  int128 tensor_core_ps = 0;      // of total_ps, in kernels that use tensor cores
  uint64_t kernels = 1, ops = 1;  // by op: distinct kernel names; by kernel: distinct ops
  double total_fraction = 0;      // of all kernels
};

struct KernelsResult {
  KernelsBy by = KernelsBy::kLaunch;
  Compat compat = Compat::kNone;
  std::vector<KernelRow> rows;  // by total time, falling
  uint64_t total_rows = 0;      // before the limit
  std::optional<KernelTimes> others;
  uint64_t other_rows = 0;
  KernelTimes all;              // of all rows, shown or not
  int128 tensor_core_ps = 0;    // likewise
  int128 unclaimed_ps = 0;      // likewise, in kernels that no op claims
  uint64_t gpus = 0;            // planes of GPUs
  uint64_t gpus_at_work = 0;    // those with an event
  uint64_t without_vendor = 0;  // of them
};

class KernelStats : public trace::EventSink {
 public:
  explicit KernelStats(Compat compat);
  KernelStats(KernelStats&&) noexcept;
  KernelStats& operator=(KernelStats&&) noexcept;
  ~KernelStats() override;

  std::vector<trace::EventStat> Stats(const trace::StreamPlane& plane) const override;
  void BeginFile(const trace::StreamFile& file) override;
  bool BeginPlane(const trace::StreamPlane& plane) override;
  uint32_t Classify(std::string_view event_name) override;
  bool BeginLine(const trace::StreamLine& line) override;
  void Add(const trace::StreamEvent& event, uint32_t kind) override;
  void EndPlane() override;
  void EndFile() override;
  std::unique_ptr<trace::EventSink> Fork() const override;
  void Join(trace::EventSink&& fork) override;

  void Merge(KernelStats&& other);
  KernelsResult Finish() &&;

 private:
  // In the order in which XProf sorts rows of equal times.
  struct Key {
    std::string kernel;
    trace::KernelLaunch launch;
    bool uses_tensor_cores = false, eligible = false;
    std::string op;

    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    KernelTimes times;
    std::optional<double> occupancy_percent;
  };
  using Entries = std::map<Key, Entry>;

  Entry* Lookup(const trace::StreamEvent& event);
  Key StrictKey(const trace::StreamEvent& event, std::string_view details) const;
  Key XprofKey(const trace::StreamEvent& event, std::string_view details) const;
  void KeepLongest();

  Compat compat_;
  Entries entries_;
  uint64_t gpus_ = 0, gpus_at_work_ = 0, without_vendor_ = 0;
  bool idle_gpu_ = false;  // the plane is a GPU of which no event was seen yet

  // Of the file and plane at hand. Kernels that look alike are launched a thousand times: what their texts mean is
  // looked up once, by all of them put together. Null: it is no kernel.
  bool has_tpus_ = false, tells_ops_ = false;
  trace::GpuVendor vendor_ = trace::GpuVendor::kUnknown;
  std::unordered_map<std::string, Entry*> known_;
  std::string texts_;
};

}  // namespace tfprof::analyze
