#include "formats/chrome/timeline_steps.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "formats/chrome/members.h"

namespace tfprof::chrome {
namespace {

// As the grouping of XSpaces calls it: `train 7`.
std::string MarkName(std::string_view event, Dialect dialect) {
  const std::string name = Decode(FindMember(event, "name"));
  if (dialect == Dialect::kKineto) return name;
  const std::string args(FindMember(event, "args").raw());
  const std::string number = Decode(FindMember(args, "step_num"));
  if (number.empty()) return {};
  const std::string graph = Decode(FindMember(args, "graph_type"));
  return (graph.empty() ? name : graph) + ' ' + number;
}

}  // namespace

TimelineSteps::TimelineSteps(std::string_view text, const EventIndex& index, Dialect dialect) {
  for (const IndexedEvent& event : index.step_marks) {
    const IndexedLane& lane = index.lanes[event.lane];
    if (lane.on_device() || lane.view() || event.flags != 0) continue;
    std::string name = MarkName(text.substr(event.offset), dialect);
    if (name.empty()) continue;
    marks_.push_back({event.start_ps, event.start_ps + event.duration_ps, event.offset, std::move(name)});
  }
  std::stable_sort(marks_.begin(), marks_.end(),
                   [](const StepMark& a, const StepMark& b) { return a.start_ps < b.start_ps; });
  for (const StepMark& mark : marks_) by_offset_.emplace(mark.offset, by_offset_.size());
  CutIntoPieces();
}

void TimelineSteps::CutIntoPieces() {
  std::vector<std::pair<int64_t, size_t>> ends;  // of each mark
  for (size_t i = 0; i < marks_.size(); ++i) ends.emplace_back(marks_[i].end_ps, i);
  std::sort(ends.begin(), ends.end());
  std::vector<size_t> begun;  // those that may go on, the last one on top
  size_t next_begin = 0, next_end = 0;
  while (next_end < ends.size()) {
    const int64_t at =
        next_begin < marks_.size() ? std::min(marks_[next_begin].start_ps, ends[next_end].first) : ends[next_end].first;
    while (next_begin < marks_.size() && marks_[next_begin].start_ps == at) begun.push_back(next_begin++);
    while (next_end < ends.size() && ends[next_end].first <= at) ++next_end;
    while (!begun.empty() && marks_[begun.back()].end_ps <= at) begun.pop_back();
    pieces_.push_back({at, begun.empty() ? -1 : static_cast<int64_t>(begun.back())});
  }
}

int64_t TimelineSteps::At(int64_t at_ps) const {
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), at_ps,
                                      [](int64_t at, const Piece& piece) { return at < piece.from_ps; });
  return after == pieces_.begin() ? -1 : std::prev(after)->step;
}

std::string_view TimelineSteps::MarkedBy(uint64_t offset) const {
  const auto at = by_offset_.find(offset);
  return at == by_offset_.end() ? std::string_view() : marks_[at->second].name;
}

std::optional<int64_t> StepOfFileName(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, name.find('.'));
  size_t end = name.size();
  while (end > 0 && !IsDigit(name[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && IsDigit(name[begin - 1])) --begin;
  int64_t number = 0;
  const auto [behind, error] = std::from_chars(name.data() + begin, name.data() + end, number);
  if (error != std::errc() || behind != name.data() + end || begin == end) return std::nullopt;
  return number;
}

}  // namespace tfprof::chrome
