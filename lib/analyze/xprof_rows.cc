#include "analyze/xprof_rows.h"

#include <algorithm>
#include <cmath>

#include "trace/op_name.h"

namespace tfprof::analyze {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024 / 1e9;  // in GB

double SafeDivide(double a, double b) { return std::fabs(b) < 1e-10 ? 0 : a / b; }

Roofline RooflineOf(const XprofMetrics& op, const trace::XprofPeaks& peaks) {
  Roofline out;
  const double time_ns = static_cast<double>(op.time_ps) / 1e3;
  out.measured_flop_rate = SafeDivide(op.flops, time_ns);
  out.model_flop_rate = SafeDivide(op.model_flops, time_ns);
  out.measured_memory_bw = SafeDivide(op.bytes, time_ns) / kGib;
  out.operational_intensity = SafeDivide(op.flops, op.bytes);
  double most = 0;
  const auto consider = [&](const char* resource, double use) {
    if (use <= most) return;
    most = use;
    out.bound_by = resource;
  };
  consider("Compute", SafeDivide(out.measured_flop_rate, peaks.tflops * 1e3));
  consider("HBM", SafeDivide(out.measured_memory_bw, peaks.hbm_gb / kGib));
  consider("Shm/L1", SafeDivide(out.measured_memory_bw, peaks.shared_gb / kGib));
  return out;
}

}  // namespace

XprofOpSet RegroupByFrameworkOp(const XprofOpSet& device) {
  XprofOpSet result;
  for (const XprofOpSet::Entry& entry : device.entries()) {
    const XprofMetrics& op = entry.metrics;
    trace::ParsedOp framework{.name = entry.name};
    if (op.type == "IDLE") {
      framework.name = framework.type = "IDLE";
    } else if (!op.provenance.empty()) {
      framework = trace::ParseTfOpFullname(op.provenance);
    }
    XprofMetrics& row = result.Of(0, framework.name).metrics;
    if (row.type.empty()) row.type = framework.type.empty() ? "Unknown" : framework.type;
    row.eager = op.eager;
    row.needs_cost_analysis = row.needs_cost_analysis || op.needs_cost_analysis;
    row.occurrences = std::max(row.occurrences, op.occurrences);
    row.AddNumbers(op);
  }
  result.SetTotals(device.total_ps(), device.op_ps());
  return result;
}

std::vector<OpsRow> MakeXprofRows(const XprofOpSet& ops, Side side, bool include_idle, const XprofRooflineInput& input,
                                  size_t most_rows) {
  std::vector<const XprofOpSet::Entry*> sorted;
  for (const XprofOpSet::Entry& entry : ops.entries()) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(), [](const XprofOpSet::Entry* a, const XprofOpSet::Entry* b) {
    return a->metrics.self_ps != b->metrics.self_ps ? a->metrics.self_ps > b->metrics.self_ps : a->name < b->name;
  });
  if (sorted.size() > most_rows) sorted.resize(most_rows);  // before IDLE is left out
  const double total_us = static_cast<double>(include_idle ? ops.total_ps() : ops.op_ps()) / 1e6;
  double cumulative = 0;
  std::vector<OpsRow> rows;
  for (const XprofOpSet::Entry* entry : sorted) {
    const XprofMetrics& op = entry->metrics;
    OpsRow row;
    row.idle = op.type == "IDLE";
    if (row.idle && !include_idle) continue;
    row.side = side;
    row.op_type = op.type;
    row.op_name = entry->name;
    row.occurrences = op.occurrences;
    row.total_ps = op.time_ps;
    row.self_ps = op.self_ps;
    row.self_fraction = SafeDivide(static_cast<double>(op.self_ps) / 1e6, total_us);
    row.cumulative_fraction = cumulative += row.self_fraction;
    row.eager = op.eager;
    row.roofline = RooflineOf(op, input.peaks);
    const auto share = input.tensor_core_share.find(row.op_name);
    if (share != input.tensor_core_share.end()) row.roofline->gpu_tensorcore_utilization = share->second;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tfprof::analyze
