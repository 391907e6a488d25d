// From the events of a file to its pipelines: links calls over threads, then walks down from each call of a root.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyze/tf_data.h"
#include "analyze/tf_data_advice.h"

namespace tfprof::analyze {
namespace {

using Kind = TfDataEvent::Kind;

constexpr int kMaxDepth = 100;

size_t PartsOf(std::string_view name) {
  size_t parts = 1;
  for (size_t at = name.find("::"); at != std::string_view::npos; at = name.find("::", at + 2)) ++parts;
  return parts;
}

std::string_view LastPart(std::string_view name) {
  const size_t at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

uint64_t Overlap(const TfDataEvent& a, const TfDataEvent& b) {
  const uint64_t begin = std::max(a.begin_ps, b.begin_ps), end = std::min(a.end_ps, b.end_ps);
  return end > begin ? end - begin : 0;
}

// For each event the calls right below it.
class Calls {
 public:
  explicit Calls(const std::vector<TfDataEvent>& events) : events_(events) {
    for (uint32_t i = 0; i < events.size(); ++i) {
      if (events[i].is_call() && events[i].parent != TfDataEvent::kNone) edges_.push_back({events[i].parent, i});
    }
    LinkThreads();
    std::stable_sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.above < b.above; });
    first_.assign(events.size() + 1, edges_.size());
    for (size_t e = edges_.size(); e-- > 0;) first_[edges_[e].above] = e;
    for (size_t i = events.size(); i-- > 0;) first_[i] = std::min(first_[i], first_[i + 1]);
  }

  template <typename Visit>
  void ForEachBelow(uint32_t event, Visit visit) const {
    for (size_t e = first_[event]; e < first_[event + 1]; ++e) visit(edges_[e].below);
  }

 private:
  struct Edge {
    uint32_t above, below;
  };
  struct Element {
    std::vector<uint32_t> made, takers;
  };

  // What was made for an element of an iterator is below the call of that iterator that took the element.
  void LinkThreads() {
    std::vector<uint32_t> first_call(events_.size(), TfDataEvent::kNone);
    for (const Edge& edge : edges_) {
      if (first_call[edge.above] == TfDataEvent::kNone) first_call[edge.above] = edge.below;
    }
    std::map<std::pair<int64_t, int64_t>, Element> elements;  // iterator, element
    for (uint32_t i = 0; i < events_.size(); ++i) {
      const TfDataEvent& event = events_[i];
      if (!event.has_id) continue;
      if (event.kind == Kind::kProduce && first_call[i] != TfDataEvent::kNone) {
        const TfDataEvent& call = events_[first_call[i]];
        if (call.has_parent_id) elements[{call.parent_id, event.id}].made.push_back(first_call[i]);
      }
      if (event.kind == Kind::kConsume && event.parent != TfDataEvent::kNone) {
        const TfDataEvent& taker = events_[event.parent];
        if (taker.is_call() && taker.has_id) elements[{taker.id, event.id}].takers.push_back(event.parent);
      }
    }
    for (const auto& [key, element] : elements) {
      // As XProf passes over flows: such an id tells nothing, and all of the links would fill the memory.
      if (element.made.size() >= 64 && element.takers.size() >= 64) continue;
      for (const uint32_t taker : element.takers) {
        for (const uint32_t made : element.made) edges_.push_back({taker, made});
      }
    }
  }

  const std::vector<TfDataEvent>& events_;
  std::vector<Edge> edges_;
  std::vector<size_t> first_;  // by event: its first edge
};

// What one call of a root spent where.
struct Spent {
  __int128 self_ps = 0;
  uint64_t calls = 0;
  bool blocking = false;
};
using SpentById = std::vector<std::pair<int64_t, Spent>>;  // in the order of the first visit

class Walk {
 public:
  Walk(const std::vector<TfDataEvent>& events, bool strict)
      : events_(events), calls_(events), strict_(strict), seen_in_(events.size(), 0),
        visits_left_(1'000'000 + 16 * static_cast<uint64_t>(events.size())) {}

  SpentById Run(uint32_t root) {
    ++walk_;
    spent_.clear();
    place_.clear();
    cut_ = false;
    Visit(root, true, 0);
    return std::move(spent_);
  }
  bool was_cut() const { return cut_; }

 private:
  void Visit(uint32_t index, bool blocking, int depth) {
    const TfDataEvent& event = events_[index];
    if (depth > kMaxDepth || !event.has_id || seen_in_[index] == walk_) return;
    if (visits_left_ == 0 && depth > 0) {
      cut_ = true;
      return;
    }
    if (visits_left_ > 0) --visits_left_;
    seen_in_[index] = walk_;  // an event counts once in a call, also where damaged ids lead in circles
    const auto [at, added] = place_.try_emplace(event.id, spent_.size());
    const size_t place = at->second;
    if (added) spent_.emplace_back(event.id, Spent());
    const __int128 self = static_cast<__int128>(event.end_ps - event.begin_ps) - TakenBelow(index);
    spent_[place].second.self_ps += self;
    spent_[place].second.blocking |= blocking;
    ++spent_[place].second.calls;
    calls_.ForEachBelow(index, [&](uint32_t below) {
      Visit(below, blocking && Overlap(event, events_[below]) > 0, depth + 1);
    });
  }

  // How long calls below ran during the event.
  __int128 TakenBelow(uint32_t index) {
    const TfDataEvent& event = events_[index];
    __int128 sum = 0;
    spans_.clear();
    calls_.ForEachBelow(index, [&](uint32_t below) {
      const uint64_t overlap = Overlap(event, events_[below]);
      sum += overlap;
      if (overlap == 0) return;
      spans_.emplace_back(std::max(event.begin_ps, events_[below].begin_ps), std::min(event.end_ps, events_[below].end_ps));
    });
    if (!strict_) return sum;
    std::sort(spans_.begin(), spans_.end());
    __int128 joined = 0;
    uint64_t reached = 0;
    for (const auto& [begin, end] : spans_) {
      if (end > reached) joined += end - std::max(begin, reached);
      reached = std::max(reached, end);
    }
    return joined;
  }

  const std::vector<TfDataEvent>& events_;
  const Calls calls_;
  const bool strict_;
  std::vector<uint32_t> seen_in_;  // by event: the walk that came by last
  uint32_t walk_ = 0;
  uint64_t visits_left_;  // of all walks: hostile ids could make each as long as the file
  bool cut_ = false;
  SpentById spent_;
  std::unordered_map<int64_t, size_t> place_;
  std::vector<std::pair<uint64_t, uint64_t>> spans_;
};

struct FileIterators {
  std::map<int64_t, TfDataIterator> by_id;
  std::map<int64_t, std::vector<uint32_t>> root_calls;
  std::set<int64_t> on_device;

  FileIterators(const std::vector<TfDataEvent>& events, const std::vector<std::string>& names) {
    for (const Kind kind : {Kind::kIterator, Kind::kGenerator}) {
      for (uint32_t i = 0; i < events.size(); ++i) {
        if (events[i].kind == kind && events[i].has_id) Add(events[i], i, names[events[i].name]);
      }
    }
  }

 private:
  void Add(const TfDataEvent& event, uint32_t index, const std::string& name) {
    const auto [at, added] = by_id.try_emplace(event.id);
    if (added) {
      at->second.id = event.id;
      at->second.parent_id = event.parent_id;
      at->second.long_name = name;
      at->second.name = LastPart(name);
      if (event.kind == Kind::kGenerator && event.has_parent_id) on_device.insert(event.parent_id);
    }
    if (event.kind == Kind::kIterator && PartsOf(name) == 2) root_calls[event.id].push_back(index);
  }
};

// Each iterator under its parent; `iterators` in the order of their first visits.
std::vector<TfDataIterator> InTreeOrder(std::vector<TfDataIterator> iterators, int64_t root) {
  std::map<int64_t, std::vector<size_t>> below;
  std::set<int64_t> ids;
  for (const TfDataIterator& iterator : iterators) ids.insert(iterator.id);
  std::vector<size_t> open;
  for (size_t i = iterators.size(); i-- > 0;) {
    const bool top = iterators[i].id == root || ids.count(iterators[i].parent_id) == 0;
    if (!top) below[iterators[i].parent_id].push_back(i);
    if (top) open.push_back(i);
  }
  std::vector<TfDataIterator> ordered;
  std::vector<bool> placed(iterators.size());
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    if (placed[at]) continue;
    placed[at] = true;
    ordered.push_back(iterators[at]);
    const auto children = below.find(iterators[at].id);
    if (children != below.end()) open.insert(open.end(), children->second.begin(), children->second.end());
  }
  for (size_t i = 0; i < iterators.size(); ++i) {
    if (!placed[i]) ordered.push_back(iterators[i]);  // parents in a circle
  }
  return ordered;
}

// One pipeline, call by call.
class PipelineMaker {
 public:
  PipelineMaker(const FileIterators& file, int64_t root) : file_(file), root_(root) {
    pipeline_.name = file.by_id.at(root).long_name;
    pipeline_.on_device = file.on_device.count(root) != 0;
  }

  void AddCall(uint64_t latency_ps, const SpentById& spent_in_call) {
    pipeline_.min_latency_ps = pipeline_.calls == 0 ? latency_ps : std::min(pipeline_.min_latency_ps, latency_ps);
    const bool slowest = pipeline_.calls == 0 || latency_ps > pipeline_.max_latency_ps;
    ++pipeline_.calls;
    sum_ps_ += latency_ps;
    if (latency_ps > kSlowCallPs) ++pipeline_.slow_calls;
    if (slowest) {
      pipeline_.max_latency_ps = latency_ps;
      pipeline_.bottleneck_ps = 0;
      has_bottleneck_ = false;
    }
    for (const auto& [id, spent] : spent_in_call) {
      AddSpent(id, spent);
      if (!slowest || !spent.blocking || spent.self_ps <= static_cast<__int128>(pipeline_.bottleneck_ps)) continue;
      pipeline_.bottleneck_ps = static_cast<uint64_t>(spent.self_ps);
      bottleneck_ = id;
      has_bottleneck_ = true;
    }
  }

  TfDataPipeline Finish(bool strict) && {
    const auto calls = static_cast<__int128>(pipeline_.calls);
    pipeline_.avg_latency_ps =
        strict ? static_cast<double>(sum_ps_) / static_cast<double>(calls) : static_cast<double>(sum_ps_ / calls);
    pipeline_.iterators = InTreeOrder(std::move(visited_), root_);
    for (size_t i = 0; has_bottleneck_ && i < pipeline_.iterators.size(); ++i) {
      if (pipeline_.iterators[i].id != bottleneck_) continue;
      pipeline_.bottleneck = i;
      if (pipeline_.slow_calls > 0) pipeline_.advice = TfDataAdvice(pipeline_.iterators[i].name);
    }
    return std::move(pipeline_);
  }

 private:
  void AddSpent(int64_t id, const Spent& spent) {
    const auto [at, added] = places_.try_emplace(id, visited_.size());
    if (added) visited_.push_back(file_.by_id.at(id));
    TfDataIterator& total = visited_[at->second];
    total.calls += spent.calls;
    total.self_ps += spent.self_ps;
    total.blocking |= spent.blocking;
  }

  const FileIterators& file_;
  const int64_t root_;
  TfDataPipeline pipeline_;
  __int128 sum_ps_ = 0;
  std::vector<TfDataIterator> visited_;
  std::map<int64_t, size_t> places_;
  int64_t bottleneck_ = 0;
  bool has_bottleneck_ = false;
};

}  // namespace

void AppendPipelines(const std::string& host, const std::vector<TfDataEvent>& events,
                     const std::vector<std::string>& names, bool strict, TfDataResult* result) {
  const FileIterators file(events, names);
  Walk walk(events, strict);
  for (const auto& [root, calls] : file.root_calls) {
    PipelineMaker maker(file, root);
    for (const uint32_t call : calls) {
      maker.AddCall(events[call].end_ps - events[call].begin_ps, walk.Run(call));
      result->calls_cut += walk.was_cut() ? 1 : 0;
    }
    TfDataPipeline pipeline = std::move(maker).Finish(strict);
    if (pipeline.iterators.empty()) continue;
    pipeline.host = host;
    result->pipelines.push_back(std::move(pipeline));
  }
}

}  // namespace tfprof::analyze
