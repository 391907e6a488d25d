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
    chunks_.push_back(
        {std::make_unique_for_overwrite<uint16_t[]>(kChunkWords), 0, first ? start_ps : tail_.base_ps});
    tail_.at = chunks_.back().words.get();
    tail_.limit = tail_.at + kChunkWords - kMostWords;
  }
  if (first) {
    first_ps_ = tail_.base_ps = tail_.start_ps = start_ps;
    tail_.end_ps = end_ps;
  } else if (!tail_.Append(start_ps, end_ps)) {
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

std::vector<int64_t> IntervalList::Divide(size_t pieces) const {
  std::vector<int64_t> moments;
  if (chunks_.size() < 2 * pieces) return moments;
  for (size_t i = 1; i < pieces; ++i) moments.push_back(chunks_[i * chunks_.size() / pieces].base_ps);
  return moments;
}

IntervalList::Reader::Reader(const IntervalList* list, int64_t from_ps) : Reader(list) {
  const auto behind = std::upper_bound(list->chunks_.begin(), list->chunks_.end(), from_ps,
                                       [](int64_t ps, const Chunk& chunk) { return ps < chunk.base_ps; });
  if (behind - list->chunks_.begin() < 2) return;
  chunk_ = static_cast<size_t>(behind - list->chunks_.begin()) - 1;
  at_ps_ = list->chunks_[chunk_].base_ps;
}

uint64_t IntervalList::Reader::TakeEscaped() {
  const uint16_t escape = *word_++;
  uint64_t value = 0;
  for (int i = 0; i < (escape == kFull ? 4 : 2); ++i) value |= static_cast<uint64_t>(*word_++) << (16 * i);
  return escape == kLongNs ? value * 1000 : value;
}

bool IntervalList::Reader::NextChunk() {
  for (;;) {
    if (consumed_ != nullptr && chunk_ > 0) consumed_->chunks_[chunk_ - 1].words.reset();
    if (chunk_ == list_->chunks_.size()) return false;
    const bool is_last = chunk_ + 1 == list_->chunks_.size();
    const Chunk& chunk = list_->chunks_[chunk_++];
    word_ = chunk.words.get();
    word_end_ = word_ + (is_last ? list_->UsedInLast() : chunk.used);
    if (word_ != word_end_) return true;
  }
}

size_t IntervalList::Reader::Read(Interval* to, size_t most) {
  size_t n = 0;
  while (n < most) {
    if (word_ == word_end_ && (last_given_ || !NextChunk())) {
      // The open interval is the last one.
      if (!std::exchange(last_given_, true) && !list_->empty()) to[n++] = {list_->tail_.start_ps, list_->tail_.end_ps};
      word_ = word_end_ = nullptr;
      break;
    }
    // No more than there is, should none of them be written longer.
    const uint16_t* word = word_;
    int64_t at = at_ps_;
    for (size_t plain = std::min<size_t>(most - n, static_cast<size_t>(word_end_ - word_) / 2);
         plain > 0 && std::max(word[0], word[1]) < kLongNs; --plain, word += 2) {
      const int64_t start = Later(at, word[0] * uint64_t{1000});
      at = Later(start, word[1] * uint64_t{1000});
      to[n++] = {start, at};
    }
    word_ = word;
    at_ps_ = at;
    if (n < most && word_ != word_end_ && std::max(word_[0], word_[1]) >= kLongNs) {
      const int64_t start = Later(at_ps_, Take());
      at_ps_ = Later(start, Take());
      to[n++] = {start, at_ps_};
    }
  }
  return n;
}

IntervalList IntervalList::Copy() const {
  IntervalList copy;
  copy.first_ps_ = first_ps_;
  copy.tail_ = tail_;
  for (const Chunk& chunk : chunks_) {
    const bool is_last = &chunk == &chunks_.back();
    copy.chunks_.push_back({std::make_unique_for_overwrite<uint16_t[]>(kChunkWords), chunk.used, chunk.base_ps});
    std::copy_n(chunk.words.get(), is_last ? UsedInLast() : chunk.used, copy.chunks_.back().words.get());
  }
  if (!chunks_.empty()) {
    copy.tail_.at = copy.chunks_.back().words.get() + UsedInLast();
    copy.tail_.limit = copy.chunks_.back().words.get() + (tail_.limit - chunks_.back().words.get());
  }
  return copy;
}

}  // namespace tfprof::analyze
