#include "analyze/op_tree_select.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/count.h"

namespace tfprof::analyze {
namespace {

constexpr uint32_t kNoParent = TreeNode::kNoParent;

// Totals from self times; children stand behind their parents. A call is one occurrence whatever it calls; a scope or
// type occurs as often as its ops.
void SumUp(TreeBy by, std::vector<TreeNode>* nodes) {
  for (TreeNode& node : *nodes) {
    node.host_total_ps = node.host_self_ps;
    node.device_total_ps = node.device_self_ps;
    node.launched_ps = node.own_launched_ps;
    node.occurrences = node.own_occurrences;
  }
  for (size_t i = nodes->size(); i-- > 0;) {
    const TreeNode& node = (*nodes)[i];
    if (node.parent == kNoParent) continue;
    TreeNode& parent = (*nodes)[node.parent];
    parent.host_total_ps += node.host_total_ps;
    parent.device_total_ps += node.device_total_ps;
    parent.launched_ps += node.launched_ps;
    if (by != TreeBy::kCall) AddCount(node.occurrences, &parent.occurrences);
  }
}

// Leaves out nodes; what stood below one that goes must go too. Depths and parents are set anew.
template <typename Keep>
void Retain(std::vector<TreeNode>* nodes, Keep keep) {
  std::vector<uint32_t> places(nodes->size(), kNoParent);
  std::vector<TreeNode> kept;
  for (size_t i = 0; i < nodes->size(); ++i) {
    TreeNode& node = (*nodes)[i];
    const bool orphan = node.parent != kNoParent && places[node.parent] == kNoParent;
    if (orphan || !keep(i)) continue;
    places[i] = static_cast<uint32_t>(kept.size());
    if (node.parent != kNoParent) node.parent = places[node.parent];
    node.depth = node.parent == kNoParent ? 0 : kept[node.parent].depth + 1;
    kept.push_back(std::move(node));
  }
  *nodes = std::move(kept);
}

// Heaviest child first, each node before its children.
void Sort(std::vector<TreeNode>* nodes) {
  std::vector<std::vector<uint32_t>> children(nodes->size() + 1);
  for (uint32_t i = 0; i < nodes->size(); ++i) {
    const uint32_t parent = (*nodes)[i].parent;
    children[parent == kNoParent ? nodes->size() : parent].push_back(i);
  }
  const auto before = [nodes](uint32_t x, uint32_t y) {
    const TreeNode &a = (*nodes)[x], &b = (*nodes)[y];
    if (a.idle != b.idle) return b.idle;
    if (a.relation != b.relation) return a.relation < b.relation;
    if (a.total_ps() != b.total_ps()) return a.total_ps() > b.total_ps();
    return std::tie(b.occurrences, a.name, a.op_type, b.host_total_ps) <
           std::tie(a.occurrences, b.name, b.op_type, a.host_total_ps);
  };
  std::vector<TreeNode> sorted;
  std::vector<std::pair<uint32_t, uint32_t>> open;  // node, place of its parent
  const auto push = [&](std::vector<uint32_t>& ids, uint32_t parent) {
    std::sort(ids.begin(), ids.end(), before);
    for (size_t i = ids.size(); i-- > 0;) open.emplace_back(ids[i], parent);
  };
  push(children[nodes->size()], kNoParent);
  while (!open.empty()) {
    const auto [id, parent] = open.back();
    open.pop_back();
    const auto place = static_cast<uint32_t>(sorted.size());
    sorted.push_back((*nodes)[id]);
    sorted.back().parent = parent;
    push(children[id], place);
  }
  *nodes = std::move(sorted);
}

// Adds up nodes that have the same parent, name and type.
class Gatherer {
 public:
  uint32_t Child(uint32_t parent, const TreeNode& like, TreeNode::Relation relation = TreeNode::Relation::kNone) {
    const auto [at, added] =
        ids_.try_emplace({parent, relation, like.name, like.op_type}, static_cast<uint32_t>(nodes.size()));
    if (!added) return at->second;
    TreeNode node;
    node.parent = parent;
    node.depth = parent == kNoParent ? 0 : nodes[parent].depth + 1;
    node.name = like.name;
    node.op_type = like.op_type;
    node.path = like.path;
    node.idle = like.idle;
    node.relation = relation;
    nodes.push_back(std::move(node));
    return at->second;
  }
  std::vector<TreeNode> nodes;

 private:
  std::map<std::tuple<uint32_t, TreeNode::Relation, std::string, std::string>, uint32_t> ids_;
};

std::vector<TreeNode> Invert(const std::vector<TreeNode>& nodes) {
  Gatherer inverted;
  for (const TreeNode& leaf : nodes) {
    if (leaf.self_ps() == 0 && leaf.own_launched_ps == 0 && leaf.op_type.empty()) continue;
    uint32_t at = inverted.Child(kNoParent, leaf);
    inverted.nodes[at].host_self_ps += leaf.host_self_ps;
    inverted.nodes[at].device_self_ps += leaf.device_self_ps;
    inverted.nodes[at].own_launched_ps += leaf.own_launched_ps;
    for (const TreeNode* node = &leaf;; node = &nodes[node->parent]) {
      if (node != &leaf) at = inverted.Child(at, *node);
      TreeNode& sum = inverted.nodes[at];
      AddCount(leaf.own_occurrences, &sum.occurrences);
      sum.host_total_ps += leaf.host_self_ps;
      sum.device_total_ps += leaf.device_self_ps;
      sum.launched_ps += leaf.own_launched_ps;
      if (node->parent == kNoParent) break;
    }
  }
  return std::move(inverted.nodes);
}

void AddTotals(const TreeNode& from, TreeNode* to) {
  to->host_total_ps += from.host_total_ps;
  to->device_total_ps += from.device_total_ps;
  to->launched_ps += from.launched_ps;
  AddCount(from.occurrences, &to->occurrences);
}

}  // namespace

struct TreeSelector::Patterns {
  std::unique_ptr<re2::RE2> focus, ignore, peek;
};

TreeSelector::TreeSelector(const TreeSelection& selection)
    : selection_(selection), patterns_(std::make_unique<Patterns>()) {}
TreeSelector::TreeSelector(TreeSelector&&) noexcept = default;
TreeSelector& TreeSelector::operator=(TreeSelector&&) noexcept = default;
TreeSelector::~TreeSelector() = default;

Result<TreeSelector> TreeSelector::Create(const TreeSelection& selection) {
  TreeSelector selector(selection);
  re2::RE2::Options options;
  options.set_log_errors(false);
  Patterns& patterns = *selector.patterns_;
  for (const auto& [text, pattern] : {std::pair{&selection.focus, &patterns.focus},
                                      {&selection.ignore, &patterns.ignore},
                                      {&selection.peek, &patterns.peek}}) {
    if (text->empty()) continue;
    *pattern = std::make_unique<re2::RE2>(*text, options);
    if (!(*pattern)->ok()) {
      return Error{DiagCode::kUnreadableInput,
                   fmt::format("\"{}\" is no regular expression: {}", *text, (*pattern)->error())};
    }
  }
  return selector;
}

void TreeSelector::FocusAndIgnore(std::vector<TreeNode>* nodes) const {
  const auto below = [&](const std::unique_ptr<re2::RE2>& pattern) {
    std::vector<bool> in(nodes->size(), false);
    for (size_t i = 0; pattern != nullptr && i < in.size(); ++i) {
      const TreeNode& node = (*nodes)[i];
      in[i] =
          (node.parent != kNoParent && in[node.parent]) || (!node.idle && re2::RE2::PartialMatch(node.path, *pattern));
    }
    return in;
  };
  if (patterns_->focus == nullptr && patterns_->ignore == nullptr) return;
  const std::vector<bool> focused = below(patterns_->focus), ignored = below(patterns_->ignore);
  std::vector<bool> needed(nodes->size());
  for (size_t i = nodes->size(); i-- > 0;) {
    TreeNode& node = (*nodes)[i];
    const bool stays = node.idle || ((patterns_->focus == nullptr || focused[i]) && !ignored[i]);
    if (!stays) {
      node.host_self_ps = node.device_self_ps = node.own_launched_ps = 0;
      if (selection_.by != TreeBy::kCall) node.own_occurrences = 0;
    }
    needed[i] = needed[i] || stays;
    if (needed[i] && node.parent != kNoParent) needed[node.parent] = true;
  }
  Retain(nodes, [&](size_t i) { return needed[i]; });
}

std::vector<TreeNode> TreeSelector::Peek(const std::vector<TreeNode>& nodes) const {
  Gatherer peeked;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const TreeNode& node = nodes[i];
    if (node.idle || !re2::RE2::PartialMatch(node.path, *patterns_->peek)) continue;
    const auto same = [&](const TreeNode& other) { return other.name == node.name && other.op_type == node.op_type; };
    bool inside_itself = false;
    for (uint32_t up = node.parent; up != kNoParent; up = nodes[up].parent) inside_itself |= same(nodes[up]);
    const uint32_t root = peeked.Child(kNoParent, node);
    peeked.nodes[root].host_self_ps += node.host_self_ps;
    peeked.nodes[root].device_self_ps += node.device_self_ps;
    peeked.nodes[root].own_launched_ps += node.own_launched_ps;
    if (inside_itself) {
      AddCount(node.occurrences, &peeked.nodes[root].occurrences);
    } else {
      AddTotals(node, &peeked.nodes[root]);
    }
    if (node.parent != kNoParent && !inside_itself) {
      const uint32_t caller = peeked.Child(root, nodes[node.parent], TreeNode::Relation::kCaller);
      AddTotals(node, &peeked.nodes[caller]);
    }
    for (size_t c = i + 1; c < nodes.size() && nodes[c].depth > node.depth; ++c) {
      if (nodes[c].parent != i || same(nodes[c])) continue;
      AddTotals(nodes[c], &peeked.nodes[peeked.Child(root, nodes[c], TreeNode::Relation::kCallee)]);
    }
  }
  return std::move(peeked.nodes);
}

void TreeSelector::CutSmall(std::vector<TreeNode>* nodes) const {
  const std::vector<TreeNode>& all = *nodes;
  Retain(nodes, [&](size_t i) {
    return (selection_.depth == 0 || all[i].depth < selection_.depth) && 100 * all[i].share >= selection_.min_percent;
  });
}

void TreeSelector::Apply(TreeResult* result) const {
  std::vector<TreeNode>& nodes = result->nodes;
  FocusAndIgnore(&nodes);
  SumUp(selection_.by, &nodes);
  for (const TreeNode& node : nodes) {
    if (node.idle) continue;
    result->host_ps += node.host_self_ps;
    result->device_ps += node.device_self_ps;
  }
  if (selection_.invert) nodes = Invert(nodes);
  Sort(&nodes);
  if (patterns_->peek != nullptr) {
    nodes = Peek(nodes);
    Sort(&nodes);
  }
  const int128 all_ps = result->host_ps + result->device_ps + result->idle_ps;
  for (TreeNode& node : nodes) {
    if (all_ps > 0) node.share = static_cast<double>(node.total_ps()) / static_cast<double>(all_ps);
  }
  result->total_nodes = nodes.size();
  CutSmall(&nodes);
}

}  // namespace tfprof::analyze
