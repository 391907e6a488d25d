// Puts the events of a lane into nesting order on their way from a reader to a consumer.
//
// Events arrive in file order, nearly always sorted by start. What is out of place by fewer than kHold events is put
// right in passing; an event that comes later than that makes the lane `disordered()`: it must then be read once more,
// with `sort_all`, which holds the lane's events (24 bytes each) and sorts them. Order: start ascending, duration
// descending, file order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/lane.h"

namespace tfprof::trace {

class LaneOrderer {
 public:
  static constexpr size_t kHold = 64;  // events kept back for the next batch

  LaneOrderer();

  void Start(LaneConsumer* consumer, bool sort_all);
  void Add(int64_t start_ps, int64_t duration_ps, uint32_t op, uint8_t flags) {
    if (size_ == start_.size()) MakeRoom();
    start_[size_] = start_ps;
    duration_[size_] = duration_ps;
    op_[size_] = op;
    flags_[size_] = flags;
    ++size_;
    sorted_ = sorted_ && (start_ps > last_start_ || (start_ps == last_start_ && duration_ps <= last_duration_));
    last_start_ = start_ps;
    last_duration_ = duration_ps;
  }
  // Rows to write events into, for a reader that has many at hand: Commit(n) adds the first n of them.
  struct Rows {
    int64_t* start_ps;
    int64_t* duration_ps;
    uint32_t* op;
    uint8_t* flags;
    size_t size;  // at least one, at most what was wished for
  };
  Rows Reserve(size_t wish) {
    if (size_ == start_.size()) MakeRoom();
    return {&start_[size_], &duration_[size_], &op_[size_], &flags_[size_], std::min(wish, start_.size() - size_)};
  }
  void Commit(size_t n);
  // An event without a place in time (EventBatch::kOutOfTime), of one or more occurrences.
  void AddUntimed(int64_t duration_ps, uint32_t op, uint8_t flags, uint64_t occurrences);
  // Hands on what is left. Doesn't close the consumer.
  void Finish();

  bool disordered() const { return disordered_; }

 private:
  static constexpr size_t kCapacity = EventBatch::kMaxEvents + kHold;
  struct Held {
    int64_t start_ps, duration_ps;
    uint32_t op;
    uint8_t flags;
  };

  void MakeRoom();
  void Push(size_t count);
  void SortBuffer();
  void FlushUntimed();
  void PushAllSorted();

  LaneConsumer* consumer_ = nullptr;
  bool sort_all_ = false;
  bool disordered_ = false;
  bool sorted_ = true;                                   // the buffer is in order, and after what was pushed
  int64_t last_start_ = INT64_MIN, last_duration_ = INT64_MAX;  // of the event added last
  int64_t pushed_start_ = INT64_MIN, pushed_duration_ = INT64_MAX;  // of the event pushed last
  size_t size_ = 0;
  std::vector<int64_t> start_, duration_;
  std::vector<uint32_t> op_;
  std::vector<uint8_t> flags_;
  std::vector<Held> all_;  // sort_all
  std::vector<int64_t> untimed_start_, untimed_duration_;
  std::vector<uint32_t> untimed_op_;
  std::vector<uint8_t> untimed_flags_;
  std::vector<uint64_t> untimed_occurrences_;
};

}  // namespace tfprof::trace
