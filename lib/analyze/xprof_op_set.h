// XProf's op metrics database: ops by (module, name), in the order of their first appearance, with totals.
//
// Lines add up to planes, planes to a host, hosts to a run, always by `Combine`. Times are unsigned picoseconds that wrap
// (reference: op_stats.md §2.4–§2.6).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tfprof::analyze {

struct XprofMetrics {
  std::string type, provenance;  // the first that is not empty counts
  bool eager = false;
  bool needs_cost_analysis = false;  // an HLO instruction on a GPU: XProf asks XLA for its flops and bytes
  uint64_t occurrences = 0;
  uint64_t time_ps = 0, self_ps = 0;
  double flops = 0, model_flops = 0, bytes = 0;

  void Add(const XprofMetrics& other);
  // Only what can be counted; neither names nor flags.
  void AddNumbers(const XprofMetrics& other);
};

class XprofOpSet {
 public:
  struct Entry {
    uint64_t module = 0;
    std::string name;
    XprofMetrics metrics;
  };

  XprofOpSet() = default;
  XprofOpSet(XprofOpSet&&) = default;  // moving a deque leaves its entries where they are, so the views below stay valid
  XprofOpSet& operator=(XprofOpSet&&) = default;

  // The entry of that key; a new one is empty.
  Entry& Of(uint64_t module, std::string_view name);
  // A new entry, whether or not there is one of that key; for planes that keep such apart until they are combined.
  Entry& Append(uint64_t module, std::string_view name);
  // Adds a stretch of time and how much of it was spent in ops. What is left is idle: an op like any other (module 0, name
  // IDLE), which has an entry also when it is 0.
  void AddSpan(uint64_t total_ps, uint64_t op_ps);
  void Combine(const XprofOpSet& other);
  void SetTotals(uint64_t total_ps, uint64_t op_ps) { total_ps_ = total_ps, op_ps_ = op_ps; }

  const std::deque<Entry>& entries() const { return entries_; }
  uint64_t total_ps() const { return total_ps_; }
  uint64_t op_ps() const { return op_ps_; }

 private:
  struct Key {
    uint64_t module;
    std::string_view name;  // of the entry itself
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return std::hash<std::string_view>()(key.name) + key.module * 0x9e3779b97f4a7c15u; }
  };

  std::deque<Entry> entries_;
  std::unordered_map<Key, Entry*, KeyHash> index_;
  uint64_t total_ps_ = 0, op_ps_ = 0;
};

}  // namespace tfprof::analyze
