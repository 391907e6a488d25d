// Unions of busy intervals, held in a few bytes each.
//
// An `IntervalList` is a sorted list of disjoint intervals, delta-coded as pairs (gap, length) of 32 bits each, with an
// escape for what is longer (4.3 ms): 8 bytes an interval, and no loop to read or write one. A `BusyUnion` collects the lists of many lanes and keeps their union: lists of like size are merged pairwise (as a binary counter
// adds), so that 100,000 lanes cost n log n and memory is that of the union. All times are picoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tfprof::analyze {

class IntervalList {
 public:
  // Starts must not decrease; what touches or overlaps the last interval extends it.
  void Add(int64_t start_ps, int64_t end_ps) {
    if (empty_) {
      empty_ = false;
      first_ps_ = base_ps_ = start_ps_ = start_ps;
      end_ps_ = end_ps;
    } else if (start_ps > end_ps_) {
      Emit();
      start_ps_ = start_ps;
      end_ps_ = end_ps;
    } else if (end_ps > end_ps_) {
      end_ps_ = end_ps;
    }
  }

  bool empty() const { return empty_; }
  int64_t first_ps() const { return first_ps_; }  // start of the first interval
  int64_t last_ps() const { return end_ps_; }     // end of the last one
  uint64_t busy_ps() const { return busy_done_ps_ + static_cast<uint64_t>(end_ps_ - start_ps_); }
  uint64_t span_ps() const { return empty_ ? 0 : static_cast<uint64_t>(end_ps_ - first_ps_); }
  size_t bytes() const { return size_ * sizeof(uint32_t); }

  // Calls visit(start_ps, end_ps) for each interval in order.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    Reader reader(*this);
    for (int64_t start = 0, end = 0; reader.Next(&start, &end);) visit(start, end);
  }

  static IntervalList Merge(const IntervalList& a, const IntervalList& b);

 private:
  // Follows a list; Next is false behind its last interval.
  class Reader {
   public:
    explicit Reader(const IntervalList& list) : list_(list), at_ps_(list.first_ps_) {}
    bool Next(int64_t* start_ps, int64_t* end_ps) {
      if (p_ < list_.size_) {
        *start_ps = at_ps_ + Take();
        *end_ps = at_ps_ = *start_ps + Take();
        return true;
      }
      if (last_given_ || list_.empty_) return false;
      last_given_ = true;
      *start_ps = list_.start_ps_;
      *end_ps = list_.end_ps_;
      return true;
    }

   private:
    int64_t Take() {
      const uint32_t word = list_.words_[p_++];
      if (word != kEscape) return word;
      const uint64_t low = list_.words_[p_++];
      return static_cast<int64_t>(low | static_cast<uint64_t>(list_.words_[p_++]) << 32);
    }
    const IntervalList& list_;
    size_t p_ = 0;
    int64_t at_ps_;
    bool last_given_ = false;
  };

  static constexpr uint32_t kEscape = 0xffffffff;  // the next two words hold the value
  static constexpr size_t kMostWords = 6;          // of one interval

  // Writes the interval [start_ps_, end_ps_).
  void Emit() {
    if (words_.size() < size_ + kMostWords) Grow();
    Put(static_cast<uint64_t>(start_ps_ - base_ps_));
    Put(static_cast<uint64_t>(end_ps_ - start_ps_));
    busy_done_ps_ += static_cast<uint64_t>(end_ps_ - start_ps_);
    base_ps_ = end_ps_;
  }
  void Put(uint64_t value) {
    if (value < kEscape) {
      words_[size_++] = static_cast<uint32_t>(value);
      return;
    }
    words_[size_++] = kEscape;
    words_[size_++] = static_cast<uint32_t>(value);
    words_[size_++] = static_cast<uint32_t>(value >> 32);
  }
  void Grow();

  bool empty_ = true;
  int64_t first_ps_ = 0;
  int64_t base_ps_ = 0;               // end of the last interval written (the first's start before that)
  int64_t start_ps_ = 0, end_ps_ = 0;  // the open interval, not yet in words_
  uint64_t busy_done_ps_ = 0;          // of the intervals in words_
  std::vector<uint32_t> words_;  // the first size_ are written
  size_t size_ = 0;
};

class BusyUnion {
 public:
  void Add(IntervalList list);
  void Merge(BusyUnion other);

  // The union of all that was added.
  IntervalList Finish() &&;

 private:
  std::vector<IntervalList> levels_;  // sizes fall by at least half from one to the next
};

}  // namespace tfprof::analyze
