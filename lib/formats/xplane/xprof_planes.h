// The planes of an XSpace on their way to an XprofSink, one function a kind; parts of xprof_reader.h.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "formats/xplane/event_scan.h"
#include "formats/xplane/grouping.h"
#include "formats/xplane/hlo.h"
#include "formats/xplane/layout.h"
#include "trace/xprof_events.h"

namespace tfprof::xplane {

// What the readers of all planes of a file share.
struct XprofReading {
  const Layout& layout;
  const Grouping& grouping;
  HloModules& hlo;
  EventScan& scan;
  trace::XprofSink& sink;
  std::set<std::pair<uint64_t, std::string>> unresolved_hlo;  // (program, instruction)
};

void ReadXprofHostPlane(uint32_t plane, XprofReading* reading);
void ReadXprofGpuPlane(uint32_t plane, XprofReading* reading);
void ReadXprofTpuPlane(uint32_t plane, XprofReading* reading);

// Whether the plane's name is that of a TPU core: `/device:TPU:<digits>`; of one of its SparseCores.
bool IsTpuCoreName(std::string_view name);
bool IsSparseCoreName(std::string_view name);

// What a plane's stats tell of its device.
trace::XprofPeaks GpuPeaks(const Plane& plane);
trace::XprofPeaks TpuPeaks(const Plane& plane);

// Events of a line in the order in which XProf takes them, each with its ordinal in the file.
//
// Calls visit(event, ordinal). `sorted`: the file is not grouped and the line holds a thread pool region, so it is
// taken by begin, longer first.
template <typename Visit>
void ForEachInXprofOrder(const Line& line, const StatFilter* wanted, bool sorted, EventScan* scan, Visit&& visit) {
  if (!sorted) return scan->ForEach(line, wanted, true, visit);
  std::vector<std::pair<Event, uint64_t>> held;
  scan->ForEach(line, wanted, true, [&](const Event& event, uint64_t ordinal) { held.emplace_back(event, ordinal); });
  std::stable_sort(held.begin(), held.end(), [&](const auto& a, const auto& b) {
    const uint64_t begin_a = WrappingBegin(line, a.first), begin_b = WrappingBegin(line, b.first);
    return begin_a != begin_b ? begin_a < begin_b : a.first.duration_ps > b.first.duration_ps;
  });
  for (const auto& [event, ordinal] : held) visit(event, ordinal);
}

}  // namespace tfprof::xplane
