// tf.data pipelines as a value: what `input` prints of them.
//
// Times are picoseconds. A pipeline is a root iterator (`Iterator::Root`, `Iterator::Model`) with all that its calls reach
// below it, on whatever thread it ran. Reference: other_tools.md §7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tfprof::analyze {

// A call slower than this is one that training may feel.
inline constexpr uint64_t kSlowCallPs = 50'000'000;

struct TfDataIterator {
  int64_t id = 0, parent_id = 0;  // parent_id 0: the outermost
  std::string name;               // `Prefetch`
  std::string long_name;          // `Iterator::Root::Prefetch`
  uint64_t calls = 0;
  __int128 self_ps = 0;   // without the iterators below while they ran (compat: may be negative)
  bool blocking = false;  // some call of the root waited for it
};

struct TfDataPipeline {
  std::string host;
  std::string name;  // long name of the root
  bool on_device = false;
  uint64_t calls = 0, slow_calls = 0;
  double avg_latency_ps = 0;
  uint64_t min_latency_ps = 0, max_latency_ps = 0;
  std::vector<TfDataIterator> iterators;  // the root first, then each under its parent
  // Of the slowest call: which of `iterators` took longest by itself while the call waited, and how long.
  std::optional<size_t> bottleneck;
  uint64_t bottleneck_ps = 0;
  std::string advice;  // one sentence; "": nothing to do
};

struct TfDataResult {
  std::vector<TfDataPipeline> pipelines;  // slowest call first
  uint64_t calls_cut = 0;  // calls whose background work was too entangled to follow

  bool InputBound() const {
    for (const TfDataPipeline& pipeline : pipelines) {
      if (!pipeline.on_device && pipeline.max_latency_ps > kSlowCallPs) return true;
    }
    return false;
  }
};

}  // namespace tfprof::analyze
