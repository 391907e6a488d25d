#include "analyze/op_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analyze/op_tree_select.h"
#include "base/count.h"

namespace tfprof::analyze {
namespace {

constexpr uint32_t kNoParent = TreeNode::kNoParent;

// Makes the nodes of one tree; a child is found by its parent and key.
class Builder {
 public:
  uint32_t Child(uint32_t parent, const std::string& key, const std::string& name) {
    const auto [at, added] = ids_.try_emplace({parent, key}, static_cast<uint32_t>(nodes_.size()));
    if (added) {
      TreeNode node;
      node.parent = parent;
      node.depth = parent == kNoParent ? 0 : nodes_[parent].depth + 1;
      node.name = node.path = name;
      nodes_.push_back(std::move(node));
      occurrences_.emplace_back();
    }
    return at->second;
  }
  TreeNode& operator[](uint32_t id) { return nodes_[id]; }

  void Count(uint32_t id, Side side, const std::string& op, uint64_t occurrences, const std::string& kernel = "") {
    OpCount& count = occurrences_[id][op];
    if (side == Side::kHost) {
      count.host += occurrences;
    } else {
      count.kernels[kernel] += occurrences;
    }
  }

  std::vector<TreeNode> Finish() && {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (const auto& [op, count] : occurrences_[i]) {
        uint64_t most = count.host;
        for (const auto& [kernel, n] : count.kernels) most = std::max(most, n);
        AddCount(most, &nodes_[i].own_occurrences);
      }
    }
    return std::move(nodes_);
  }

 private:
  struct OpCount {
    uint64_t host = 0;
    std::map<std::string, uint64_t> kernels;
  };
  std::vector<TreeNode> nodes_;
  std::vector<std::map<std::string, OpCount>> occurrences_;  // by op name
  std::map<std::pair<uint32_t, std::string>, uint32_t> ids_;
};

void AddSelf(TreeNode* node, Side side, int128 self_ps) {
  (side == Side::kHost ? node->host_self_ps : node->device_self_ps) += self_ps;
}

// One node a part of the name; parts that are empty don't count.
uint32_t ScopeNode(const std::string& op_name, Builder* tree) {
  uint32_t node = kNoParent;
  std::string path;
  for (size_t from = 0; from <= op_name.size();) {
    const size_t slash = std::min(op_name.find('/', from), op_name.size());
    if (slash > from) {
      const std::string part = op_name.substr(from, slash - from);
      path += (path.empty() ? "" : "/") + part;
      node = tree->Child(node, part, part);
      (*tree)[node].path = path;
    }
    from = slash + 1;
  }
  return node == kNoParent ? tree->Child(kNoParent, op_name, op_name) : node;
}

uint32_t NodeOf(const std::string& type, const std::string& name, TreeBy by, Builder* tree) {
  if (by == TreeBy::kScope) return ScopeNode(name, tree);
  return tree->Child(tree->Child(kNoParent, type, type), name, name);
}

std::vector<TreeNode> ByName(const OpsResult& ops, const CallTree& calls, const TreeSelection& selection) {
  Builder tree;
  for (const OpsRow& row : ops.rows) {
    if (row.idle || (selection.side && row.side != *selection.side)) continue;
    const uint32_t id = NodeOf(row.op_type, row.op_name, selection.by, &tree);
    TreeNode& node = tree[id];
    AddSelf(&node, row.side, row.self_ps);
    if (node.op_type.empty() || node.op_type == "Unknown") node.op_type = row.op_type;
    tree.Count(id, row.side, row.op_name, row.occurrences, row.op_type);
  }
  for (const CallTree::Node& call : calls.nodes()) {
    if (call.sums.launched_ps == 0 || selection.side == Side::kDevice) continue;
    const CallOp& op = calls.op(call.op);
    tree[NodeOf(op.type, op.name, selection.by, &tree)].own_launched_ps += call.sums.launched_ps;
  }
  return std::move(tree).Finish();
}

std::vector<TreeNode> ByCall(const CallTree& calls, const TreeSelection& selection) {
  Builder tree;
  std::vector<uint32_t> ids(calls.nodes().size(), kNoParent);
  for (size_t i = 1; i < ids.size(); ++i) {
    const CallTree::Node& call = calls.nodes()[i];
    const CallOp& op = calls.op(call.op);
    if (selection.side && op.side != *selection.side) continue;
    // Below what launched it a device op is the kernel that ran: its op's name would be its parent's once more.
    const bool launched = op.side == Side::kDevice && ids[call.parent] != kNoParent;
    const std::string& name = launched && !op.kernel.empty() ? op.kernel : op.name;
    ids[i] = tree.Child(ids[call.parent], fmt::format("{}\1{}\1{}", static_cast<int>(op.side), op.type, name), name);
    TreeNode& node = tree[ids[i]];
    node.op_type = op.type;
    AddSelf(&node, op.side, call.sums.self_ps);
    node.own_launched_ps += call.sums.launched_ps;
    tree.Count(ids[i], op.side, op.name, call.sums.occurrences, op.kernel);
  }
  return std::move(tree).Finish();
}

}  // namespace

Result<TreeResult> MakeOpTree(const OpsResult& ops, const CallTree& calls, const TreeSelection& selection) {
  Result<TreeSelector> selector = TreeSelector::Create(selection);
  if (!selector) return selector.error();
  TreeResult result;
  result.by = selection.by;
  result.inverted = selection.invert;
  result.peeked = !selection.peek.empty();
  result.knows_launches = calls.knows_launches();
  result.unowned_launched_ps = calls.unowned_launched_ps();
  result.nodes = selection.by == TreeBy::kCall ? ByCall(calls, selection) : ByName(ops, calls, selection);
  if (selection.idle && !ops.rows.empty()) {
    TreeNode idle;
    idle.name = idle.op_type = "IDLE";
    idle.idle = true;
    if (selection.side != Side::kDevice) idle.host_self_ps = idle.host_total_ps = ops.host.idle_ps;
    if (selection.side != Side::kHost) idle.device_self_ps = idle.device_total_ps = ops.device.idle_ps;
    result.idle_ps = idle.total_ps();
    result.nodes.push_back(std::move(idle));
  }
  selector->Apply(&result);
  return result;
}

}  // namespace tfprof::analyze
