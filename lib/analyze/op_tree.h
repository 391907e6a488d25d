// The op tree as a value: what `tree` prints, before any format is chosen; and how it is made and selected.
//
// Three trees: by name scope (`model/conv1/Conv2D`: one level a slash), by type (types, below each its ops), by call
// (call_tree.h). A node's self time is that of the ops that are the node, by side; its total is its self and its
// children's totals, so that Σ self over the tree is the op table's. Launched device time is a total too (of the host ops
// in and below the node) and part of neither. Occurrences of an op are the larger of its host's and its device's, so
// that an op and its kernels count once; those of a scope or a type are the sum over its ops. Times are picoseconds.
//
// Selection, in this order: side; focus (only what stands in or below a match) and ignore (nothing that does); invert
// or peek; depth and least share. Patterns are RE2 and match anywhere in the node's path (by scope) or name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/call_tree.h"
#include "analyze/ops_result.h"
#include "base/status.h"

namespace tfprof::analyze {

enum class TreeBy { kScope, kCall, kType };

struct TreeNode {
  static constexpr uint32_t kNoParent = 0xffffffff;

  enum class Relation { kNone, kCaller, kCallee };  // of --peek, to the node above

  uint32_t parent = kNoParent;  // index of a node before this one
  uint32_t depth = 0;
  std::string name;
  std::string op_type;  // "" of a scope
  std::string path;     // what patterns match
  uint64_t occurrences = 0;
  uint64_t own_occurrences = 0;  // of the node alone
  int128 host_self_ps = 0, host_total_ps = 0;
  int128 device_self_ps = 0, device_total_ps = 0;
  int128 launched_ps = 0;       // in and below the node
  int128 own_launched_ps = 0;   // in the node alone
  double share = 0;  // of all time in the tree: host and device ops, and idle where it is shown
  bool idle = false;
  Relation relation = Relation::kNone;

  int128 self_ps() const { return host_self_ps + device_self_ps; }
  int128 total_ps() const { return host_total_ps + device_total_ps; }
};

struct TreeSelection {
  TreeBy by = TreeBy::kScope;
  std::optional<Side> side;
  bool idle = false;           // IDLE as a node of its own
  bool invert = false;         // from the ops that take the time up to who called them
  std::string focus, ignore, peek;  // patterns; "": none
  uint32_t depth = 0;          // levels; 0: all
  double min_percent = 0;      // least share
};

struct TreeResult {
  TreeBy by = TreeBy::kScope;
  std::vector<TreeNode> nodes;  // in print order: heaviest child first, each before its children; IDLE last
  uint64_t total_nodes = 0;     // before depth and least share
  bool knows_launches = false;
  bool inverted = false, peeked = false;
  int128 host_ps = 0, device_ps = 0;  // op time of the whole tree, after side, focus and ignore
  int128 idle_ps = 0;                 // when shown
  int128 unowned_launched_ps = 0;
};

// Of an op table by op (with all its rows) and the calls of the same lanes. Fails on a pattern that RE2 can't compile.
Result<TreeResult> MakeOpTree(const OpsResult& ops, const CallTree& calls, const TreeSelection& selection);

}  // namespace tfprof::analyze
