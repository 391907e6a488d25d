#include "formats/xplane/xprof_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "formats/xplane/xprof_planes.h"
#include "formats/xplane/xprof_stats.h"

namespace tfprof::xplane {
namespace {

std::vector<uint32_t> PlanesThatBegin(const Layout& layout, std::string_view prefix) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < layout.planes.size(); ++i) {
    if (layout.planes[i].name.starts_with(prefix)) found.push_back(i);
  }
  return found;
}

bool KnowsStat(const Plane& plane, std::string_view name) {
  const auto& entries = plane.stat_metadata.entries();
  return std::any_of(entries.begin(), entries.end(), [&](const Metadata& m) { return m.name == name; });
}

// Groups of kernels decide which kernels of an HLO instruction are one batch; nothing else here asks for them.
GroupingNeeds NeedsOf(const Layout& layout, const std::vector<uint32_t>& tpus, const std::vector<uint32_t>& gpus) {
  GroupingNeeds needs;
  needs.tpu_groups = !tpus.empty();
  needs.gpu_groups = tpus.empty() && std::any_of(gpus.begin(), gpus.end(), [&](uint32_t gpu) {
                       return KnowsStat(layout.planes[gpu], trace::EventStatName(XprofStat::kHloOp));
                     });
  return needs;
}

void Say(const XprofReading& reading, const std::string& path, Diagnostics* diagnostics) {
  if (!reading.unresolved_hlo.empty()) {
    const auto& [program, instruction] = *reading.unresolved_hlo.begin();
    diagnostics->Add(DiagCode::kUnresolvedHlo,
                     fmt::format("{}: HLO instructions have no module in the file, so XProf does not count them; "
                                 "first: {} of program {}",
                                 path, instruction, program),
                     reading.unresolved_hlo.size());
  }
  SayBrokenEvents(reading.scan.bad_events(), reading.scan.first_bad_at().value_or(0), path, diagnostics);
  SayBrokenStats(reading.scan.broken_stats(), reading.hlo.broken(), reading.layout, path, diagnostics);
  if (reading.scan.broken_at() && !reading.layout.damage) {
    diagnostics->Add(DiagCode::kTruncatedInput,
                     fmt::format("{}: byte {}: a line holds bytes that are no event; the events before it were read; "
                                 "copy the file anew or write the profile again",
                                 path, *reading.scan.broken_at()));
  }
}

}  // namespace

ReadOutcome ReadForXprof(const Layout& layout, const ReadOptions& options, trace::XprofSink* sink, ReadPlan* plan,
                         Diagnostics* diagnostics) {
  const std::vector<uint32_t> tpus = PlanesThatBegin(layout, "/device:TPU:"),
                              gpus = PlanesThatBegin(layout, "/device:GPU:");
  const Grouping grouping = ReadGrouping(layout, NeedsOf(layout, tpus, gpus));
  HloModules hlo(layout);
  EventScan scan(layout, options.on_done, options.cancelled);
  XprofReading reading{layout, grouping, hlo, scan, *sink, {}};
  if (!tpus.empty()) {
    sink->SetDevice(!gpus.empty(), TpuPeaks(layout.planes[tpus.front()]));
  } else if (!gpus.empty()) {
    sink->SetDevice(true, GpuPeaks(layout.planes[gpus.front()]));
  }
  for (const uint32_t tpu : tpus) {
    if (!IsSparseCoreName(layout.planes[tpu].name)) ReadXprofTpuPlane(tpu, &reading);
  }
  for (size_t i = 0; i < gpus.size() && tpus.empty(); ++i) ReadXprofGpuPlane(gpus[i], &reading);
  const auto host = std::find_if(layout.planes.begin(), layout.planes.end(),
                                 [](const Plane& plane) { return plane.name == "/host:CPU"; });
  if (host != layout.planes.end()) ReadXprofHostPlane(static_cast<uint32_t>(host - layout.planes.begin()), &reading);
  if (scan.late_header() && !plan->thorough_layout) {
    plan->thorough_layout = true;
    return ReadOutcome::kAgain;
  }
  Say(reading, MessageName(options), diagnostics);
  return ReadOutcome::kDone;
}

}  // namespace tfprof::xplane
