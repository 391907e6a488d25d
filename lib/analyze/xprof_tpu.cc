#include "analyze/xprof_tpu.h"

#include <algorithm>

namespace tfprof::analyze {

using trace::XprofEvent;
using trace::XprofNames;
using trace::XprofOp;

void XprofTpuPlane::Add(std::span<const XprofEvent> events, const XprofNames& names) {
  for (const XprofEvent& event : events) {
    first_ps_ = std::min(first_ps_, event.begin_ps);
    last_ps_ = std::max(last_ps_, event.end_ps);
    if (only_window_) continue;
    const auto includes = [&](const Open& open) { return open.begin_ps <= event.begin_ps && event.end_ps <= open.end_ps; };
    while (!stack_.empty() && !includes(stack_.back())) PopTop(names);
    if (!stack_.empty()) stack_.back().children_ps += event.end_ps - event.begin_ps;
    stack_.push_back({event.begin_ps, event.end_ps, 0, event.op, event.occurrences});
  }
}

void XprofTpuPlane::PopTop(const XprofNames& names) {
  const Open open = stack_.back();
  stack_.pop_back();
  if (open.op == XprofEvent::kNone) return;
  const XprofOp& op = names.ops[open.op];
  const auto [at, is_new] = index_.try_emplace({op.module, op.symbol}, counted_.size());
  if (is_new) counted_.push_back({.op = open.op});
  Counted& counted = counted_[at->second];
  counted.occurrences += open.occurrences;
  counted.time_ps += open.end_ps - open.begin_ps;
  counted.self_ps += open.end_ps - open.begin_ps - open.children_ps;
}

void XprofTpuPlane::EndLine(const XprofNames& names) {
  while (!stack_.empty()) PopTop(names);
}

void XprofTpuPlane::Finish(const XprofNames& names, XprofOpSet* device) {
  XprofOpSet plane;
  uint64_t op_ps = 0;
  for (const Counted& counted : counted_) {
    const XprofOp& op = names.ops[counted.op];
    XprofMetrics& metrics = plane.Append(op.module, op.name).metrics;
    const auto times = static_cast<double>(counted.occurrences);
    metrics.type = op.type;
    metrics.provenance = op.provenance;
    metrics.occurrences = counted.occurrences;
    metrics.time_ps = counted.time_ps;
    metrics.self_ps = counted.self_ps;
    metrics.flops = static_cast<double>(op.flops) * times;
    metrics.model_flops = op.model_flops == 0 ? metrics.flops : static_cast<double>(op.model_flops) * times;
    metrics.bytes = static_cast<double>(op.bytes) * times;
    op_ps += counted.self_ps;
  }
  // A plane without events has a window of 0 − (2^64 − 1), which is 1.
  plane.AddSpan(std::max(op_ps, last_ps_ - first_ps_), op_ps);
  device->Combine(plane);
  *this = XprofTpuPlane();
}

}  // namespace tfprof::analyze
