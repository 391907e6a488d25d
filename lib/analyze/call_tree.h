// The call tree as a reducer: which op ran within which, and how much device time each launched.
//
// A sink of lanes like OpTable (op_table.h), one per reading thread; `Merge` adds another one's by (parent, op). Where
// a lane's ops nest, a node's parent is the op around its start; on a device stream it is the innermost host op around
// the launching call (launches.h), or the root if there is none. Self times are those of the op table (self_time.h), so
// that Σ self over the tree is its Σ self, per side. The lanes of a launch and of what it launched may be read by two
// threads in any order, so both are noted and joined when the file ends: one entry a launch until then. What stays
// grows with the number of distinct paths.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/launches.h"
#include "analyze/op_lanes.h"
#include "analyze/ops_result.h"
#include "base/count.h"
#include "trace/lane.h"

namespace tfprof::analyze {

struct CallTreeOptions {
  int64_t from_ps = INT64_MIN, to_ps = INT64_MAX;  // as of OpTableOptions
  const LaunchTable* launches = nullptr;           // of the file; null: the format tells of none
  const StepWindows* steps = nullptr;              // as of OpTableOptions
};

// Sums of one node, of the events that stand there, without what is below.
struct CallSums {
  uint64_t occurrences = 0;
  int128 self_ps = 0;
  int128 launched_ps = 0;
  void Add(const CallSums& other) {
    AddCount(other.occurrences, &occurrences);
    self_ps += other.self_ps;
    launched_ps += other.launched_ps;
  }
};

struct CallOp {
  Side side = Side::kHost;
  std::string type, name;
  std::string kernel;  // device; occurrences of an op are those of its commonest kernel
  bool operator==(const CallOp&) const = default;
};

class CallTree : public trace::Sink {
 public:
  static constexpr uint32_t kRoot = 0;

  struct Node {
    uint32_t parent = kRoot;  // before its children; node 0 is the root, its own parent
    uint32_t op = 0;          // of ops()
    CallSums sums;
  };

  explicit CallTree(const CallTreeOptions& options);
  CallTree(const CallTree&) = delete;  // lanes point back here
  CallTree& operator=(const CallTree&) = delete;
  ~CallTree() override;

  trace::LaneConsumer* Open(const trace::LaneInfo& info) override;
  void EndPlane(const trace::OpDictionary& ops) override;

  void Merge(const CallTree& other);
  // All lanes of a file were read and merged: hangs what was launched below what launched it.
  void EndFile();

  const std::vector<Node>& nodes() const { return nodes_; }
  const CallOp& op(uint32_t id) const { return ops_[id]; }
  // Time of device streams that hangs below no op: no op is around the launching call, or the file doesn't tell of it.
  // With the launched time of all nodes it is all of their time.
  int128 unowned_launched_ps() const { return knows_launches_ ? unowned_launched_ps_ : 0; }
  // Some file tells of launches.
  bool knows_launches() const { return knows_launches_; }

 private:
  class Lane;
  // A launch and the node (of a host) that it stands in, or the op (of a device) that it launched.
  struct Launcher {
    uint32_t launch = 0, node = 0;
  };
  struct Launched {
    uint32_t launch = 0, op = 0;
    int64_t self_ps = 0;
  };
  // The nodes below one plane's lanes, by the ids of its dictionary.
  struct Plane {
    const trace::OpDictionary* ops = nullptr;
    Side side = Side::kHost;
    std::vector<Node> nodes = {Node()};
    std::unordered_map<uint64_t, uint32_t> children;  // (parent, op)
    std::vector<Launcher> launchers;
    std::vector<Launched> launched;
    uint32_t Child(uint32_t parent, uint32_t op);
  };
  struct OpHash {
    size_t operator()(const CallOp& op) const;
  };

  Plane& PlaneOf(const trace::LaneInfo& info);
  uint32_t OpId(const CallOp& op);
  uint32_t Child(uint32_t parent, uint32_t op);

  const CallTreeOptions options_;
  OpTableOptions window_;  // the times of options_, as OpLane::Clip takes them
  std::vector<std::unique_ptr<Plane>> planes_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> free_;
  std::vector<Node> nodes_ = {Node()};
  std::unordered_map<uint64_t, uint32_t> children_;
  std::vector<CallOp> ops_;
  std::unordered_map<CallOp, uint32_t, OpHash> op_ids_;
  std::vector<Launcher> launchers_;  // of the file that is being read
  std::vector<Launched> launched_;   // likewise
  int128 unowned_launched_ps_ = 0;
  bool knows_launches_ = false;
};

}  // namespace tfprof::analyze
