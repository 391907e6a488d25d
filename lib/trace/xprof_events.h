// Events as XProf's op statistics see them, between the reader of a format and the analysis of `--compat`.
//
// Unlike a lane (lane.h) a line here is one XLine, in file order, with times that are unsigned 64-bit picoseconds and wrap
// (line start · 1000 + offset, mod 2^64), whatever they are. A plane is announced, then its lines one after the other.
// Rules: reference op_stats.md §2–§4.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <tuple>

#include "trace/gpu_kernel.h"

namespace tfprof::trace {

enum class XprofPlaneKind : uint8_t { kHost, kGpu, kTpu };

// An op of one plane. Two of them may be one row: the key of XProf's tables is (module, name).
struct XprofOp {
  uint64_t module = 0;      // host: stage id; GPU, TPU: program; 0 for ordinary ops
  uint64_t symbol = 0;      // TPU: number of the HLO instruction
  std::string name;         // host: op name; GPU: `op/kernel` or HLO instruction; TPU: HLO instruction
  std::string type;         // host: op type; device: category
  std::string provenance;   // device: `op_name:op_type`, from which the framework op is made
  bool batched = false;     // GPU: an HLO instruction, whose kernels join in batches
  uint64_t flops = 0, model_flops = 0, bytes = 0;  // TPU: of one execution

  auto operator<=>(const XprofOp&) const = default;
};

// A kind of kernel launch; the key of XProf's kernel reports, in its order.
struct XprofKernel {
  std::string name;
  KernelLaunch launch;
  bool uses_tensor_core = false;
  bool eligible = false;
  std::string op_name;

  auto operator<=>(const XprofKernel&) const = default;
};

struct XprofEvent {
  static constexpr uint32_t kNone = 0xffffffff;
  enum Flags : uint8_t { kEager = 1, kGrouped = 2, kHasFlops = 4, kHasBytes = 8 };

  uint64_t begin_ps = 0, end_ps = 0;  // GPU: from the line's start (XProf ignores where that is)
  uint32_t op = kNone;      // kNone: no op (GPU: only widens the window; TPU: also takes time from its parent)
  uint32_t kernel = kNone;  // GPU: its kernel report
  uint8_t flags = 0;
  int64_t group = 0;                // GPU, with kGrouped
  uint64_t occurrences = 1;         // TPU
  uint64_t flops = 0, bytes = 0;    // GPU, with kHasFlops, kHasBytes: as the event's own stats tell
};

// The ops and kernels of a plane, by number. They grow while the plane is read and never move.
struct XprofNames {
  std::deque<XprofOp> ops;
  std::deque<XprofKernel> kernels;
};

// What the first device of a host can do at most; 0: unknown.
struct XprofPeaks {
  double tflops = 0;      // TFLOP/s
  double hbm_gb = 0;      // GB/s
  double shared_gb = 0;   // GB/s, GPU only
};

class XprofSink {
 public:
  virtual ~XprofSink() = default;
  virtual void SetDevice(bool has_gpu, const XprofPeaks& peaks) = 0;
  // `names` stays valid until EndPlane.
  virtual void BeginPlane(XprofPlaneKind kind, const XprofNames& names) = 0;
  // `only_window`: a TPU line whose events are no ops. `in_order`: begins never fall and no event ends before it begins;
  // a promise about host lines that saves holding them.
  virtual void BeginLine(bool only_window, bool in_order) = 0;
  virtual void Add(std::span<const XprofEvent> events) = 0;
  virtual void EndLine() = 0;
  virtual void EndPlane() = 0;
};

}  // namespace tfprof::trace
