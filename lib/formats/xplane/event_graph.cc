#include "formats/xplane/event_graph.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <string_view>
#include <tuple>

#include "formats/xplane/event_scan.h"
#include "formats/xplane/thread_pool.h"
#include "formats/xplane/xprof_planes.h"
#include "formats/xplane/xprof_stats.h"

namespace tfprof::xplane {
namespace {

using Node = EventGraph::Node;

constexpr uint64_t kTfExecutor = 1, kTpuStream = 11, kTpuLaunch = 12;  // context types of flows
constexpr uint64_t kNoProcess = UINT64_MAX;
constexpr size_t kTooManyEnds = 64;  // flows with that many producers and consumers link nothing

constexpr std::string_view kImplicitRoots[] = {"FunctionRun", "SessionRun", "RunGraph", "ExecutorState::Process"};
constexpr std::string_view kStepLines[] = {"Steps", "Sparse Core Steps", "XLA Modules", "Sparse Core Modules"};

template <size_t n>
bool Contains(const std::string_view (&list)[n], std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

bool Includes(const Node& outer, const Node& inner) {
  return outer.begin_ps <= inner.begin_ps && inner.end_ps <= outer.end_ps;
}

// How far an event may end behind the one it belongs to, as clocks that count in nanoseconds round.
constexpr uint64_t kRoundingPs = 1'000;

// Strictly: an event that ends a rounding later than the one in which it begins still lies in it.
bool IncludesRounded(const Node& outer, const Node& inner) {
  return outer.begin_ps <= inner.begin_ps && inner.begin_ps < outer.end_ps &&
         inner.end_ps - outer.begin_ps <= outer.end_ps - outer.begin_ps + kRoundingPs;
}

// Begin, then longer first.
bool Earlier(const Node& a, const Node& b) {
  const auto length = [](const Node& n) { return static_cast<int64_t>(n.end_ps - n.begin_ps); };
  return a.begin_ps != b.begin_ps ? a.begin_ps < b.begin_ps : length(a) > length(b);
}

// The line whose events stand for a TPU plane: its steps, else its modules.
std::optional<uint32_t> GroupingLine(const Plane& plane) {
  if (!IsTpuCoreName(plane.name) && !IsSparseCoreName(plane.name)) return std::nullopt;
  std::optional<uint32_t> steps, modules;
  for (uint32_t i = 0; i < plane.lines.size(); ++i) {
    const std::string_view name = plane.lines[i].name;
    if (name == "Steps" || name == "Sparse Core Steps") steps = i;
    if (name == "XLA Modules" || name == "Sparse Core Modules") modules = i;
  }
  for (const std::optional<uint32_t> line : {steps, modules}) {
    if (!line) continue;
    EventCursor cursor(plane.lines[*line].body);
    if (Event event; cursor.Next(&event)) return line;
  }
  return std::nullopt;
}

}  // namespace

size_t EventGraph::FlowKeyHash::operator()(const FlowKey& key) const {
  uint64_t hash = 0;
  for (const uint64_t part : key.parts) hash = (hash ^ part) * 0x9e3779b97f4a7c15u, hash ^= hash >> 31;
  return static_cast<size_t>(hash);
}

// Reads the events of one plane into nodes, with the flows that they make and take.
class EventGraph::PlaneReader {
 public:
  PlaneReader(EventGraph* graph, uint32_t plane, trace::NumberSlots numbers)
      : graph_(*graph), index_(plane), plane_(graph->layout_.planes[plane]), kinds_(KindsOfMetadata(plane_)),
        stats_(plane_,
               {XprofStat::kCorrelationId, XprofStat::kIsFunc, XprofStat::kId, XprofStat::kIterNum, XprofStat::kCoreType,
                XprofStat::kRequestId, XprofStat::kQueueAddr, XprofStat::kDeviceOrdinal, XprofStat::kQueueId, XprofStat::kRunId,
                XprofStat::kGraphType, XprofStat::kStepNum},
               {XprofStat::kRoot, XprofStat::kAsync, XprofStat::kProducerType, XprofStat::kProducerId,
                XprofStat::kConsumerType, XprofStat::kConsumerId, XprofStat::kProcess},
               numbers),
        scan_(graph->layout_, on_done_, nullptr) {
    if (const std::optional<Stat> pid = GetPlaneStat(plane_, "process_id")) process_ = static_cast<uint64_t>(pid->int64_only());
  }

  const Plane& plane() const { return plane_; }

  // Calls visit(event, ordinal) in the order in which grouping takes the line.
  template <typename Visit>
  void ForEach(uint32_t line_index, Visit&& visit) {
    const Line& line = plane_.lines[line_index];
    const bool sorted = NamesThreadPoolRegions(plane_) && HasThreadPoolRegion(plane_, line, &scan_);
    ForEachInXprofOrder(line, &stats_.filter(), sorted, &scan_, visit);
  }

  // Reads the event's stats; true when it is asynchronous.
  bool Load(const Event& event) {
    stats_.Read(event.stats, kEventStats);
    const Stat* async = stats_.Last(XprofStat::kAsync);
    return async != nullptr && async->int64_only() != 0;
  }

  // The loaded event as a node.
  Node Make(uint32_t line_index, const Event& event, uint64_t ordinal) {
    const Line& line = plane_.lines[line_index];
    Node node;
    node.begin_ps = WrappingBegin(line, event);
    node.end_ps = WrappingEnd(line, event);
    node.plane = index_;
    node.line = line_index;
    node.ordinal = static_cast<uint32_t>(ordinal);
    const uint32_t metadata = plane_.event_metadata.IndexOf(event.metadata_id);
    const EventKind by_name = metadata == MetadataMap::kNone ? EventKind::kOther : kinds_[metadata];
    node.kind = KindOfEvent(by_name, stats_.Get(XprofStat::kCorrelationId) != nullptr, plane_.name == "/host:CPU");
    if (const Stat* id = stats_.Get(XprofStat::kId)) {
      node.has_step_id = true;
      node.step_id = id->int_or_uint();
      node.step_is_int64 = id->slot == Stat::Slot::kInt64;
    }
    if (const Stat* turn = stats_.Get(XprofStat::kIterNum)) {
      node.has_iteration = true;
      node.iteration = turn->int_or_uint();
      node.iteration_is_int64 = turn->slot == Stat::Slot::kInt64;
    }
    if (const Stat* is_func = stats_.Get(XprofStat::kIsFunc)) node.runs_eagerly = is_func->int64_only() == 0;
    const Stat* root = stats_.Last(XprofStat::kRoot);
    node.root = root != nullptr ? static_cast<int32_t>(root->int64_only()) : node.kind == EventKind::kTraceContext;
    if (by_name == EventKind::kProcessBatch) node.root = 2;
    if (by_name == EventKind::kBatchingSessionRun) node.root = 1;
    node.is_implicit_root = Contains(kImplicitRoots, NameOf(event)) || Contains(kStepLines, line.name);
    return node;
  }

  // What names of steps are made of, of the loaded event that has become the last node.
  void NoteNames(const Event& event) {
    const auto number = static_cast<uint32_t>(graph_.nodes_.size()) - 1;
    if (graph_.nodes_[number].root > 0) graph_.root_event_names_[number] = NameOf(event);
    if (const Stat* type = stats_.Get(XprofStat::kGraphType)) graph_.graph_types_[number] = plane_.Text(*type);
    if (const Stat* step = stats_.Get(XprofStat::kStepNum)) graph_.step_numbers_[number] = step->int64_only();
  }

  // What the loaded event makes and takes, on behalf of `node`.
  void Register(uint32_t node, EventKind kind, uint32_t line_index) {
    FlowKey made, taken;
    bool makes = Number(XprofStat::kProducerType, XprofStat::kProducerId, &made);
    bool takes = Number(XprofStat::kConsumerType, XprofStat::kConsumerId, &taken);
    FlowKey own;
    if (kind == EventKind::kExecutorProcess && Own(kTfExecutor, {XprofStat::kId, XprofStat::kIterNum}, &own)) {
      makes = true, made = own;
    } else if (kind == EventKind::kTpuExecuteOp && Own(kTfExecutor, {XprofStat::kId, XprofStat::kIterNum}, &own)) {
      takes = true, taken = own;
    } else if (kind == EventKind::kEnqueueRequest && Own(kTpuStream, {XprofStat::kRequestId, XprofStat::kQueueAddr}, &own)) {
      makes = true, made = own;
    } else if (kind == EventKind::kQueuedRequest && Own(kTpuStream, {XprofStat::kRequestId, XprofStat::kQueueAddr}, &own)) {
      takes = true, taken = own;
    } else if ((kind == EventKind::kDoEnqueueProgram || kind == EventKind::kCompleteCallbacks) &&
               Own(kTpuLaunch, {XprofStat::kDeviceOrdinal, XprofStat::kQueueId, XprofStat::kRunId}, &own)) {
      own.parts[3] &= (uint64_t{1} << 27) - 1;
      own.parts[4] = CoreType();
      (kind == EventKind::kDoEnqueueProgram ? makes : takes) = true;
      (kind == EventKind::kDoEnqueueProgram ? made : taken) = own;
    } else if (plane_.lines[line_index].name == "XLA Modules" && IsTpuCoreName(plane_.name) &&
               Own(kTpuLaunch, {XprofStat::kQueueId, XprofStat::kRunId}, &own)) {
      takes = true;
      taken = own;
      taken.parts = {kTpuLaunch, TpuOrdinal(), own.parts[1], own.parts[2], CoreType(), own.parts[5]};
    }
    if (makes) FlowOf(made).producers.push_back(node);
    if (takes) FlowOf(taken).consumers.push_back(node);
  }

  const Stat* correlation() const { return stats_.Get(XprofStat::kCorrelationId); }

 private:
  std::string_view NameOf(const Event& event) const {
    const Metadata* metadata = plane_.event_metadata.Find(event.metadata_id);
    return metadata == nullptr ? std::string_view{} : metadata->name;
  }
  Flow& FlowOf(const FlowKey& key) {
    const auto [at, is_new] = graph_.flows_.try_emplace(key);
    if (is_new) graph_.flow_order_.push_back(key);
    return at->second;
  }
  uint64_t Process() const {
    const Stat* pid = stats_.Last(XprofStat::kProcess);
    return pid != nullptr ? static_cast<uint64_t>(pid->int64_only()) : process_;
  }
  uint64_t CoreType() const {
    const Stat* core = stats_.Get(XprofStat::kCoreType);
    return core != nullptr ? core->int_or_uint() : 0;
  }
  uint64_t TpuOrdinal() const {
    const std::string_view digits = plane_.name.substr(std::string_view("/device:TPU:").size());
    uint64_t ordinal = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
    return ordinal;
  }
  bool Number(XprofStat type, XprofStat id, FlowKey* key) const {
    const Stat* t = stats_.Last(type);
    const Stat* i = stats_.Last(id);
    if (t == nullptr || i == nullptr) return false;
    // Ids of one number are told from those of several by the mark in the last part of the id.
    key->parts = {t->int_or_uint(), i->int_or_uint(), 0, 0, kNoProcess, Process()};
    return true;
  }
  bool Own(uint64_t type, std::initializer_list<XprofStat> names, FlowKey* key) const {
    key->parts = {type, 0, 0, 0, 0, Process()};
    size_t at = 1;
    for (const XprofStat name : names) {
      const Stat* stat = stats_.Get(name);
      if (stat == nullptr) return false;
      key->parts[at++] = stat->int_or_uint();
    }
    return true;
  }

  EventGraph& graph_;
  const uint32_t index_;
  const Plane& plane_;
  const std::vector<EventKind> kinds_;
  XprofStats stats_;
  EventScan::OnDone on_done_;
  EventScan scan_;
  uint64_t process_ = kNoProcess;
};

EventGraph::EventGraph(const Layout& layout, trace::NumberSlots numbers) : layout_(layout) {
  // XProf takes each line for itself, in the order of the file. Strictly the lines of one id are one, over all planes
  // of one name, and it makes no difference in which order events were written.
  const bool strict = numbers == trace::NumberSlots::kAny;
  std::map<std::pair<std::string_view, int64_t>, std::vector<uint32_t>> lanes;
  for (uint32_t p = 0; p < layout.planes.size(); ++p) {
    PlaneReader reader(this, p, numbers);
    if (reader.plane().name.starts_with("/device:TPU:")) {
      AddTpuPlane(&reader);
      continue;
    }
    for (uint32_t l = 0; l < reader.plane().lines.size(); ++l) {
      std::vector<uint32_t> of_line;
      const int64_t line_id = reader.plane().lines[l].id;
      std::vector<uint32_t>* const nested = strict ? &lanes[{reader.plane().name, line_id}] : &of_line;
      reader.ForEach(l, [&](const Event& event, uint64_t ordinal) {
        const bool async = reader.Load(event);
        const auto n = static_cast<uint32_t>(nodes_.size());
        nodes_.push_back(reader.Make(l, event, ordinal));
        reader.NoteNames(event);
        Node& node = nodes_.back();
        reader.Register(n, node.kind, l);
        if (const Stat* id = reader.correlation()) {
          if (node.kind == EventKind::kLaunch) launches_.emplace_back(id->int_or_uint(), n);
          if (node.kind == EventKind::kExecute) executions_.emplace_back(id->int_or_uint(), n);
        }
        if (!async) nested->push_back(n);
      });
      if (!strict) Nest(of_line, Includes);
    }
  }
  for (auto& [lane, events] : lanes) {
    const auto earlier = [&](uint32_t a, uint32_t b) { return Earlier(nodes_[a], nodes_[b]); };
    if (!std::is_sorted(events.begin(), events.end(), earlier)) std::stable_sort(events.begin(), events.end(), earlier);
    Nest(events, [](const Node& outer, const Node& inner) {
      return Includes(outer, inner) || IncludesRounded(outer, inner);
    });
    events = {};
  }
  LinkByStats();
  LinkFlows();
  AddExecutorLoops();
  FinishLinks();
}

// Puts each of the events of a lane into the innermost one around it among those before it.
template <typename Holds>
void EventGraph::Nest(const std::vector<uint32_t>& events, Holds&& holds) {
  std::vector<uint32_t> stack;
  for (const uint32_t n : events) {
    while (!stack.empty() && !holds(nodes_[stack.back()], nodes_[n])) stack.pop_back();
    if (!stack.empty()) nodes_[n].nested_in = stack.back();
    stack.push_back(n);
  }
}

// Of a TPU plane only the steps (or modules) are nodes; what other lines consume, the step around it consumes.
void EventGraph::AddTpuPlane(PlaneReader* reader) {
  const std::optional<uint32_t> own = GroupingLine(reader->plane());
  if (!own) return;
  std::vector<uint32_t> steps;
  reader->ForEach(*own, [&](const Event& event, uint64_t ordinal) {
    reader->Load(event);
    steps.push_back(static_cast<uint32_t>(nodes_.size()));
    nodes_.push_back(reader->Make(*own, event, ordinal));
    reader->NoteNames(event);
    reader->Register(steps.back(), nodes_.back().kind, *own);
  });
  for (uint32_t l = 0; l < reader->plane().lines.size(); ++l) {
    if (l == *own) continue;
    size_t at = 0;
    reader->ForEach(l, [&](const Event& event, uint64_t ordinal) {
      reader->Load(event);
      const Node node = reader->Make(l, event, ordinal);
      while (at < steps.size() && nodes_[steps[at]].end_ps <= node.begin_ps) ++at;
      if (at < steps.size() && Includes(nodes_[steps[at]], node)) reader->Register(steps[at], node.kind, l);
    });
  }
  if (IsTpuCoreName(reader->plane().name)) tpu_cores_.push_back(std::move(steps));
}

void EventGraph::LinkByStats() {
  // The last process event of an (id, iteration) leads to what gets its next element there.
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> processes;
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    if (node.kind == EventKind::kExecutorProcess && node.has_step_id && node.has_iteration) {
      processes[{node.step_id, node.iteration}] = n;
    }
  }
  for (const EventKind kind : {EventKind::kGetNext, EventKind::kGetNextAsOptional}) {
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      if (node.kind != kind || !node.has_step_id || !node.has_iteration) continue;
      const auto at = processes.find({node.step_id, node.iteration});
      if (at != processes.end()) Link(at->second, n);
    }
  }
  std::unordered_map<uint64_t, uint32_t> launch_of;
  for (const auto& [id, n] : launches_) launch_of[id] = n;
  for (const auto& [id, n] : executions_) {
    const auto at = launch_of.find(id);
    if (at != launch_of.end()) Link(at->second, n);
  }
}

void EventGraph::LinkFlows() {
  for (const FlowKey& key : flow_order_) {
    const Flow& flow = flows_[key];
    if (flow.producers.size() >= kTooManyEnds && flow.consumers.size() >= kTooManyEnds) continue;
    for (const uint32_t producer : flow.producers) {
      for (const uint32_t consumer : flow.consumers) Link(producer, consumer);
    }
  }
}

// Executor events of one step and iteration hang under the first of them, if the step has more than iteration 0.
void EventGraph::AddExecutorLoops() {
  for (const Node& node : nodes_) {
    if (node.kind == EventKind::kCapturedFunctionRun && node.has_step_id) data_steps_.insert(node.step_int64());
  }
  std::vector<int64_t> order;
  std::unordered_map<int64_t, std::map<int64_t, std::vector<uint32_t>>> loops;
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    if (node.kind != EventKind::kExecutorProcess || !node.has_step_id || !node.has_iteration) continue;
    if (data_steps_.contains(node.step_int64())) continue;
    if (!loops.contains(node.step_int64())) order.push_back(node.step_int64());
    loops[node.step_int64()][node.iteration_int64()].push_back(n);
  }
  for (const int64_t step : order) {
    const auto& turns = loops[step];
    if (turns.size() == 1 && turns.begin()->first == 0) continue;
    for (const auto& [turn, events] : turns) {
      const uint32_t first = *std::min_element(events.begin(), events.end(),
                                               [&](uint32_t a, uint32_t b) { return Earlier(nodes_[a], nodes_[b]); });
      loop_roots_.push_back(first);
      for (const uint32_t n : events) {
        if (n != first) Link(first, n);
      }
    }
  }
  std::stable_sort(loop_roots_.begin(), loop_roots_.end(), [&](uint32_t a, uint32_t b) { return Earlier(nodes_[a], nodes_[b]); });
}

// Adjacency lists out of the links; nesting comes first.
void EventGraph::FinishLinks() {
  const auto build = [&](bool by_child, std::vector<uint32_t>* at, std::vector<uint32_t>* list) {
    at->assign(nodes_.size() + 1, 0);
    const auto for_each = [&](auto&& visit) {
      for (uint32_t n = 0; n < nodes_.size(); ++n) {
        if (nodes_[n].nested_in != kNone) by_child ? visit(n, nodes_[n].nested_in) : visit(nodes_[n].nested_in, n);
      }
      for (const auto& [parent, child] : links_) by_child ? visit(child, parent) : visit(parent, child);
    };
    for_each([&](uint32_t from, uint32_t) { ++(*at)[from + 1]; });
    for (size_t i = 1; i < at->size(); ++i) (*at)[i] += (*at)[i - 1];
    list->resize(at->back());
    std::vector<uint32_t> next(at->begin(), at->end() - 1);
    for_each([&](uint32_t from, uint32_t to) { (*list)[next[from]++] = to; });
  };
  build(true, &parent_at_, &parents_);
  build(false, &child_at_, &children_);
  links_ = {};
  seen_.assign(nodes_.size(), 0);
}

template <typename Test>
uint32_t EventGraph::Nearest(uint32_t node, bool with_self, Test&& test) const {
  ++walk_;
  std::deque<uint32_t> queue;
  seen_[node] = walk_;
  const auto add_parents = [&](uint32_t n) {
    for (uint32_t i = parent_at_[n]; i < parent_at_[n + 1]; ++i) {
      if (seen_[parents_[i]] == walk_) continue;
      seen_[parents_[i]] = walk_;
      queue.push_back(parents_[i]);
    }
  };
  if (with_self) {
    queue.push_back(node);
  } else {
    add_parents(node);
  }
  while (!queue.empty()) {
    const uint32_t n = queue.front();
    queue.pop_front();
    if (test(nodes_[n])) return n;
    add_parents(n);
  }
  return kNone;
}

bool EventGraph::IsEager(uint32_t node) const {
  const uint32_t owner = Nearest(node, true, [](const Node& n) { return n.kind == EventKind::kEagerExecute; });
  return owner != kNone && nodes_[owner].runs_eagerly;
}

bool EventGraph::HasAncestorRoot(uint32_t node) const {
  const int32_t root = nodes_[node].root;
  return Nearest(node, false, [&](const Node& n) { return n.root > 0 && n.root == root; }) != kNone;
}

void EventGraph::Spread(uint32_t root, int64_t group) {
  ++walk_;
  std::deque<uint32_t> queue{root};
  seen_[root] = walk_;
  while (!queue.empty()) {
    const uint32_t n = queue.front();
    queue.pop_front();
    if (nodes_[n].group != kNoEventGroup) continue;
    nodes_[n].group = group;
    for (uint32_t i = child_at_[n]; i < child_at_[n + 1]; ++i) {
      if (seen_[children_[i]] == walk_) continue;
      seen_[children_[i]] = walk_;
      queue.push_back(children_[i]);
    }
  }
}

// What it is, then its number; both as the nearest of itself and its ancestors tells.
void EventGraph::NameStep(uint32_t root) {
  if (nodes_[root].is_implicit_root) return;
  const auto nearest_with = [&](auto&& has) { return Nearest(root, true, has); };
  const auto index_of = [&](const Node& n) { return static_cast<uint32_t>(&n - nodes_.data()); };
  const uint32_t typed = nearest_with([&](const Node& n) { return graph_types_.contains(index_of(n)); });
  const uint32_t turn = nearest_with([&](const Node& n) { return n.has_iteration; });
  int64_t number = nodes_[root].group;
  if (turn != kNone) {
    number = nodes_[turn].iteration_int64();
  } else {
    const uint32_t step = nearest_with([&](const Node& n) { return step_numbers_.contains(index_of(n)); });
    if (step != kNone) number = step_numbers_.at(step);
  }
  const auto own = root_event_names_.find(root);
  std::string name(typed != kNone ? graph_types_.at(typed) : own == root_event_names_.end() ? "" : own->second);
  step_names_[root] = name + ' ' + std::to_string(number);
}

void EventGraph::AssignGroups() {
  int64_t number = 0;
  std::vector<uint32_t> roots = loop_roots_;
  if (roots.empty()) {
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      const bool of_data = node.has_step_id && data_steps_.contains(node.step_int64());
      if (node.root > 0 && !of_data) roots.push_back(n);
    }
    std::stable_sort(roots.begin(), roots.end(), [&](uint32_t a, uint32_t b) {
      return nodes_[a].root != nodes_[b].root ? nodes_[a].root > nodes_[b].root : Earlier(nodes_[a], nodes_[b]);
    });
  }
  for (const uint32_t root : roots) {
    if (loop_roots_.empty() && (nodes_[root].group != kNoEventGroup || HasAncestorRoot(root))) continue;
    Spread(root, number++);
    NameStep(root);
  }
  const bool reached = std::any_of(tpu_cores_.begin(), tpu_cores_.end(), [&](const auto& steps) {
    return std::any_of(steps.begin(), steps.end(), [&](uint32_t n) { return nodes_[n].group != kNoEventGroup; });
  });
  if (reached) return;
  for (const std::vector<uint32_t>& steps : tpu_cores_) {
    for (size_t i = 0; i < steps.size(); ++i) Spread(steps[i], number + static_cast<int64_t>(i));
  }
}

}  // namespace tfprof::xplane
