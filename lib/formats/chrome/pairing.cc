#include "formats/chrome/pairing.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace tfprof::chrome {

void Pairing::Add(const PairEvent& event, std::vector<PairedSpan>* closed) {
  if (!event.end) {
    open_.push_back(event);
    ++open_names_[event.name];
    return;
  }
  const auto of_name = open_names_.find(event.name);
  if (open_.empty() || (event.name != 0 && (of_name == open_names_.end() || of_name->second == 0))) {
    ++stray_ends_;
    return;
  }
  size_t depth = open_.size();
  while (event.name != 0 && open_[depth - 1].name != event.name) --depth;  // all that it passes ends here
  // Spans of equal times nest in the order in which they are given here: what ends with another's end, then that one.
  for (size_t i = depth; i < open_.size(); ++i) {
    closed->push_back({open_[i].at_ps, std::max(event.at_ps, open_[i].at_ps), open_[i].op});
    ++unfinished_;
  }
  const PairEvent& begin = open_[depth - 1];
  closed->push_back({begin.at_ps, std::max(event.at_ps, begin.at_ps), begin.op});
  for (size_t i = depth - 1; i < open_.size(); ++i) --open_names_[open_[i].name];
  open_.resize(depth - 1);
}

void CloseOpen(const std::vector<PairEvent>& open, int64_t lane_end_ps, std::vector<PairedSpan>* spans) {
  std::vector<PairEvent> begins = open;
  const auto by_time = [](const auto& a, const auto& b) { return a.at_ps < b.at_ps; };
  std::stable_sort(begins.begin(), begins.end(), by_time);
  std::stable_sort(spans->begin(), spans->end(),
                   [](const PairedSpan& a, const PairedSpan& b) { return a.start_ps < b.start_ps; });
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> ends;  // of spans that began
  const size_t whole = spans->size();
  size_t next = 0;
  for (const PairEvent& begin : begins) {
    for (; next < whole && (*spans)[next].start_ps <= begin.at_ps; ++next) ends.push((*spans)[next].end_ps);
    while (!ends.empty() && ends.top() <= begin.at_ps) ends.pop();
    const int64_t end = ends.empty() ? std::max(lane_end_ps, begin.at_ps) : ends.top();
    spans->push_back({begin.at_ps, end, begin.op});
  }
}

}  // namespace tfprof::chrome
