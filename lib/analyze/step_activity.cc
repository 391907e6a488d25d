#include "analyze/step_activity.h"

#include <algorithm>

namespace tfprof::analyze {
namespace {

struct Edge {
  uint64_t at_ps;
  bool begins;
  size_t activity;
};

}  // namespace

StepParts Sweep(const std::vector<ActivitySpan>& spans, TimeSpan step) {
  std::vector<Edge> edges;
  edges.reserve(spans.size() * 2);
  for (const ActivitySpan& span : spans) {
    edges.push_back({span.time.begin_ps, true, static_cast<size_t>(span.activity)});
    edges.push_back({span.time.end_ps, false, static_cast<size_t>(span.activity)});
  }
  // Ends first, then the higher rank.
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    if (a.at_ps != b.at_ps) return a.at_ps < b.at_ps;
    return a.begins != b.begins ? b.begins : a.activity > b.activity;
  });
  StepParts parts;
  std::array<int64_t, kStepActivities> open{};
  size_t top = 0;
  uint64_t covered = 0;
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    const Edge& edge = edges[i];
    open[edge.activity] += edge.begins ? 1 : -1;
    if (edge.begins) {
      top = std::max(top, edge.activity);
    } else if (edge.activity == top && open[top] == 0) {
      while (top > 0 && open[top] <= 0) --top;
    }
    const uint64_t to_ps = edges[i + 1].at_ps;
    const uint64_t from = std::max(edge.at_ps, step.begin_ps), to = std::min(to_ps, step.end_ps);
    parts.present[top] = true;
    parts.whole_ps[top] += to_ps - edge.at_ps;
    if (to <= from) continue;
    parts.ps[top] += to - from;
    covered += to - from;
  }
  if (covered < step.length_ps()) parts.of(StepActivity::kOther) += step.length_ps() - covered;
  return parts;
}

SpanUnion& StepActivities::UnionOf(StepActivity activity) {
  for (auto& [of, spans] : unions_) {
    if (of == activity) return spans;
  }
  return unions_.emplace_back(activity, SpanUnion()).second;
}

void StepActivities::Merge(const StepActivities& other) {
  for (const auto& [activity, spans] : other.unions_) UnionOf(activity).Merge(spans);
}

void StepActivities::Relabel(StepActivity from, StepActivity to) {
  const auto at = std::find_if(unions_.begin(), unions_.end(), [&](const auto& of) { return of.first == from; });
  if (at == unions_.end()) return;
  const SpanUnion spans = std::move(at->second);
  unions_.erase(at);
  UnionOf(to).Merge(spans);
}

StepParts StepActivities::Parts(TimeSpan step) {
  std::sort(unions_.begin(), unions_.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  StepParts parts;
  std::vector<TimeSpan> covered, more;  // by the activities so far
  uint64_t covered_ps = 0;
  for (auto& [activity, spans] : unions_) {
    UniteSpans(covered, spans.Joined(), &more);
    covered.swap(more);
    const uint64_t with_ps = LengthWithin(covered, step);
    parts.of(activity) = with_ps - covered_ps;
    covered_ps = with_ps;
  }
  parts.of(StepActivity::kOther) += step.length_ps() - covered_ps;
  return parts;
}

uint64_t StepActivities::AnyOf(std::initializer_list<StepActivity> activities, TimeSpan step) {
  std::vector<TimeSpan> covered, more;
  for (auto& [activity, spans] : unions_) {
    if (std::find(activities.begin(), activities.end(), activity) == activities.end()) continue;
    UniteSpans(covered, spans.Joined(), &more);
    covered.swap(more);
  }
  return LengthWithin(covered, step);
}

}  // namespace tfprof::analyze
