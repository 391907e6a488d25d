// The vocabulary between readers and analyses: lanes and their events.
//
// A lane is one serial piece of a profile: a host thread (XLine of `/host:CPU`, Chrome pid/tid), a GPU stream, the
// `XLA Ops` line of a TPU. A reader opens lanes on a `Sink` and pushes their events in batches of columns; an analysis
// implements `Sink`. A reader may use several sinks at once, one per thread; their results are merged afterwards.
// Times are int64 picoseconds from the file's base (docs/numbers.md, rule 1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/op_dictionary.h"

namespace tfprof::trace {

enum class Side : uint8_t { kDevice, kHost };

// What a reader made of a lane.
enum class Role : uint8_t {
  kHostOps,  // a host thread: its ops nest
  kStream,   // a device stream: events do not nest, all of them are busy time
  kNested,   // a device lane whose ops nest (TPU `XLA Ops`)
  kView,     // tells of the same work once more (derived lines, TPU steps and modules): counted by `info` only
  kOther,    // no ops by definition (Syscalls, Task Environment, …): counted by `info` only
};

// A lane's id for people and records.
inline std::string LaneIdText(int64_t id, std::string_view id_text) {
  return id_text.empty() ? std::to_string(id) : std::string(id_text);
}

struct LaneInfo {
  Side side = Side::kHost;
  Role role = Role::kHostOps;
  std::string_view host;        // host name, "" if unknown
  std::string_view plane;       // plane or process name: with `host` the identity of a device
  std::string_view name;        // line or thread name
  std::string_view device;      // device side: what shares span, busy and idle; "": the plane
  std::string_view idle_group;  // host side: lanes that count as one thread for idle time; "": each for itself
  int64_t id = 0;               // line id or tid
  std::string_view id_text;     // where the file's own text says more than `id`; "": `id` does (LaneIdText)
  uint32_t plane_index = 0, lane_index = 0;  // place in the file
  const OpDictionary* ops = nullptr;

  std::string IdText() const { return LaneIdText(id, id_text); }
};

// Columns of up to kMaxEvents events of one lane. Readers keep the order that nesting needs, within a batch and from
// one to the next: start ascending, then duration descending, then file order; events with kOutOfTime stand anywhere.
// Pointers are valid during the call only.
struct EventBatch {
  static constexpr size_t kMaxEvents = 1024;

  enum Flags : uint8_t {
    kEager = 1,
    kUnattributed = 4,  // device: no framework op claims this event, whatever its op says
    // Counts in its row, but lies outside the trace's time (outlier, untimed, aggregate): no span, no busy.
    kOutOfTime = 2,
  };

  size_t size = 0;
  const int64_t* start_ps = nullptr;
  const int64_t* duration_ps = nullptr;  // never negative; start + duration fits
  const uint32_t* op = nullptr;          // id in the lane's dictionary, or Op::kNone
  const uint8_t* flags = nullptr;
  const uint64_t* occurrences = nullptr;  // null: 1 each (aggregated events tell of more)
};

// Where a reader puts the events of one lane.
class LaneConsumer {
 public:
  virtual ~LaneConsumer() = default;
  virtual void Add(const EventBatch& batch) = 0;
  virtual void Close() = 0;  // the lane is complete
};

// An analysis, seen from the reader. One thread uses a sink; several lanes may be open on it at once.
class Sink {
 public:
  virtual ~Sink() = default;
  // `info` and what it points to stay valid until the lane is closed. Null: the sink doesn't want this lane.
  virtual LaneConsumer* Open(const LaneInfo& info) = 0;
  // No further event will name an op of this dictionary; its numbers may be forgotten.
  virtual void EndPlane(const OpDictionary& ops) = 0;
  // This thread reads no more lanes: a chance to do on it what would else be done after the threads, one by one.
  virtual void Settle() {}
};

}  // namespace tfprof::trace
