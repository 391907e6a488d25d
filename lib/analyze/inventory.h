// What is in a profile: planes, lanes, counts and spans, as `info` and the summary print it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trace/lane.h"

namespace tfprof::analyze {

struct LaneInventory {
  std::string name;
  std::string id;  // a text: ids of timelines may be any
  trace::Side side = trace::Side::kHost;
  trace::Role role = trace::Role::kOther;
  uint64_t events = 0;
  uint64_t ops = 0;       // events that are ops
  bool timed = false;     // first and last are set
  int64_t first_ps = 0;   // start of the first event, end of the last one; from the file's base, or the
                          // trace's start (CountFromStart)
  int64_t last_ps = 0;
};

struct PlaneInventory {
  std::string name;
  std::vector<LaneInventory> lanes;  // in file order

  uint64_t events() const {
    uint64_t n = 0;
    for (const LaneInventory& lane : lanes) n += lane.events;
    return n;
  }
};

struct FileInventory {
  std::string path;
  uint64_t bytes = 0;       // on disk
  std::string kind;         // "xplane", "tf2-json", …
  std::string kind_reason;  // why it was read as that kind, one sentence
  std::string host, run;
  std::vector<PlaneInventory> planes;
  std::vector<std::pair<std::string, uint64_t>> beside_lanes;  // timelines: flow arrows, counters, …, how many of each
  std::vector<std::string> errors, warnings;  // texts that the profiler stored
};

// The start of the trace, where time 0 of --time lies: that of the earliest event on a lane with ops; 0: there is none.
int64_t TraceStartOf(const std::vector<PlaneInventory>& planes);
// Moves the times of a file's lanes, which count from its base, to the trace's start.
void CountFromStart(std::vector<PlaneInventory>* planes);

// The reducer: counts the events of every lane, views and lanes without ops included.
class Inventory : public trace::Sink {
 public:
  trace::LaneConsumer* Open(const trace::LaneInfo& info) override;
  void EndPlane(const trace::OpDictionary&) override {}

  void Merge(Inventory&& other);
  // Planes with lanes, in file order.
  std::vector<PlaneInventory> Finish() &&;

 private:
  struct Lane;
  struct Place {
    uint32_t plane, lane;
    auto operator<=>(const Place&) const = default;
  };
  struct Entry {
    std::string plane_name;
    LaneInventory lane;
  };

  std::map<Place, Entry> lanes_;
  std::vector<std::shared_ptr<Lane>> consumers_;
  std::vector<Lane*> free_;
};

}  // namespace tfprof::analyze
