// Where each event of a timeline stands, on which lane and when: what has to be known before its events can be given
// lane by lane (event_stream.h).
//
// Two readings of a text that lies in memory as a whole: the first finds names, dialect and the time about which the
// events lie, the second the events. Lanes, and the meaning of times, are those of reader.h. Times are picoseconds; 0
// is the start of the earliest event on a lane with ops. Holds 32 bytes for each event on a lane.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/chrome/dialect.h"
#include "formats/chrome/findings.h"
#include "formats/chrome/placement.h"

namespace tfprof::chrome {

// A text that is there as a whole, and how its reading is told of.
struct WholeText {
  std::string_view bytes;
  std::function<void(std::string_view)> on_done;  // told of each part when it was read: its pages may go
  const std::atomic<bool>* cancelled = nullptr;

  bool Cancelled() const { return cancelled != nullptr && *cancelled; }
};

// What the whole file tells of its events.
struct TimelineSurvey {
  DialectChoice dialect;
  Names names;
  std::optional<std::string> rank;
  std::map<char, uint64_t> phases;
  bool is_trace = false;
  __int128 base_ps = 0;  // most events lie near it
  ScanFindings text;
};
TimelineSurvey SurveyTimeline(const WholeText& text, std::optional<Dialect> forced);

struct IndexedEvent {
  enum Flags : uint8_t { kInstant = 1, kUntimed = 2, kCpuOp = 4, kMemory = 8 };

  uint64_t offset = 0;  // of its (or its begin's) text
  int64_t start_ps = 0, duration_ps = 0;
  uint32_t lane = 0;
  uint8_t flags = 0;

  bool is(Flags flag) const { return (flags & flag) != 0; }
};

struct IndexedLane {
  Placement placement;
  std::string pid, tid, name;
  uint32_t plane = 0;         // number of its process, or of its device
  size_t begin = 0, end = 0;  // its events

  bool view() const { return placement.role == trace::Role::kView; }
  bool on_device() const { return placement.side == trace::Side::kDevice; }
};

// A call on the host that started work on a device, by the number that both carry.
struct IndexedLaunch {
  uint32_t lane = 0;
  int64_t start_ps = 0;
  uint64_t external_id = 0;
};

struct EventIndex {
  __int128 base_ps = 0;  // where 0 of all times lies: at the first event on a lane with ops
  std::vector<IndexedLane> lanes;
  uint32_t planes = 0;
  std::vector<IndexedEvent> events;      // by lane, then start, longer first, then as in the file
  std::vector<IndexedEvent> objects;     // tensors (phases N, O, D) in the order of the file; lane means nothing
  std::vector<IndexedEvent> step_marks;  // events of hosts that mark steps
  bool grouped = false;                  // its writer told which events belong to a step (`group_id`)
  std::unordered_map<uint64_t, IndexedLaunch> launches;
  std::unordered_map<uint64_t, uint64_t> cpu_ops;  // Kineto: External id → offset
  EventFindings found;
};
EventIndex IndexEvents(const WholeText& text, const TimelineSurvey& survey, const Placer& placer);

// A correlation or External id; kNoId: it isn't one.
inline constexpr uint64_t kNoId = UINT64_MAX;
uint64_t IdNumber(const JsonValue& value);

}  // namespace tfprof::chrome
