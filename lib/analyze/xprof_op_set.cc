#include "analyze/xprof_op_set.h"

namespace tfprof::analyze {

void XprofMetrics::AddNumbers(const XprofMetrics& other) {
  time_ps += other.time_ps;
  self_ps += other.self_ps;
  flops += other.flops;
  model_flops += other.model_flops;
  bytes += other.bytes;
}

void XprofMetrics::Add(const XprofMetrics& other) {
  if (type.empty()) type = other.type;
  if (provenance.empty()) provenance = other.provenance;
  eager = eager || other.eager;
  needs_cost_analysis = needs_cost_analysis || other.needs_cost_analysis;
  occurrences += other.occurrences;
  AddNumbers(other);
}

XprofOpSet::Entry& XprofOpSet::Of(uint64_t module, std::string_view name) {
  const auto known = index_.find(Key{module, name});
  return known != index_.end() ? *known->second : Append(module, name);
}

XprofOpSet::Entry& XprofOpSet::Append(uint64_t module, std::string_view name) {
  Entry& entry = entries_.emplace_back(Entry{module, std::string(name), {}});
  index_.try_emplace(Key{module, entry.name}, &entry);
  return entry;
}

void XprofOpSet::AddSpan(uint64_t total_ps, uint64_t op_ps) {
  XprofMetrics idle;
  idle.type = "IDLE";
  idle.time_ps = idle.self_ps = total_ps - op_ps;
  Of(0, "IDLE").metrics.Add(idle);
  total_ps_ += total_ps;
  op_ps_ += op_ps;
}

void XprofOpSet::Combine(const XprofOpSet& other) {
  for (const Entry& entry : other.entries_) Of(entry.module, entry.name).metrics.Add(entry.metrics);
  total_ps_ += other.total_ps_;
  op_ps_ += other.op_ps_;
}

}  // namespace tfprof::analyze
