#include "analyze/intervals.h"

#include <utility>

namespace tfprof::analyze {

void IntervalList::PutVarint(uint64_t value) {
  while (value > 127) {
    bytes_.push_back(static_cast<uint8_t>(value | 128));
    value >>= 7;
  }
  bytes_.push_back(static_cast<uint8_t>(value));
}

void IntervalList::Emit() {
  PutVarint(static_cast<uint64_t>(start_ps_ - base_ps_));
  PutVarint(static_cast<uint64_t>(end_ps_ - start_ps_));
  busy_done_ps_ += static_cast<uint64_t>(end_ps_ - start_ps_);
  base_ps_ = end_ps_;
}

uint64_t IntervalList::Reader::Varint() {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const uint64_t byte = list_.bytes_[p_++];
    value |= (byte & 127) << shift;
    if (byte < 128) return value;
  }
}

bool IntervalList::Reader::Next(int64_t* start_ps, int64_t* end_ps) {
  if (p_ < list_.bytes_.size()) {
    *start_ps = at_ps_ + static_cast<int64_t>(Varint());
    *end_ps = at_ps_ = *start_ps + static_cast<int64_t>(Varint());
    return true;
  }
  if (last_given_ || list_.empty_) return false;
  last_given_ = true;
  *start_ps = list_.start_ps_;
  *end_ps = list_.end_ps_;
  return true;
}

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
