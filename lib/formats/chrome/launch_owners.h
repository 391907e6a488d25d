// Which `cpu_op` of a Kineto trace launched an event of a device: the innermost one around the runtime or driver call
// with the event's `correlation`; `External id` counts where there is no such launch, and only if it differs from the
// correlation (reference: chrome_trace.md (c); kineto_owners.h says whether there is one).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "formats/chrome/event_index.h"

namespace tfprof::chrome {

class LaunchOwners {
 public:
  // `index` outlives it.
  explicit LaunchOwners(const EventIndex& index);

  // Where the owner's text begins. `correlation`, `external`: IdNumber of the event's.
  std::optional<uint64_t> Of(uint64_t correlation, uint64_t external) const;

 private:
  void FindOnLane(const IndexedLane& lane, std::vector<std::pair<int64_t, uint64_t>> launches);
  std::optional<uint64_t> Named(uint64_t external, uint64_t correlation) const;

  const EventIndex& index_;
  std::unordered_map<uint64_t, uint64_t> around_;  // correlation → offset of the innermost cpu_op
};

}  // namespace tfprof::chrome
