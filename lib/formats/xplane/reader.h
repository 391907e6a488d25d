// Reads an XSpace in strict numbers: lanes of its planes to sinks, on several threads.
//
// The file is visited once: planes and metadata by lengths (layout.h), then the events of each lane, largest first. A
// lane that turns out to need more (events far out of order, a line's head behind its events) can't be corrected after
// the fact; `Read` then answers kAgain, having noted in `ReadPlan` what the second reading has to do differently, and
// the caller starts over with fresh sinks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostics.h"
#include "formats/xplane/hlo.h"
#include "formats/xplane/layout.h"
#include "trace/lane.h"

namespace tfprof::xplane {

struct ReadPlan {
  bool thorough_layout = false;                    // lines keep parts of their head behind their events
  bool link_events = false;                        // ops may be eager (eager_reach.h): the event graph has to tell
  std::set<std::pair<size_t, size_t>> sort_lanes;  // (plane, lane) of the file plan: events far out of order
};

struct ReadOptions {
  std::string path;
  bool unpacked = false;  // the bytes are those of what was gzipped, and so are offsets in messages
  std::string host;
  std::function<void(std::string_view)> on_done;  // bytes that are done with; called from all threads
  const std::atomic<bool>* cancelled = nullptr;
};

// How messages call the file, so that a byte offset that follows means something.
std::string MessageName(const ReadOptions& options);

enum class ReadOutcome { kDone, kAgain };

// One sink per thread. Diagnostics of the events are added when the outcome is kDone.
ReadOutcome Read(const Layout& layout, const ReadOptions& options, std::span<trace::Sink* const> sinks, ReadPlan* plan,
                 Diagnostics* diagnostics);

// Says that events were passed over because their bytes make no sense; the first stands at byte `first`.
void SayBrokenEvents(uint64_t count, uint64_t first, const std::string& path, Diagnostics* diagnostics);

// Events without a place in the trace's time, and where the first of a kind lies, in words.
struct Misplaced {
  uint64_t outliers = 0, negative = 0;
  std::string first_outlier, first_negative;

  // `place` gives PlaceInWords; it is only asked for the first.
  template <typename Place>
  void AddOutlier(Place&& place) {
    if (outliers++ == 0) first_outlier = place();
  }
  template <typename Place>
  void AddNegative(Place&& place) {
    if (negative++ == 0) first_negative = place();
  }
  void Merge(const Misplaced& other);
};
std::string PlaceInWords(std::string_view plane, std::string_view line, int64_t line_id);
void SayMisplaced(const Misplaced& found, const std::string& path, Diagnostics* diagnostics);

// Says that stats, and HLO modules, which ops are named by could not be read.
void SayBrokenStats(const BrokenStats& stats, const HloModules::Broken& hlo, const Layout& layout,
                    const std::string& path, Diagnostics* diagnostics);

// What the container itself tells: damage, stored errors and warnings, dropped events.
void DescribeContainer(const Layout& layout, const std::string& path, Diagnostics* diagnostics);

}  // namespace tfprof::xplane
