#include "analyze/intervals.h"

#include <algorithm>
#include <utility>

namespace tfprof::analyze {

void IntervalList::Add(const Interval* intervals, size_t n) {
  const Interval* const end = intervals + n;
  while (intervals != end) {
    Tail tail = tail_;  // in registers for as long as it goes
    if (!chunks_.empty()) {
      while (intervals != end && tail.Append(intervals->start_ps, intervals->end_ps)) ++intervals;
    }
    tail_ = tail;
    if (intervals != end) AddSlowly(intervals->start_ps, intervals->end_ps), ++intervals;
  }
}

void IntervalList::AddSlowly(int64_t start_ps, int64_t end_ps) {
  const bool first = chunks_.empty();
  if (tail_.at >= tail_.limit) {
    if (!first) chunks_.back().used = static_cast<uint32_t>(UsedInLast());
    chunks_.push_back({std::make_unique_for_overwrite<uint16_t[]>(kChunkWords), 0});
    tail_.at = chunks_.back().words.get();
    tail_.limit = tail_.at + kChunkWords - kMostWords;
  }
  if (first) {
    first_ps_ = tail_.base_ps = tail_.start_ps = start_ps;
    tail_.end_ps = end_ps;
  } else if (!tail_.Add(start_ps, end_ps)) {
    PutEscaped();
    tail_.busy_ps += Between(tail_.start_ps, tail_.end_ps);
    tail_.base_ps = tail_.end_ps;
    tail_.start_ps = start_ps;
    tail_.end_ps = end_ps;
  }
}

// Writes the open interval when its gap or its length is longer or finer than a word of nanoseconds.
void IntervalList::PutEscaped() {
  const auto put = [&](uint64_t value, int words) {
    for (int i = 0; i < words; ++i) *tail_.at++ = static_cast<uint16_t>(value >> (16 * i));
  };
  for (const uint64_t ps : {Between(tail_.base_ps, tail_.start_ps), Between(tail_.start_ps, tail_.end_ps)}) {
    const uint64_t ns = NanosecondsOf(ps);
    if (ns < kLongNs) {
      put(ns, 1);
    } else if (ps <= UINT32_MAX) {
      put(kLongPs, 1);
      put(ps, 2);
    } else if (ns <= UINT32_MAX) {
      put(kLongNs, 1);
      put(ns, 2);
    } else {
      put(kFull, 1);
      put(ps, 4);
    }
  }
}

IntervalList::Reader::Reader(const IntervalList* list, IntervalList* consumed) : list_(list), consumed_(consumed) {
  at_.end_ps = list->first_ps_;
  if (list->empty()) {
    has_ = false;
  } else {
    Advance();
  }
}

uint64_t IntervalList::Reader::TakeEscaped() {
  const uint16_t escape = *at_.word++;
  uint64_t value = 0;
  for (int i = 0; i < (escape == kFull ? 4 : 2); ++i) value |= static_cast<uint64_t>(*at_.word++) << (16 * i);
  return escape == kLongNs ? value * 1000 : value;
}

bool IntervalList::Reader::NextChunk() {
  for (;;) {
    if (consumed_ != nullptr && chunk_ > 0) consumed_->chunks_[chunk_ - 1].words.reset();
    if (chunk_ == list_->chunks_.size()) return false;
    const bool is_last = chunk_ + 1 == list_->chunks_.size();
    const Chunk& chunk = list_->chunks_[chunk_++];
    at_.word = chunk.words.get();
    at_.word_end = at_.word + (is_last ? list_->UsedInLast() : chunk.used);
    if (at_.word != at_.word_end) return true;
  }
}

// The open interval is the last one.
void IntervalList::Reader::Last() {
  at_.word = at_.word_end = nullptr;
  has_ = !last_given_;
  last_given_ = true;
  at_.start_ps = list_->tail_.start_ps;
  at_.end_ps = list_->tail_.end_ps;
}

IntervalList IntervalList::Copy() const {
  IntervalList out;
  ForEach([&](int64_t start_ps, int64_t end_ps) { out.Add(start_ps, end_ps); });
  return out;
}

// Merges while both lists go on in their chunks and nothing but plain words is read and written.
template <typename Out>
void IntervalList::MergeShort(Reader* a, Reader* b, Out* out) {
  typename Out::Hot hot = out->hot();
  Reader::Position left = a->at_, right = b->at_;
  while (left.word != left.word_end && right.word != right.word_end) {
    if (left.start_ps <= right.start_ps) {
      if (left.NextEscapes() || !hot.Add(left.start_ps, left.end_ps)) break;
      left.Advance();
    } else {
      if (right.NextEscapes() || !hot.Add(right.start_ps, right.end_ps)) break;
      right.Advance();
    }
  }
  a->at_ = left;
  b->at_ = right;
  out->hot() = hot;
}

template <typename Out>
void IntervalList::MergeInto(IntervalList* a, IntervalList* b, Out* out) {
  Reader left(a), right(b);
  while (left.has() && right.has()) {
    MergeShort(&left, &right, out);
    Reader& next = left.start_ps() <= right.start_ps() ? left : right;
    out->Add(next.start_ps(), next.end_ps());
    next.Advance();
  }
  for (; left.has(); left.Advance()) out->Add(left.start_ps(), left.end_ps());
  for (; right.has(); right.Advance()) out->Add(right.start_ps(), right.end_ps());
}

IntervalList IntervalList::Merge(IntervalList a, IntervalList b) {
  IntervalList list;
  {
    Appender out(&list);
    MergeInto(&a, &b, &out);
  }
  return list;
}

BusyTime IntervalList::MeasureUnion(IntervalList a, IntervalList b) {
  if (a.empty() || b.empty()) {
    const IntervalList& all = a.empty() ? b : a;
    return {all.span_ps(), all.busy_ps()};
  }
  const uint64_t span_ps = Between(std::min(a.first_ps(), b.first_ps()), std::max(a.last_ps(), b.last_ps()));
  Meter meter;
  MergeInto(&a, &b, &meter);
  return {span_ps, meter.busy_ps()};
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
  for (IntervalList& list : other.levels_) levels_.push_back(std::move(list));
  std::stable_sort(levels_.begin(), levels_.end(),
                   [](const IntervalList& a, const IntervalList& b) { return a.words() > b.words(); });
}

void BusyUnion::Settle() {
  while (levels_.size() > 1) {
    IntervalList last = std::move(levels_.back());
    levels_.pop_back();
    levels_.back() = IntervalList::Merge(std::move(levels_.back()), std::move(last));
  }
}

BusyTime BusyUnion::Measure() && {
  if (levels_.empty()) return {};
  IntervalList first = std::move(levels_.front());
  levels_.erase(levels_.begin());
  Settle();
  return IntervalList::MeasureUnion(std::move(first), levels_.empty() ? IntervalList() : std::move(levels_.front()));
}

}  // namespace tfprof::analyze
