// The events of an XSpace as XProf's grouping links them: parents by nesting, by flows, by launches (op_stats.md §6).
//
// Flat arrays, some 72 bytes an event: built only when a grouping can matter (grouping.h). An event's parents are the
// innermost event of its line around it, then linked events in the order in which XProf links them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/xplane/event_kind.h"
#include "formats/xplane/layout.h"
#include "trace/event_stream.h"

namespace tfprof::xplane {

using trace::kNoEventGroup;

class EventGraph {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  struct Node {
    uint64_t begin_ps = 0, end_ps = 0;  // mod 2^64
    int64_t group = kNoEventGroup;
    uint64_t step_id = 0;               // stat `id`, int64 or uint64 slot
    uint64_t iteration = 0;             // stat `iter_num`, likewise
    uint32_t plane = 0, line = 0;
    uint32_t ordinal = 0;               // in the line, in file order
    uint32_t nested_in = kNone;
    int32_t root = 0;
    EventKind kind = EventKind::kOther;
    bool has_step_id = false, has_iteration = false;
    bool step_is_int64 = false, iteration_is_int64 = false;  // what reads int64 only sees 0 otherwise
    bool runs_eagerly = false;          // EagerExecute of what is no function
    bool is_implicit_root = false;      // if it is a root: not one that the user named

    int64_t step_int64() const { return step_is_int64 ? static_cast<int64_t>(step_id) : 0; }
    int64_t iteration_int64() const { return iteration_is_int64 ? static_cast<int64_t>(iteration) : 0; }
  };

  // `numbers` kAny: strictly, so that neither the slots of numbers, nor the order of events, nor pieces of a line, nor the
  // rounding of clocks change what belongs to what. kTyped: as XProf links.
  explicit EventGraph(const Layout& layout, trace::NumberSlots numbers = trace::NumberSlots::kTyped);

  const std::vector<Node>& nodes() const { return nodes_; }
  // Whether the nearest EagerExecute among an event and its ancestors, breadth first, runs eagerly.
  bool IsEager(uint32_t node) const;
  // Gives every event that a root reaches the number of its group; on TPUs, where no host root reaches a step, all steps.
  void AssignGroups();
  // Names of the user's roots ("train 7") by node; after AssignGroups.
  const std::map<uint32_t, std::string>& step_names() const { return step_names_; }

 private:
  // Type, up to four numbers of the id, process.
  struct FlowKey {
    std::array<uint64_t, 6> parts{};
    bool operator==(const FlowKey&) const = default;
  };
  struct FlowKeyHash {
    size_t operator()(const FlowKey& key) const;
  };
  struct Flow {
    std::vector<uint32_t> producers, consumers;
  };
  class PlaneReader;

  void AddTpuPlane(PlaneReader* reader);
  template <typename Holds>
  void Nest(const std::vector<uint32_t>& events, Holds&& holds);
  void Link(uint32_t parent, uint32_t child) { links_.emplace_back(parent, child); }
  void LinkFlows();
  void LinkByStats();
  void FinishLinks();
  void AddExecutorLoops();
  bool HasAncestorRoot(uint32_t node) const;
  void Spread(uint32_t root, int64_t group);
  void NameStep(uint32_t root);
  template <typename Test>
  uint32_t Nearest(uint32_t node, bool with_self, Test&& test) const;

  const Layout& layout_;
  std::vector<Node> nodes_;
  std::vector<std::pair<uint32_t, uint32_t>> links_;  // parent, child
  std::vector<uint32_t> parent_at_, parents_;         // of node n: parents_[parent_at_[n] … parent_at_[n + 1])
  std::vector<uint32_t> child_at_, children_;
  std::unordered_map<FlowKey, Flow, FlowKeyHash> flows_;
  std::vector<FlowKey> flow_order_;                   // in order of appearance
  // Launches and what they start, process events and what consumes them.
  std::vector<std::pair<uint64_t, uint32_t>> launches_, executions_;  // correlation id, node
  std::vector<std::vector<uint32_t>> tpu_cores_;                      // their steps
  std::vector<uint32_t> loop_roots_;
  std::map<uint32_t, std::string> step_names_;
  // What names of steps are made of: by node, of the few that have it.
  std::unordered_map<uint32_t, std::string_view> root_event_names_, graph_types_;
  std::unordered_map<uint32_t, int64_t> step_numbers_;
  std::set<int64_t> data_steps_;  // steps of tf.data, which are no roots
  mutable std::vector<uint32_t> seen_;  // stamp of the last walk that saw the node
  mutable uint32_t walk_ = 0;
};

}  // namespace tfprof::xplane
