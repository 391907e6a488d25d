// The lanes of a Chrome trace while it is read: events in file order to a sink's lanes in nesting order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "formats/chrome/pairing.h"
#include "formats/chrome/placement.h"
#include "trace/lane.h"
#include "trace/lane_orderer.h"
#include "trace/span_sorter.h"

namespace tfprof::chrome {

struct Lane {
  uint32_t index = 0;        // in order of first appearance
  uint32_t plane_index = 0;  // likewise, of its process or device
  uint32_t thread = 0;       // number of its (pid, tid)
  Placement placement;
  ArgSet deciding_args = 0;  // Placer::DecidingArgs
  std::string pid, tid, name;

  // Streaming: the consumer is open from the first event on.
  bool opened = false;
  trace::LaneConsumer* consumer = nullptr;
  trace::LaneOrderer orderer;

  // Begins and ends.
  bool has_pairs = false, pairs_step_back = false, sort_pairs = false;
  int64_t last_pair_ps = INT64_MIN;
  int64_t end_ps = INT64_MIN;  // the lane's last time
  Pairing pairing;
  std::vector<PairEvent> waiting_pairs;

  struct Untimed {
    int64_t duration_ps;
    uint32_t op;
    uint8_t flags;
  };
  std::vector<Untimed> untimed;  // sorting: until the lane is visited
};

class Lanes {
 public:
  // Lanes beyond this number are not kept open together: their spans are sorted instead.
  static constexpr size_t kMostOpen = 2048;

  Lanes(trace::Sink* sink, std::string host, std::string temp_dir, bool sort_spans);

  // The lane of a placed event; made when it is new.
  Lane& Find(const std::string& key, const Placement& placement, const std::string& pid, const std::string& tid);
  size_t size() const { return lanes_.size(); }
  std::deque<Lane>& all() { return lanes_; }

  trace::OpDictionary& ops(trace::Side side) { return side == trace::Side::kHost ? host_ops_ : device_ops_; }

  Status AddSpan(Lane* lane, int64_t start_ps, int64_t duration_ps, uint32_t op, uint8_t flags);
  void AddUntimed(Lane* lane, int64_t duration_ps, uint32_t op, uint8_t flags);
  Status AddPair(Lane* lane, const PairEvent& event);

  // Hands on everything that waits and closes all lanes.
  Status Finish();

  // A streaming reading met something that only sorting can put right.
  bool needs_sorting() const;
  uint64_t unfinished() const { return unfinished_; }
  uint64_t stray_ends() const { return stray_ends_; }

 private:
  void Open(Lane* lane);
  Status AddClosed(Lane* lane);
  Status FinishSorted();
  void EmitLane(Lane* lane, std::vector<PairedSpan>* spans);
  trace::LaneInfo InfoOf(const Lane& lane) const;

  trace::Sink* sink_;
  std::string host_;
  const bool sort_spans_;
  trace::OpDictionary host_ops_, device_ops_;
  std::deque<Lane> lanes_;  // addresses stay
  std::unordered_map<std::string, Lane*> by_key_;
  std::unordered_map<std::string, uint32_t> planes_, threads_;
  trace::SpanSorter sorter_;
  std::vector<PairedSpan> closed_;
  bool saw_pairs_ = false;
  uint64_t unfinished_ = 0, stray_ends_ = 0;
};

}  // namespace tfprof::chrome
