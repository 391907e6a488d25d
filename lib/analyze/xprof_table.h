// The op table as XProf computes it, number for number (`--compat xprof`, `--compat legacy`).
//
// As an XprofSink it takes one file; `Merge` adds the files (hosts) of a run in their order; `Finish` regroups device ops
// into framework ops and makes the rows, at most 500 a side. Reference: op_stats.md §2–§5, §8.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyze/ops_result.h"
#include "analyze/xprof_gpu.h"
#include "analyze/xprof_host.h"
#include "analyze/xprof_op_set.h"
#include "analyze/xprof_tpu.h"
#include "base/diagnostics.h"
#include "trace/xprof_events.h"

namespace tfprof::analyze {

class XprofTable : public trace::XprofSink {
 public:
  void SetDevice(bool has_gpu, const trace::XprofPeaks& peaks) override;
  void BeginPlane(trace::XprofPlaneKind kind, const trace::XprofNames& names) override;
  void BeginLine(bool only_window, bool in_order) override;
  void Add(std::span<const trace::XprofEvent> events) override;
  void EndLine() override;
  void EndPlane() override;

  void Merge(XprofTable&& other);

  // `all_rows`: more than the 500 a side that XProf's table shows.
  OpsResult Finish(Compat compat, bool include_idle, Diagnostics* diagnostics, bool all_rows = false) &&;

 private:
  using KernelTimes = std::map<trace::XprofKernel, uint64_t>;  // total, in ns

  OpsResult MakeResult(const XprofOpSet& device, Compat compat, bool include_idle, size_t most_rows) const;

  XprofOpSet device_, host_;
  uint64_t device_lanes_ = 0, host_lanes_ = 0;
  KernelTimes kernels_;
  trace::XprofPeaks peaks_;
  bool has_gpu_ = false;

  // The plane and line that are open.
  trace::XprofPlaneKind kind_ = trace::XprofPlaneKind::kHost;
  const trace::XprofNames* names_ = nullptr;
  bool line_has_ops_ = false;
  XprofHostPlane host_plane_;
  XprofGpuPlane gpu_plane_;
  XprofTpuPlane tpu_plane_;
  std::vector<uint64_t> kernel_ns_;  // by kernel of the plane
};

}  // namespace tfprof::analyze
