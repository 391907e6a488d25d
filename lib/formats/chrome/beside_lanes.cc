#include "formats/chrome/beside_lanes.h"

#include <string_view>

namespace tfprof::chrome {

std::vector<std::pair<std::string, uint64_t>> EventsBesideLanes(const std::map<char, uint64_t>& phases) {
  struct Kind {
    const char* name;
    std::string_view phases;
  };
  static constexpr Kind kKinds[] = {
      {"flow arrows", "tf"}, {"async events", "bneSTpF"}, {"counters", "C"}, {"object snapshots", "NOD"},
      {"instants", "iI"},    {"samples", "P"},            {"marks", "R"},    {"clock syncs", "c"},
  };
  std::vector<std::pair<std::string, uint64_t>> out;
  for (const Kind& kind : kKinds) {
    uint64_t count = 0;
    for (const char phase : kind.phases) {
      const auto at = phases.find(phase);
      if (at != phases.end()) count += at->second;
    }
    if (count > 0) out.emplace_back(kind.name, count);
  }
  return out;
}

}  // namespace tfprof::chrome
