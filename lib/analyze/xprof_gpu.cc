#include "analyze/xprof_gpu.h"

#include <algorithm>

namespace tfprof::analyze {

using trace::XprofEvent;
using trace::XprofNames;
using trace::XprofOp;

void XprofGpuPlane::Add(std::span<const XprofEvent> events, const XprofNames& names) {
  for (const XprofEvent& event : events) {
    first_ps_ = std::min(first_ps_, static_cast<int64_t>(event.begin_ps));
    last_ps_ = std::max(last_ps_, static_cast<int64_t>(event.end_ps));
    if (event.op == XprofEvent::kNone) continue;
    if (names.ops[event.op].batched) {
      AddToBatch(event, names);
      continue;
    }
    Flush(names);
    Enter({.op = event.op,
           .eager = (event.flags & XprofEvent::kEager) != 0,
           .occurrences = 1,
           .time_ps = event.end_ps - event.begin_ps},
          names);
  }
}

void XprofGpuPlane::AddToBatch(const XprofEvent& event, const XprofNames& names) {
  const bool grouped = (event.flags & XprofEvent::kGrouped) != 0;
  const bool joins = batch_.op != XprofEvent::kNone && grouped && event.group == batch_.group &&
                     (event.op == batch_.op || names.ops[event.op].name == names.ops[batch_.op].name);
  if (!joins) {
    Flush(names);
    batch_.op = event.op;
    batch_.eager = (event.flags & XprofEvent::kEager) != 0;
    batch_.group = grouped ? event.group : 0;
  }
  ++batch_.occurrences;
  batch_.time_ps += event.end_ps - event.begin_ps;
  if (event.flags & XprofEvent::kHasFlops) batch_.flops = event.flops;
  if (event.flags & XprofEvent::kHasBytes) batch_.bytes = event.bytes;
}

void XprofGpuPlane::Flush(const XprofNames& names) {
  if (batch_.op != XprofEvent::kNone) Enter(batch_, names);
  batch_ = Batch();
}

void XprofGpuPlane::Enter(const Batch& counted, const XprofNames& names) {
  const XprofOp& op = names.ops[counted.op];
  if (counted.op >= entries_.size()) entries_.resize(names.ops.size());
  XprofOpSet::Entry*& entry = entries_[counted.op];
  if (entry == nullptr) entry = &ops_.Of(op.module, op.name);
  XprofMetrics& metrics = entry->metrics;
  if (metrics.occurrences == 0) {
    metrics.type = op.type;
    metrics.provenance = op.provenance;
    metrics.eager = counted.eager;
  }
  const auto times = static_cast<double>(counted.occurrences);
  metrics.needs_cost_analysis = metrics.needs_cost_analysis || op.batched;
  metrics.occurrences += counted.occurrences;
  metrics.time_ps += counted.time_ps;
  metrics.self_ps += counted.time_ps;
  metrics.flops += static_cast<double>(counted.flops) * times;
  metrics.model_flops += static_cast<double>(counted.flops) * times;
  metrics.bytes += static_cast<double>(counted.bytes) * times;
  op_ps_ += counted.time_ps;
}

void XprofGpuPlane::EndLine(const XprofNames& names) { Flush(names); }

void XprofGpuPlane::Finish(XprofOpSet* device) {
  const uint64_t window_ps = last_ps_ == 0 ? 0 : static_cast<uint64_t>(last_ps_) - static_cast<uint64_t>(first_ps_);
  ops_.AddSpan(std::max(op_ps_, window_ps), op_ps_);
  device->Combine(ops_);
  *this = XprofGpuPlane();
}

}  // namespace tfprof::analyze
