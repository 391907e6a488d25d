#include "formats/chrome/beside_lanes.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tfprof::chrome {

namespace {

struct Kind {
  const char* name;
  std::string_view phases;
};
constexpr Kind kKinds[] = {
    {"flow arrows", "tf"},  {"async events", "bneSTpF"},
    {"counters", "C"},      {"object snapshots", "NOD"},
    {"instants", "iI"},     {"samples", "P"},
    {"marks", "R"},         {"clock syncs", "c"},
    {"memory dumps", "vV"}, {"contexts", "()"},
    {"linked ids", "="},
};
constexpr std::string_view kElsewhere = "XBEMs";  // on lanes, names, and the first event of a flow

}  // namespace

bool IsKnownPhase(char phase) {
  const auto has = [phase](const Kind& kind) { return kind.phases.find(phase) != std::string_view::npos; };
  return kElsewhere.find(phase) != std::string_view::npos || std::any_of(std::begin(kKinds), std::end(kKinds), has);
}

std::vector<std::pair<std::string, uint64_t>> EventsBesideLanes(const std::map<char, uint64_t>& phases) {
  std::map<char, uint64_t> rest = phases;
  rest.erase(0);  // told as an event that lacks its phase
  for (const char phase : kElsewhere) rest.erase(phase);
  std::vector<std::pair<std::string, uint64_t>> out;
  for (const Kind& kind : kKinds) {
    uint64_t count = 0;
    for (const char phase : kind.phases) {
      const auto at = rest.find(phase);
      if (at == rest.end()) continue;
      count += at->second;
      rest.erase(at);
    }
    if (count > 0) out.emplace_back(kind.name, count);
  }
  uint64_t unknown = 0;
  for (const auto& [phase, count] : rest) unknown += count;
  if (unknown > 0) out.emplace_back("events of unknown phases", unknown);
  return out;
}

}  // namespace tfprof::chrome
