#include "trace/lane_orderer.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tfprof::trace {
namespace {

template <typename Event>
bool NestsBefore(const Event& a, const Event& b) {
  return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.duration_ps > b.duration_ps;
}

}  // namespace

LaneOrderer::LaneOrderer() { MakeRoom(); }

// Buffers grow up to kCapacity: most lanes of a timeline with thousands of them are short.
void LaneOrderer::MakeRoom() {
  if (start_.size() == kCapacity) {
    Push(EventBatch::kMaxEvents);
    return;
  }
  const size_t size = std::min(kCapacity, std::max<size_t>(16, 4 * start_.size()));
  start_.resize(size);
  duration_.resize(size);
  op_.resize(size);
  flags_.resize(size);
}

void LaneOrderer::Start(LaneConsumer* consumer, bool sort_all) {
  consumer_ = consumer;
  sort_all_ = sort_all;
  disordered_ = false;
  sorted_ = true;
  last_start_ = pushed_start_ = INT64_MIN;
  last_duration_ = pushed_duration_ = INT64_MAX;
  size_ = 0;
  all_.clear();
}

void LaneOrderer::Commit(size_t n) {
  if (n == 0) return;
  const int64_t* start = &start_[size_];
  const int64_t* duration = &duration_[size_];
  const auto follows = [&](size_t i, int64_t before_start, int64_t before_duration) {
    return start[i] > before_start || (start[i] == before_start && duration[i] <= before_duration);
  };
  // Whether any event is late, for all at once and without a branch or a comparison: in the top bits of differences.
  uint64_t late = 0;
  for (size_t i = 1; i < n; ++i) {
    const auto a = static_cast<uint64_t>(start[i - 1]), b = static_cast<uint64_t>(start[i]);
    const uint64_t later = b - a;
    const uint64_t runs_over = (b ^ a) & (b ^ later);
    const uint64_t equal = ~(later | (0 - later));
    const uint64_t longer = static_cast<uint64_t>(duration[i - 1]) - static_cast<uint64_t>(duration[i]);
    late |= later | runs_over | (equal & longer);
  }
  sorted_ = sorted_ && follows(0, last_start_, last_duration_);
  if (late >> 63 != 0) {  // or starts lie very far apart
    for (size_t i = 1; i < n; ++i) sorted_ = sorted_ && follows(i, start[i - 1], duration[i - 1]);
  }
  last_start_ = start[n - 1];
  last_duration_ = duration[n - 1];
  size_ += n;
}

void LaneOrderer::SortBuffer() {
  std::vector<Held> events(size_);
  for (size_t i = 0; i < size_; ++i) events[i] = {start_[i], duration_[i], op_[i], flags_[i]};
  std::stable_sort(events.begin(), events.end(), NestsBefore<Held>);
  for (size_t i = 0; i < size_; ++i) {
    start_[i] = events[i].start_ps;
    duration_[i] = events[i].duration_ps;
    op_[i] = events[i].op;
    flags_[i] = events[i].flags;
  }
}

// Hands on the first `count` events of the buffer.
void LaneOrderer::Push(size_t count) {
  if (sort_all_) {
    for (size_t i = 0; i < size_; ++i) all_.push_back({start_[i], duration_[i], op_[i], flags_[i]});
    size_ = 0;
    return;
  }
  if (!sorted_) {
    SortBuffer();
    const bool late = start_[0] < pushed_start_ || (start_[0] == pushed_start_ && duration_[0] > pushed_duration_);
    disordered_ |= late;
  }
  if (!disordered_) {
    consumer_->Add({count, start_.data(), duration_.data(), op_.data(), flags_.data(), nullptr});
    pushed_start_ = start_[count - 1];
    pushed_duration_ = duration_[count - 1];
  }
  const size_t rest = size_ - count;
  const auto keep = [&]<typename T>(std::vector<T>& column) {
    std::memmove(column.data(), column.data() + count, rest * sizeof(T));
  };
  keep(start_);
  keep(duration_);
  keep(op_);
  keep(flags_);
  size_ = rest;
  // What is kept is sorted; the next event is compared with its last one.
  sorted_ = true;
  if (rest > 0) {
    last_start_ = start_[rest - 1];
    last_duration_ = duration_[rest - 1];
  }
}

void LaneOrderer::AddUntimed(int64_t duration_ps, uint32_t op, uint8_t flags, uint64_t occurrences) {
  untimed_start_.push_back(0);
  untimed_duration_.push_back(duration_ps);
  untimed_op_.push_back(op);
  untimed_flags_.push_back(flags | EventBatch::kOutOfTime);
  untimed_occurrences_.push_back(occurrences);
  if (untimed_op_.size() == EventBatch::kMaxEvents) FlushUntimed();
}

void LaneOrderer::FlushUntimed() {
  if (untimed_op_.empty()) return;
  consumer_->Add({untimed_op_.size(), untimed_start_.data(), untimed_duration_.data(), untimed_op_.data(),
                  untimed_flags_.data(), untimed_occurrences_.data()});
  untimed_start_.clear();
  untimed_duration_.clear();
  untimed_op_.clear();
  untimed_flags_.clear();
  untimed_occurrences_.clear();
}

void LaneOrderer::PushAllSorted() {
  std::stable_sort(all_.begin(), all_.end(), NestsBefore<Held>);
  while (start_.size() < EventBatch::kMaxEvents) MakeRoom();
  for (size_t done = 0; done < all_.size();) {
    const size_t n = std::min(EventBatch::kMaxEvents, all_.size() - done);
    for (size_t i = 0; i < n; ++i) {
      const Held& e = all_[done + i];
      start_[i] = e.start_ps;
      duration_[i] = e.duration_ps;
      op_[i] = e.op;
      flags_[i] = e.flags;
    }
    consumer_->Add({n, start_.data(), duration_.data(), op_.data(), flags_.data(), nullptr});
    done += n;
  }
  all_ = {};
}

void LaneOrderer::Finish() {
  if (sort_all_) {
    Push(size_);
    PushAllSorted();
  } else {
    while (size_ > 0 && !disordered_) Push(std::min(size_, EventBatch::kMaxEvents));
  }
  size_ = 0;
  FlushUntimed();
}

}  // namespace tfprof::trace
