#include "analyze/call_tree.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "analyze/self_time.h"
#include "base/count.h"

namespace tfprof::analyze {

using trace::EventBatch;
using trace::LaneInfo;
using trace::Op;
using trace::Role;

namespace {

uint64_t Edge(uint32_t parent, uint32_t op) { return uint64_t{parent} << 32 | op; }

// Numbers of a tree for those of another list, each looked up once: their names are texts.
template <typename Look>
auto Once(Look look) {
  return [look, known = std::unordered_map<uint32_t, uint32_t>()](uint32_t op) mutable {
    const auto [at, is_new] = known.try_emplace(op);
    if (is_new) at->second = look(op);
    return at->second;
  };
}

}  // namespace

class CallTree::Lane : public OpLane {
 public:
  Lane(const OpTableOptions& window, CallTree* tree) : OpLane(window, OnClose()), tree_(*tree) {}

  void Begin(const LaneInfo& info, Plane* plane) {
    Reset(info, nullptr);
    nodes_ = plane;
    launches_ = {};
    launched_ = {};
    if (const LaunchTable* launches = tree_.options_.launches) {
      if (info.side == Side::kHost) launches_ = launches->OfHostLine(info.id);
      if (info.role == Role::kStream) launched_ = launches->OfDeviceLine(info.plane, info.id);
    }
    next_launch_ = next_launched_ = 0;
  }

  void Add(const EventBatch& batch) override {
    const auto credit = [this](uint32_t node, uint64_t ps) {
      nodes_->nodes[node].sums.self_ps += static_cast<int64_t>(ps);
    };
    SelfTimeStack::Pusher stack(&stack_);
    for (size_t i = 0; i < batch.size; ++i) {
      if (batch.op[i] == Op::kNone) continue;
      int64_t start = batch.start_ps[i];
      int64_t end = start + batch.duration_ps[i];
      if (batch.flags[i] & EventBatch::kOutOfTime) [[unlikely]] {
        AddAside(batch.op[i], batch.occurrences == nullptr ? 1 : batch.occurrences[i], end - start);
        continue;
      }
      if (options_.clips() && !Clip(&start, &end)) continue;
      if (info_.role == Role::kStream) {
        AddDeviceEvent(batch.start_ps[i], batch.duration_ps[i], batch.op[i], end - start);
        continue;
      }
      TakeLaunchesBefore(start, &stack);
      const uint32_t node = nodes_->Child(stack.Around(start).value_or(kRoot), batch.op[i]);
      ++nodes_->nodes[node].sums.occurrences;
      stack.Push(start, end, node, credit);
    }
  }

  void Finish() override {
    {
      SelfTimeStack::Pusher stack(&stack_);
      TakeLaunchesBefore(INT64_MAX, &stack);
    }
    stack_.Clear();
  }

  void Close() override {
    Finish();
    tree_.free_.push_back(this);
  }

 private:
  void AddTo(uint32_t node, uint64_t occurrences, int64_t self_ps) {
    CallSums& sums = nodes_->nodes[node].sums;
    AddCount(occurrences, &sums.occurrences);
    sums.self_ps += self_ps;
  }

  // An event without a place in time has nothing around it, and lies in no window.
  void AddAside(uint32_t op, uint64_t occurrences, int64_t duration_ps) {
    if (!options_.clips()) AddTo(nodes_->Child(kRoot, op), occurrences, duration_ps);
  }

  // Gives away the launches up to the next event; one that starts with an event lies within it.
  void TakeLaunchesBefore(int64_t until_ps, SelfTimeStack::Pusher* stack) {
    for (; next_launch_ < launches_.size(); ++next_launch_) {
      const Launch& launch = launches_[next_launch_];
      int64_t at_ps = launch.at_ps, end_ps = at_ps;
      if (options_.clips() && !Clip(&at_ps, &end_ps)) continue;
      if (at_ps >= until_ps) return;
      const std::optional<uint32_t> node = stack->Around(at_ps);
      if (node) nodes_->launchers.push_back({launch.id, *node});
    }
  }

  // `self_ps`: what of it a selection leaves.
  void AddDeviceEvent(int64_t start_ps, int64_t duration_ps, uint32_t op, int64_t self_ps) {
    const auto comes_before = [&](const LaunchedEvent& event) {
      return event.start_ps < start_ps || (event.start_ps == start_ps && event.duration_ps > duration_ps);
    };
    while (next_launched_ < launched_.size() && comes_before(launched_[next_launched_])) ++next_launched_;
    if (next_launched_ < launched_.size() && launched_[next_launched_].start_ps == start_ps &&
        launched_[next_launched_].duration_ps == duration_ps) {
      nodes_->launched.push_back({launched_[next_launched_++].launch, op, self_ps});
    } else {
      AddTo(nodes_->Child(kRoot, op), 1, self_ps);
      tree_.unowned_launched_ps_ += self_ps;
    }
  }

  CallTree& tree_;
  Plane* nodes_ = nullptr;
  std::span<const Launch> launches_;
  std::span<const LaunchedEvent> launched_;
  size_t next_launch_ = 0, next_launched_ = 0;
  SelfTimeStack stack_;
};

CallTree::CallTree(const CallTreeOptions& options) : options_(options) {
  window_.from_ps = options.from_ps;
  window_.to_ps = options.to_ps;
  window_.steps = options.steps;
  knows_launches_ = options.launches != nullptr && options.launches->known();
}

CallTree::~CallTree() = default;

size_t CallTree::OpHash::operator()(const CallOp& op) const {
  size_t hash = static_cast<size_t>(op.side);
  for (const std::string* part : {&op.type, &op.name, &op.kernel}) {
    hash = hash * 0x9e3779b97f4a7c15u + std::hash<std::string_view>{}(*part);
  }
  return hash;
}

uint32_t CallTree::Plane::Child(uint32_t parent, uint32_t op) {
  const auto [at, added] = children.try_emplace(Edge(parent, op), static_cast<uint32_t>(nodes.size()));
  if (added) nodes.push_back({parent, op, CallSums()});
  return at->second;
}

uint32_t CallTree::Child(uint32_t parent, uint32_t op) {
  const auto [at, added] = children_.try_emplace(Edge(parent, op), static_cast<uint32_t>(nodes_.size()));
  if (added) nodes_.push_back({parent, op, CallSums()});
  return at->second;
}

uint32_t CallTree::OpId(const CallOp& op) {
  const auto [at, added] = op_ids_.try_emplace(op, static_cast<uint32_t>(ops_.size()));
  if (added) ops_.push_back(op);
  return at->second;
}

CallTree::Plane& CallTree::PlaneOf(const LaneInfo& info) {
  for (const auto& plane : planes_) {
    if (plane->ops == info.ops) return *plane;
  }
  planes_.push_back(std::make_unique<Plane>());
  planes_.back()->ops = info.ops;
  planes_.back()->side = info.side;
  return *planes_.back();
}

trace::LaneConsumer* CallTree::Open(const LaneInfo& info) {
  if (info.role == Role::kView || info.role == Role::kOther) return nullptr;
  if (free_.empty()) {
    lanes_.push_back(std::make_unique<Lane>(window_, this));
    free_.push_back(lanes_.back().get());
  }
  Lane* lane = free_.back();
  free_.pop_back();
  lane->Begin(info, &PlaneOf(info));
  return lane;
}

void CallTree::EndPlane(const trace::OpDictionary& ops) {
  const auto at = std::find_if(planes_.begin(), planes_.end(), [&](const auto& p) { return p->ops == &ops; });
  if (at == planes_.end()) return;
  const Plane& plane = **at;
  auto id_of = Once([&](uint32_t number) {
    const Op& op = ops[number];
    return OpId({plane.side, op.type, op.name, op.kernel});
  });
  std::vector<uint32_t> ids(plane.nodes.size(), kRoot);
  for (size_t i = 1; i < plane.nodes.size(); ++i) {
    const Node& node = plane.nodes[i];
    ids[i] = Child(ids[node.parent], id_of(node.op));
    nodes_[ids[i]].sums.Add(node.sums);
  }
  for (const Launcher& launcher : plane.launchers) launchers_.push_back({launcher.launch, ids[launcher.node]});
  for (const Launched& event : plane.launched) {
    launched_.push_back({event.launch, id_of(event.op), event.self_ps});
  }
  planes_.erase(at);
}

void CallTree::Merge(const CallTree& other) {
  auto id_of = Once([&](uint32_t number) { return OpId(other.ops_[number]); });
  std::vector<uint32_t> ids(other.nodes_.size(), kRoot);
  for (size_t i = 1; i < other.nodes_.size(); ++i) {
    const Node& node = other.nodes_[i];
    ids[i] = Child(ids[node.parent], id_of(node.op));
    nodes_[ids[i]].sums.Add(node.sums);
  }
  for (const Launcher& launcher : other.launchers_) launchers_.push_back({launcher.launch, ids[launcher.node]});
  for (const Launched& event : other.launched_) {
    launched_.push_back({event.launch, id_of(event.op), event.self_ps});
  }
  unowned_launched_ps_ += other.unowned_launched_ps_;
  knows_launches_ |= other.knows_launches_;
}

void CallTree::EndFile() {
  std::unordered_map<uint32_t, uint32_t> nodes;  // by launch
  for (const Launcher& launcher : launchers_) nodes.emplace(launcher.launch, launcher.node);
  for (const Launched& event : launched_) {
    const auto at = nodes.find(event.launch);
    const uint32_t launcher = at == nodes.end() ? kRoot : at->second;
    CallSums& sums = nodes_[Child(launcher, event.op)].sums;
    AddCount(1, &sums.occurrences);
    sums.self_ps += event.self_ps;
    (launcher == kRoot ? unowned_launched_ps_ : nodes_[launcher].sums.launched_ps) += event.self_ps;
  }
  launchers_ = {};
  launched_ = {};
}

}  // namespace tfprof::analyze
