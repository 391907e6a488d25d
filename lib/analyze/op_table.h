// The op table as a reducer: self time, totals, occurrences and idle of every op, in strict numbers (docs/numbers.md).
//
// As a Sink it takes lanes, one `OpTable` per reading thread; `Merge` adds another one's (threads into a file, files
// into a run); `Finish` makes rows. Per event one record of an array is touched (op_lanes.h); names are hashed once per
// plane, in EndPlane. What it holds grows with the number of ops and of merged busy intervals, never with the events.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/busy_union.h"
#include "analyze/op_lanes.h"
#include "analyze/ops_result.h"
#include "base/diagnostics.h"
#include "trace/lane.h"

namespace tfprof::analyze {

class OpTable : public trace::Sink {
 public:
  explicit OpTable(const OpTableOptions& options) : options_(options) {}
  OpTable(const OpTable&) = delete;  // lanes point back here
  OpTable& operator=(const OpTable&) = delete;

  trace::LaneConsumer* Open(const trace::LaneInfo& info) override;
  void EndPlane(const trace::OpDictionary& ops) override;
  void Settle() override;

  void Merge(OpTable&& other);

  // Rows sorted by self time (device first), with shares, IDLE rows if asked for, and what must be said about them.
  // `threads`: how many may measure the time in which anything was busy.
  OpsResult Finish(bool include_idle, Diagnostics* diagnostics, unsigned threads = 1) &&;

 private:
  struct RowKey {
    Side side;
    std::string group;  // value of --by host, device or lane; else ""
    std::string type, name, kernel;
    bool operator==(const RowKey&) const = default;
  };
  struct RowKeyHash {
    size_t operator()(const RowKey& key) const;
  };
  struct Row {
    OpRecord record;
    int128 unattributed_ps = 0;  // of the ops in it that no framework op claims
  };
  // Oddities on lanes: how many, and the place of the first (the least one, so that threads don't matter).
  struct Oddity {
    uint64_t count = 0;
    std::string place;
    void Add(uint64_t n, const std::string& where);
  };
  struct Plane {
    PlaneRecords records;
    Side side = Side::kHost;
    std::unordered_map<std::string, uint32_t> group_ids;
  };

  Plane& PlaneOf(const trace::LaneInfo& info);
  void CloseLane(OpLane* lane);
  void AddBusy(IntervalList busy, BusyUnion* to);
  void Flush(Plane& plane, const std::string& group);
  std::string GroupOf(const trace::LaneInfo& info) const;
  std::string KeyOf(const std::string& group, const std::string& type, const std::string& name) const;
  std::vector<OpsRow> MakeRows();
  static void NameLanes(std::vector<OpsRow>* rows);
  void AddIdle(Side side, int128 idle_ps, std::vector<OpsRow>* rows) const;
  void Say(const OpsResult& result, Diagnostics* diagnostics) const;

  const OpTableOptions options_;
  std::vector<std::unique_ptr<Plane>> planes_;
  std::unordered_map<RowKey, Row, RowKeyHash> rows_;
  using Place = std::pair<uint32_t, std::string>;                     // file, name
  std::map<Place, BusyUnion> host_busy_, device_busy_, idle_groups_;  // by host; by host and device; by idle group
  size_t waiting_words_ = 0, settled_words_ = 0;                      // in all of them
  uint64_t host_lanes_ = 0, device_lanes_ = 0;
  int128 host_idle_ps_ = 0;  // of lanes without an idle group
  int128 flagged_unattributed_ps_ = 0;
  Oddity overlaps_, overruns_, left_out_;
  std::vector<std::unique_ptr<NestedLane>> nested_;  // all ever made; the free ones are used again
  std::vector<std::unique_ptr<StreamLane>> streams_;
  std::vector<NestedLane*> free_nested_;
  std::vector<StreamLane*> free_streams_;
};

// The last `/` of an op name splits scope from leaf: `model/dense/MatMul` → `model/dense`; "" when there is none.
std::string_view ScopeOf(std::string_view op_name);

}  // namespace tfprof::analyze
