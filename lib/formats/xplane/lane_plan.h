// Which lines of an XSpace are lanes, what they are, and where their times start.
//
// Planes of one name and lines of one id are one (also over several XSpaces in one file). Host ops come from `/host:CPU`
// and `/host:CPU [pid]`; GPU and custom device planes give streams, TPU planes their `XLA Ops` lines; derived lines and
// TPU steps and modules are views of the same work. Rules: design §3 rules 5, 16, 17; reference xspace.md §2, §4, §5.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/xplane/layout.h"
#include "trace/lane.h"

namespace tfprof::xplane {

enum class PlaneKind : uint8_t { kHost, kGpu, kTpu, kOther };

// One XLine that belongs to a lane.
struct LanePiece {
  uint32_t plane = 0;      // index into Layout::planes
  uint32_t line = 0;       // index into Plane::lines
  int64_t start_ps = 0;    // of the line, from the file's base
  bool out_of_time = false;  // the line starts in another age than most of the file: all its events are outliers
};

struct LanePlan {
  int64_t id = 0;
  std::string name;
  trace::Role role = trace::Role::kOther;
  bool told_by_events = false;  // name and role are those of a piece with events
  std::vector<LanePiece> pieces;
  uint64_t bytes = 0;
};

struct PlanePlan {
  std::string name;
  PlaneKind kind = PlaneKind::kOther;
  trace::Side side = trace::Side::kHost;
  std::vector<uint32_t> planes;  // indices into Layout::planes
  std::vector<LanePlan> lanes;   // in file order
  uint64_t bytes = 0;            // of all lines
};

struct FilePlan {
  std::vector<PlanePlan> planes;  // in file order of first appearance
};

FilePlan PlanLanes(const Layout& layout);

PlaneKind KindOfPlane(std::string_view name);

}  // namespace tfprof::xplane
