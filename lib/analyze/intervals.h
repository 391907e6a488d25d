// Unions of busy intervals, held in a few bytes each.
//
// An `IntervalList` is a sorted list of disjoint intervals, coded as gaps and lengths in 16-bit words of whole
// nanoseconds (what profilers' clocks tick in), with escapes for what is longer or finer: 4 bytes for the common
// interval. A `BusyUnion` (busy_union.h) makes one of the lists of many lanes. All times are picoseconds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

namespace tfprof::analyze {

class IntervalList {
  // Words lie in chunks that an allocator keeps and hands out again: growing copies nothing, and freed chunks are warm.
  static constexpr size_t kChunkWords = 32'000;  // just under 64 KiB
  static constexpr size_t kMostWords = 10;       // of one interval; never split between chunks
  enum Escape : uint16_t { kLongNs = 0xfffd, kLongPs = 0xfffe, kFull = 0xffff };  // 2, 2 and 4 words follow

  // Distances may need all 64 bits.
  static uint64_t Between(int64_t from_ps, int64_t to_ps) {
    return static_cast<uint64_t>(to_ps) - static_cast<uint64_t>(from_ps);
  }
  static int64_t Later(int64_t ps, uint64_t by_ps) { return static_cast<int64_t>(static_cast<uint64_t>(ps) + by_ps); }
  // ps / 1000, or something above kLongNs when it isn't whole: multiplying by the inverse of 125 modulo 2^64 and
  // turning the three zeros of the 8 to the top gives the quotient of every multiple of 1000, and large numbers for all
  // others.
  static uint64_t NanosecondsOf(uint64_t ps) { return std::rotr(ps * 0x1cac083126e978d5u, 3); }

  // The end of a list, where intervals are added.
  struct Tail {
    int64_t base_ps = 0;               // end of the last interval written (the first's start before that)
    int64_t start_ps = 0, end_ps = 0;  // the open interval, not yet written
    uint64_t busy_ps = 0;              // of the intervals written
    uint16_t* at = nullptr;            // where the next interval goes, and from where on there may be no room for it
    uint16_t* limit = nullptr;

    // False, and nothing done: there is no room, or the open interval doesn't fit into two words. For one lane, where
    // nearly every interval stands apart.
    bool Append(int64_t new_start_ps, int64_t new_end_ps) {
      if (new_start_ps <= end_ps) [[unlikely]] {
        end_ps = std::max(end_ps, new_end_ps);
        return true;
      }
      const uint64_t busy = Between(start_ps, end_ps);
      const uint64_t gap = NanosecondsOf(Between(base_ps, start_ps));
      const uint64_t length = NanosecondsOf(busy);
      if ((at >= limit) | ((gap | length) >= kLongNs)) [[unlikely]]
        return false;
      at[0] = static_cast<uint16_t>(gap);
      at[1] = static_cast<uint16_t>(length);
      at += 2;
      busy_ps += busy;
      base_ps = end_ps;
      start_ps = new_start_ps;
      end_ps = new_end_ps;
      return true;
    }
  };

 public:
  struct Interval {
    int64_t start_ps, end_ps;
  };
  void Add(int64_t start_ps, int64_t end_ps) {
    if (!tail_.Append(start_ps, end_ps) || chunks_.empty()) [[unlikely]]
      AddSlowly(start_ps, end_ps);
  }
  // Many one after the other, in order of their starts.
  void Add(const Interval* intervals, size_t n);

  bool empty() const { return chunks_.empty(); }
  int64_t first_ps() const { return first_ps_; }    // start of the first interval
  int64_t last_ps() const { return tail_.end_ps; }  // end of the last one
  uint64_t busy_ps() const { return tail_.busy_ps + Between(tail_.start_ps, tail_.end_ps); }
  uint64_t span_ps() const { return empty() ? 0 : Between(first_ps_, tail_.end_ps); }
  // A measure of how much it holds.
  size_t words() const { return empty() ? 0 : (chunks_.size() - 1) * kChunkWords + UsedInLast(); }

  // Calls visit(start_ps, end_ps) for each interval in order.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    Interval block[64];
    Reader reader(this);
    while (const size_t n = reader.Read(block, std::size(block))) {
      for (size_t i = 0; i < n; ++i) visit(block[i].start_ps, block[i].end_ps);
    }
  }

  IntervalList Copy() const;
  // Moments that divide the list into so many pieces of like size; fewer where it is short.
  std::vector<int64_t> Divide(size_t pieces) const;

 private:
  struct Chunk {
    std::unique_ptr<uint16_t[]> words;
    uint32_t used = 0;    // of the last chunk: UsedInLast()
    int64_t base_ps = 0;  // from where its first gap counts
  };

 public:
  // Reads a list from front to back.
  class Reader {
   public:
    explicit Reader(const IntervalList* list) : list_(list), at_ps_(list->first_ps_) {}
    // Frees what it has read.
    explicit Reader(IntervalList* list) : Reader(static_cast<const IntervalList*>(list)) { consumed_ = list; }
    // Begins somewhere before the first interval that ends behind `from_ps`, and not long before.
    Reader(const IntervalList* list, int64_t from_ps);
    // The next ones, up to `most`; none only at the end.
    size_t Read(Interval* to, size_t most);

   private:
    uint64_t Take() { return *word_ < kLongNs ? *word_++ * uint64_t{1000} : TakeEscaped(); }
    uint64_t TakeEscaped();
    bool NextChunk();

    const IntervalList* list_;
    IntervalList* consumed_ = nullptr;
    size_t chunk_ = 0;  // the next one
    const uint16_t* word_ = nullptr;
    const uint16_t* word_end_ = nullptr;
    int64_t at_ps_ = 0;  // the end of the interval before
    bool last_given_ = false;
  };

 private:
  void AddSlowly(int64_t start_ps, int64_t end_ps);
  void PutEscaped();
  size_t UsedInLast() const { return static_cast<size_t>(tail_.at - chunks_.back().words.get()); }

  int64_t first_ps_ = 0;
  Tail tail_;
  std::vector<Chunk> chunks_;  // none: the list is empty
};

}  // namespace tfprof::analyze
