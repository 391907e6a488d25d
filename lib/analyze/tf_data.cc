#include "analyze/tf_data.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "trace/op_name.h"

namespace tfprof::analyze {
namespace {

using trace::EventStat;
using trace::StatValue;
using trace::StreamEvent;
using Kind = TfDataEvent::Kind;

constexpr uint32_t kOtherEvent = 1;  // before the kinds of ours, which go with a name

// Reads on the device what another pipeline left there.
constexpr std::string_view kGeneratorName = "Iterator::Prefetch::Generator";

bool IsStageOf(std::string_view name, std::string_view suffix) {
  constexpr std::string_view kStages[] = {"Prefetch",     "ParallelInterleave", "ParallelMap",
                                          "MapAndBatch", "ParseExample",       "ParallelBatch"};
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return std::find(std::begin(kStages), std::end(kStages), name) != std::end(kStages);
}

bool KindOf(std::string_view name, Kind* kind) {
  if (name == kGeneratorName) {
    *kind = Kind::kGenerator;
  } else if (IsStageOf(name, "Produce")) {
    *kind = Kind::kProduce;
  } else if (IsStageOf(name, "Consume")) {
    *kind = Kind::kConsume;
  } else if (trace::ParseTfOpFullname(name).category == trace::OpCategory::kTfData) {
    *kind = Kind::kIterator;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::vector<EventStat> TfData::Stats(const trace::StreamPlane&) const {
  return {EventStat::kId, EventStat::kParentId, EventStat::kElementId, EventStat::kAsync};
}

void TfData::BeginFile(const trace::StreamFile& file) {
  host_ = file.host;
  names_.clear();
  name_ids_.clear();
  events_.clear();
  host_plane_seen_ = false;
}

bool TfData::BeginPlane(const trace::StreamPlane& plane) {
  knows_async_ = plane.knows_stat("_a");
  if (strict_) return plane.kind == trace::StreamPlaneKind::kHost || plane.name.starts_with("/host:CPU");
  const bool first = plane.kind == trace::StreamPlaneKind::kHost && !host_plane_seen_;
  host_plane_seen_ = host_plane_seen_ || first;
  return first;
}

uint32_t TfData::Classify(std::string_view event_name) {
  Kind kind;
  if (!KindOf(event_name, &kind)) return strict_ ? kSkip : kOtherEvent;
  const auto [at, added] = name_ids_.try_emplace(std::string(event_name), static_cast<uint32_t>(names_.size()));
  if (added) names_.emplace_back(event_name);
  return kOtherEvent + 1 + at->second * 4 + static_cast<uint32_t>(kind);
}

bool TfData::BeginLine(const trace::StreamLine&) {
  line_begin_ = events_.size();
  stack_.clear();
  return true;
}

TfDataEvent TfData::MakeEvent(const StreamEvent& event, uint32_t kind) const {
  TfDataEvent out;
  out.kind = static_cast<Kind>((kind - kOtherEvent - 1) % 4);
  out.name = (kind - kOtherEvent - 1) / 4;
  const auto read = [&](EventStat stat, int64_t* value) {
    const StatValue found = event.stats->First(stat);
    *value = strict_ ? static_cast<int64_t>(found.int_or_uint()) : found.int64_only();
    return static_cast<bool>(found);
  };
  out.has_id = read(out.is_call() ? EventStat::kId : EventStat::kElementId, &out.id);
  out.has_parent_id = out.is_call() && read(EventStat::kParentId, &out.parent_id);
  return out;
}

void TfData::Add(const StreamEvent& event, uint32_t kind) {
  if (strict_) {
    if (!event.timed) return;
    TfDataEvent ours = MakeEvent(event, kind);
    // In the order of signed times, which may lie before the file's base.
    ours.begin_ps = static_cast<uint64_t>(event.start_ps) ^ uint64_t{1} << 63;
    ours.end_ps = ours.begin_ps + static_cast<uint64_t>(event.duration_ps);
    if (ours.end_ps >= ours.begin_ps) events_.push_back(ours);
    return;
  }
  const bool ours = kind != kOtherEvent;
  const bool async = knows_async_ && event.stats->Last(EventStat::kAsync).int64_only() != 0;
  if (ours) {
    events_.push_back(MakeEvent(event, kind));
    events_.back().begin_ps = event.begin_ps;
    events_.back().end_ps = event.end_ps;
  }
  if (async) return;
  while (!stack_.empty() && !(stack_.back().begin_ps <= event.begin_ps && event.end_ps <= stack_.back().end_ps)) {
    stack_.pop_back();
  }
  const auto index = static_cast<uint32_t>(events_.size() - 1);
  if (ours && !stack_.empty()) events_.back().parent = stack_.back().event;
  stack_.push_back({event.begin_ps, event.end_ps, ours ? index : TfDataEvent::kNone});
}

void TfData::EndLine() {
  if (!strict_) return;
  const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(line_begin_);
  std::stable_sort(begin, events_.end(), [](const TfDataEvent& a, const TfDataEvent& b) {
    return std::tuple(a.begin_ps, b.end_ps) < std::tuple(b.begin_ps, a.end_ps);
  });
  for (auto event = begin; event != events_.end(); ++event) {
    // One that ends a little after the call around it belongs to it.
    while (!stack_.empty() && stack_.back().end_ps <= event->begin_ps) stack_.pop_back();
    if (!stack_.empty()) event->parent = stack_.back().event;
    stack_.push_back({event->begin_ps, event->end_ps, static_cast<uint32_t>(event - events_.begin())});
  }
}

std::unique_ptr<trace::EventSink> TfData::Fork() const {
  auto fork = std::make_unique<TfData>(strict_ ? Compat::kNone : Compat::kXprof);
  fork->names_ = names_;
  fork->name_ids_ = name_ids_;
  fork->knows_async_ = knows_async_;
  return fork;
}

void TfData::Join(trace::EventSink&& sink) {
  TfData& fork = static_cast<TfData&>(sink);
  const auto moved = static_cast<uint32_t>(events_.size());
  for (TfDataEvent& event : fork.events_) {
    if (event.parent != TfDataEvent::kNone) event.parent += moved;
    events_.push_back(std::move(event));
  }
}

void TfData::EndFile() {
  AppendPipelines(host_, events_, names_, strict_, &result_);
  events_ = {};
}

void TfData::Merge(TfData&& other) {
  result_.pipelines.insert(result_.pipelines.end(), std::make_move_iterator(other.result_.pipelines.begin()),
                           std::make_move_iterator(other.result_.pipelines.end()));
  result_.calls_cut += other.result_.calls_cut;
}

TfDataResult TfData::Finish() && {
  const auto key = [](const TfDataPipeline& p) {
    return std::tuple(~p.max_latency_ps, std::string_view(p.host), std::string_view(p.name), p.iterators.front().id);
  };
  std::stable_sort(result_.pipelines.begin(), result_.pipelines.end(),
                   [&](const TfDataPipeline& a, const TfDataPipeline& b) { return key(a) < key(b); });
  return std::move(result_);
}

}  // namespace tfprof::analyze
