#include "analyze/intervals.h"

#include <utility>

namespace tfprof::analyze {

void IntervalList::AddChunk() { chunks_.push_back({std::make_unique_for_overwrite<uint16_t[]>(kChunkWords), 0}); }

uint16_t* IntervalList::PutEscaped(uint64_t ps, uint16_t* to) {
  const auto put = [&](uint64_t value, int words) {
    for (int i = 0; i < words; ++i) *to++ = static_cast<uint16_t>(value >> (16 * i));
  };
  if (ps <= UINT32_MAX) {
    put(kLongPs, 1);
    put(ps, 2);
  } else if (ps % 1000 == 0 && ps / 1000 <= UINT32_MAX) {
    put(kLongNs, 1);
    put(ps / 1000, 2);
  } else {
    put(kFull, 1);
    put(ps, 4);
  }
  return to;
}

int64_t IntervalList::Reader::TakeEscaped() {
  const uint16_t escape = *word_++;
  uint64_t value = 0;
  for (int i = 0; i < (escape == kFull ? 4 : 2); ++i) value |= static_cast<uint64_t>(*word_++) << (16 * i);
  return static_cast<int64_t>(escape == kLongNs ? value * 1000 : value);
}

bool IntervalList::Reader::NextChunk() {
  if (consumed_ != nullptr && chunk_ > 0) consumed_->chunks_[chunk_ - 1].words.reset();
  if (chunk_ == list_->chunks_.size()) return false;
  const Chunk& chunk = list_->chunks_[chunk_++];
  word_ = chunk.words.get();
  word_end_ = word_ + chunk.used;
  return true;
}

// The open interval is the last one.
bool IntervalList::Reader::Last(int64_t* start_ps, int64_t* end_ps) {
  if (last_given_ || list_->empty_) return false;
  word_ = word_end_ = nullptr;
  last_given_ = true;
  *start_ps = list_->start_ps_;
  *end_ps = list_->end_ps_;
  return true;
}

IntervalList IntervalList::Copy() const {
  IntervalList out;
  ForEach([&](int64_t start_ps, int64_t end_ps) { out.Add(start_ps, end_ps); });
  return out;
}

IntervalList IntervalList::Merge(IntervalList a, IntervalList b) {
  IntervalList out;
  Reader left(&a), right(&b);
  int64_t left_start = 0, left_end = 0, right_start = 0, right_end = 0;
  bool has_left = left.Next(&left_start, &left_end);
  bool has_right = right.Next(&right_start, &right_end);
  while (has_left && has_right) {
    if (left_start <= right_start) {
      out.Add(left_start, left_end);
      has_left = left.Next(&left_start, &left_end);
    } else {
      out.Add(right_start, right_end);
      has_right = right.Next(&right_start, &right_end);
    }
  }
  for (; has_left; has_left = left.Next(&left_start, &left_end)) out.Add(left_start, left_end);
  for (; has_right; has_right = right.Next(&right_start, &right_end)) out.Add(right_start, right_end);
  return out;
}

void BusyUnion::Add(IntervalList list) {
  if (list.empty()) return;
  while (!levels_.empty() && levels_.back().words() <= 2 * list.words()) {
    list = IntervalList::Merge(std::move(levels_.back()), std::move(list));
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
    out = out.empty() ? std::move(levels_.back()) : IntervalList::Merge(std::move(levels_.back()), std::move(out));
  }
  return out;
}

}  // namespace tfprof::analyze
