#include "analyze/intervals.h"

#include <algorithm>
#include <utility>

namespace tfprof::analyze {

void IntervalList::Grow() { words_.resize(std::max<size_t>(2 * words_.size(), 64)); }

IntervalList IntervalList::Merge(const IntervalList& a, const IntervalList& b) {
  IntervalList out;
  Reader left(a), right(b);
  int64_t left_start = 0, left_end = 0, right_start = 0, right_end = 0;
  bool has_left = left.Next(&left_start, &left_end);
  bool has_right = right.Next(&right_start, &right_end);
  while (has_left || has_right) {
    if (has_left && (!has_right || left_start <= right_start)) {
      out.Add(left_start, left_end);
      has_left = left.Next(&left_start, &left_end);
    } else {
      out.Add(right_start, right_end);
      has_right = right.Next(&right_start, &right_end);
    }
  }
  return out;
}

void BusyUnion::Add(IntervalList list) {
  if (list.empty()) return;
  while (!levels_.empty() && levels_.back().bytes() <= 2 * list.bytes()) {
    list = IntervalList::Merge(levels_.back(), list);
    levels_.pop_back();
  }
  levels_.push_back(std::move(list));
}

void BusyUnion::Merge(BusyUnion other) {
  for (IntervalList& list : other.levels_) Add(std::move(list));
}

IntervalList BusyUnion::Finish() && {
  IntervalList out;
  for (; !levels_.empty(); levels_.pop_back()) {
    out = out.empty() ? std::move(levels_.back()) : IntervalList::Merge(levels_.back(), out);
  }
  return out;
}

}  // namespace tfprof::analyze
