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

}  // namespace tfprof::analyze
