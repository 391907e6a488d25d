// Lines with a complete thread pool region, which XProf sorts when it groups a file (reference: op_stats.md §2.1).
#pragma once

#include "formats/xplane/event_scan.h"
#include "formats/xplane/layout.h"

namespace tfprof::xplane {

// Whether the plane knows the names of such regions at all; cheap.
bool NamesThreadPoolRegions(const Plane& plane);

// Whether the line holds a `ThreadpoolListener::StartRegion` with a consumer id, and a `…::StopRegion` after it.
bool HasThreadPoolRegion(const Plane& plane, const Line& line, EventScan* scan);

}  // namespace tfprof::xplane
