// The events of a timeline that lie on no lane, counted by what they tell.
//
// Phases are those of the Trace Event Format: flows (s, t, f), async events (b, n, e and the older S, T, p, F),
// counters (C), snapshots of objects (N, O, D), instants (i, I), samples (P), marks (R), clock syncs (c), memory dumps
// (v, V), contexts and linked ids; what the format doesn't know counts as well.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tfprof::chrome {

// What there is, in a fixed order, from the counts by phase. A flow of n events is n − 1 arrows: each step or end
// counts.
std::vector<std::pair<std::string, uint64_t>> EventsBesideLanes(const std::map<char, uint64_t>& phases);

// Whether the format has such a phase.
bool IsKnownPhase(char phase);

}  // namespace tfprof::chrome
