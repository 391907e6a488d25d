// Which ops ran eagerly: XProf's grouping of events (reference: op_stats.md §6).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/xplane/layout.h"
#include "trace/event_stream.h"

namespace tfprof::xplane {

// One bit for each event of a line, in file order.
class EagerBits {
 public:
  void Set(uint64_t ordinal) {
    if (ordinal / 64 >= words_.size()) words_.resize(ordinal / 64 + 1);
    words_[ordinal / 64] |= uint64_t{1} << (ordinal % 64);
  }
  bool Get(uint64_t ordinal) const {
    return ordinal / 64 < words_.size() && (words_[ordinal / 64] >> (ordinal % 64) & 1) != 0;
  }

 private:
  std::vector<uint64_t> words_;
};

// Whether events ran eagerly.
class EagerFlags {
 public:
  // The stats `is_eager` of the events count as stored (the file was saved grouped, it has loops and is
  // therefore not grouped, or nothing in it is called EagerExecute).
  bool use_stored() const { return use_stored_; }
  // The eager events of a line; null: none is.
  const EagerBits* BitsOf(uint32_t plane, uint32_t line) const {
    const auto at = bits_.find({plane, line});
    return at == bits_.end() ? nullptr : &at->second;
  }

 private:
  friend struct GroupingBuilder;

  bool use_stored_ = false;
  std::map<std::pair<uint32_t, uint32_t>, EagerBits> bits_;
};

// Without a look at events: whether stored flags count. Where they don't, no event is eager unless EagerReach
// (eager_reach.h) finds a hint.
EagerFlags ReadStoredEagerFlags(const Layout& layout);
// With the events linked; numbers in any slot.
EagerFlags ReadEagerFlags(const Layout& layout);

// Step numbers of events, for what only XProf's numbers need. `kNoGroup`: the event has none.
inline constexpr int64_t kNoGroup = trace::kNoEventGroup;

struct Grouping {
  bool already_grouped = false;  // the file was saved grouped: its lines are taken as they are
  EagerFlags eager;
  // By (plane, line), then by ordinal of the event. A line that is not here has the groups that its events store.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<int64_t>> groups;
  // Names of the user's step markers ("train 7") by (plane, line) and ordinal; where the file is grouped already its events
  // store them.
  std::map<std::pair<uint32_t, uint32_t>, std::map<uint32_t, std::string>> step_names;

  const std::vector<int64_t>* GroupsOf(uint32_t plane, uint32_t line) const {
    const auto at = groups.find({plane, line});
    return at == groups.end() ? nullptr : &at->second;
  }
};

// `gpu_groups`: of all lines of GPU planes; `tpu_groups`: of the steps of TPU planes (or of their modules).
struct GroupingNeeds {
  bool gpu_groups = false, tpu_groups = false;
  bool host_groups = false;  // of the lines of all other planes, and the names of steps
  bool eager = true;       // which ops ran eagerly
  bool eager_ops = false;  // there are hints already, which needn't be looked for
  trace::NumberSlots numbers = trace::NumberSlots::kTyped;
};

Grouping ReadGrouping(const Layout& layout, const GroupingNeeds& needs);

}  // namespace tfprof::xplane
