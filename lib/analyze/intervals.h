// Unions of busy intervals, held in a few bytes each.
//
// An `IntervalList` is a sorted list of disjoint intervals, coded as gaps and lengths in 16-bit words of whole
// nanoseconds (what profilers' clocks tick in), with escapes for what is longer or finer: 4 bytes for the common
// interval. A `BusyUnion` collects the lists of many lanes and keeps their union: lists of like size are merged
// pairwise (as a binary counter adds), so that 100,000 lanes cost n log n and memory is that of the union. All times
// are picoseconds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tfprof::analyze {

struct BusyTime {
  uint64_t span_ps = 0;  // from the first start to the last end
  uint64_t busy_ps = 0;
};

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

    // The same where many threads are merged: whether there is a gap is as good as random, so the words are written in
    // any case and kept if there is one.
    bool Add(int64_t new_start_ps, int64_t new_end_ps) {
      const uint64_t gap = NanosecondsOf(Between(base_ps, start_ps));
      const uint64_t length = NanosecondsOf(Between(start_ps, end_ps));
      const bool apart = new_start_ps > end_ps;
      if ((at >= limit) | (apart & (std::max(gap, length) >= kLongNs))) [[unlikely]]
        return false;
      at[0] = static_cast<uint16_t>(gap);
      at[1] = static_cast<uint16_t>(length);
      at += apart ? 2 : 0;
      busy_ps += apart ? Between(start_ps, end_ps) : 0;
      base_ps = apart ? end_ps : base_ps;
      start_ps = apart ? new_start_ps : start_ps;
      end_ps = std::max(end_ps, new_end_ps);  // apart: the new end lies behind anyway
      return true;
    }
  };

 public:
  // Adds intervals one after the other. It holds the end of the list in its own members (registers, for a loop that
  // adds many) and puts it back when it goes; the list is not to be touched meanwhile.
  class Appender {
   public:
    explicit Appender(IntervalList* list) : list_(list), tail_(list->tail_) {}
    ~Appender() { list_->tail_ = tail_; }
    Appender(const Appender&) = delete;
    Appender& operator=(const Appender&) = delete;

    // Starts must not decrease; what touches or overlaps the last interval extends it.
    void Add(int64_t start_ps, int64_t end_ps) {
      if (!tail_.Add(start_ps, end_ps)) [[unlikely]] {
        list_->tail_ = tail_;
        list_->AddSlowly(start_ps, end_ps);
        tail_ = list_->tail_;
      }
    }

   private:
    friend class IntervalList;
    using Hot = Tail;
    Tail& hot() { return tail_; }

    IntervalList* list_;
    Tail tail_;
  };

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
    Reader reader(this);
    for (; reader.has(); reader.Advance()) visit(reader.start_ps(), reader.end_ps());
  }

  IntervalList Copy() const;

  // The union of both; their memory is freed as it is read.
  static IntervalList Merge(IntervalList a, IntervalList b);
  // Only how long it is and how much of it is busy.
  static BusyTime MeasureUnion(IntervalList a, IntervalList b);

 private:
  struct Chunk {
    std::unique_ptr<uint16_t[]> words;
    uint32_t used = 0;  // of the last chunk: UsedInLast()
  };

  // Follows a list; has() is false behind its last interval.
  class Reader {
   public:
    explicit Reader(const IntervalList* list) : Reader(list, nullptr) {}
    // Frees what it has read.
    explicit Reader(IntervalList* list) : Reader(list, list) {}

    bool has() const { return has_; }
    int64_t start_ps() const { return at_.start_ps; }
    int64_t end_ps() const { return at_.end_ps; }
    void Advance() {
      if (at_.word == at_.word_end && !NextChunk()) return Last();
      if (at_.NextEscapes()) {
        at_.start_ps = Later(at_.end_ps, Take());
        at_.end_ps = Later(at_.start_ps, Take());
      } else {
        at_.Advance();
      }
    }

   private:
    friend class IntervalList;
    // The interval that was read, and where the next one stands in the chunk.
    struct Position {
      const uint16_t* word = nullptr;
      const uint16_t* word_end = nullptr;
      int64_t start_ps = 0, end_ps = 0;

      bool NextEscapes() const { return std::max(word[0], word[1]) >= kLongNs; }
      void Advance() {
        start_ps = Later(end_ps, word[0] * uint64_t{1000});
        end_ps = Later(start_ps, word[1] * uint64_t{1000});
        word += 2;
      }
    };

    Reader(const IntervalList* list, IntervalList* consumed);
    uint64_t Take() { return *at_.word < kLongNs ? *at_.word++ * uint64_t{1000} : TakeEscaped(); }
    uint64_t TakeEscaped();
    bool NextChunk();
    void Last();

    const IntervalList* list_;
    IntervalList* consumed_;
    size_t chunk_ = 0;  // the next one
    Position at_;
    bool has_ = true, last_given_ = false;
  };

  void AddSlowly(int64_t start_ps, int64_t end_ps);
  void PutEscaped();
  size_t UsedInLast() const { return static_cast<size_t>(tail_.at - chunks_.back().words.get()); }
  // Takes intervals in order of their starts, and adds up what is busy.
  class Meter {
   public:
    using Hot = Meter;
    Meter& hot() { return *this; }
    bool Add(int64_t start_ps, int64_t end_ps) {
      const int64_t from = std::max(start_ps, until_ps_);
      until_ps_ = std::max(end_ps, until_ps_);
      busy_ps_ += Between(from, until_ps_);
      return true;
    }
    uint64_t busy_ps() const { return busy_ps_; }

   private:
    int64_t until_ps_ = INT64_MIN;
    uint64_t busy_ps_ = 0;
  };

  template <typename Out>
  static void MergeShort(Reader* a, Reader* b, Out* out);
  template <typename Out>
  static void MergeInto(IntervalList* a, IntervalList* b, Out* out);

  int64_t first_ps_ = 0;
  Tail tail_;
  std::vector<Chunk> chunks_;  // none: the list is empty
};

class BusyUnion {
 public:
  void Add(IntervalList list);
  void Merge(BusyUnion other);

  // Merges what it holds into one list: for a thread that adds no more, before its union goes to another thread.
  void Settle();
  // Of the union of all that was added.
  BusyTime Measure() &&;

 private:
  std::vector<IntervalList> levels_;  // each holds more than twice what the next one does
};

}  // namespace tfprof::analyze
