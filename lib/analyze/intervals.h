// Unions of busy intervals, held in a few bytes each.
//
// An `IntervalList` is a sorted list of disjoint intervals, coded as gaps and lengths in 16-bit words of whole nanoseconds
// (what profilers' clocks tick in), with escapes for what is longer or finer: 4 bytes for the common interval. A
// `BusyUnion` collects the lists of many lanes and keeps their union: lists of like size are merged pairwise (as a binary
// counter adds), so that 100,000 lanes cost n log n and memory is that of the union. All times are picoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
  size_t words() const { return words_; }  // a measure of how much it holds

  // Calls visit(start_ps, end_ps) for each interval in order.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    Reader reader(this);
    for (int64_t start = 0, end = 0; reader.Next(&start, &end);) visit(start, end);
  }

  IntervalList Copy() const;

  // The union of both; their memory is freed as it is read.
  static IntervalList Merge(IntervalList a, IntervalList b);

 private:
  // Words lie in chunks that an allocator keeps and hands out again: growing copies nothing, and freed chunks are warm.
  static constexpr size_t kChunkWords = 32'000;  // just under 64 KiB
  static constexpr size_t kMostWords = 10;       // of one interval; never split between chunks
  struct Chunk {
    std::unique_ptr<uint16_t[]> words;
    uint32_t used = 0;
  };
  enum Escape : uint16_t { kLongNs = 0xfffd, kLongPs = 0xfffe, kFull = 0xffff };  // 2, 2 and 4 words follow

  // Follows a list; Next is false behind its last interval.
  class Reader {
   public:
    explicit Reader(const IntervalList* list) : list_(list), at_ps_(list->first_ps_) {}
    // Frees what it has read.
    explicit Reader(IntervalList* list) : list_(list), consumed_(list), at_ps_(list->first_ps_) {}
    bool Next(int64_t* start_ps, int64_t* end_ps) {
      if (word_ == word_end_ && !NextChunk()) return Last(start_ps, end_ps);
      *start_ps = at_ps_ + Take();
      *end_ps = at_ps_ = *start_ps + Take();
      return true;
    }

   private:
    int64_t Take() { return *word_ < kLongNs ? *word_++ * int64_t{1000} : TakeEscaped(); }
    int64_t TakeEscaped();
    bool NextChunk();
    bool Last(int64_t* start_ps, int64_t* end_ps);

    const IntervalList* list_;
    IntervalList* consumed_ = nullptr;
    size_t chunk_ = 0;  // the next one
    const uint16_t* word_ = nullptr;
    const uint16_t* word_end_ = nullptr;
    int64_t at_ps_;
    bool last_given_ = false;
  };

  // Writes the interval [start_ps_, end_ps_).
  void Emit() {
    if (chunks_.empty() || chunks_.back().used + kMostWords > kChunkWords) AddChunk();
    Chunk& chunk = chunks_.back();
    uint16_t* const begin = chunk.words.get() + chunk.used;
    uint16_t* end = Put(static_cast<uint64_t>(start_ps_ - base_ps_), begin);
    end = Put(static_cast<uint64_t>(end_ps_ - start_ps_), end);
    chunk.used += static_cast<uint32_t>(end - begin);
    words_ += static_cast<size_t>(end - begin);
    busy_done_ps_ += static_cast<uint64_t>(end_ps_ - start_ps_);
    base_ps_ = end_ps_;
  }
  static uint16_t* Put(uint64_t ps, uint16_t* to) {
    const uint64_t ns = ps / 1000;
    if (ns < kLongNs && ns * 1000 == ps) {
      *to = static_cast<uint16_t>(ns);
      return to + 1;
    }
    return PutEscaped(ps, to);
  }
  static uint16_t* PutEscaped(uint64_t ps, uint16_t* to);
  void AddChunk();

  bool empty_ = true;
  int64_t first_ps_ = 0;
  int64_t base_ps_ = 0;                // end of the last interval written (the first's start before that)
  int64_t start_ps_ = 0, end_ps_ = 0;  // the open interval, not yet written
  uint64_t busy_done_ps_ = 0;          // of the intervals written
  size_t words_ = 0;
  std::vector<Chunk> chunks_;
};

class BusyUnion {
 public:
  void Add(IntervalList list);
  void Merge(BusyUnion other);

  // The union of all that was added.
  IntervalList Finish() &&;

 private:
  std::vector<IntervalList> levels_;  // each holds more than twice what the next one does
};

}  // namespace tfprof::analyze
