// Self time on a lane whose events nest: each moment belongs to the event that began last.
//
// Events come in nesting order (start ascending, longer first). With proper nesting this gives duration − Σ children; a
// child that ends after its parent takes nothing from it beyond the parent's end; of two events that overlap partly the
// earlier loses the overlap. So self ≥ 0 and Σ self of a lane is exactly the union of its events (docs/numbers.md).
//
// An event gets all of its time when it comes, and takes it from those that would have had it: usually from the one
// around it alone. Nothing is left to do when events end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tfprof::analyze {

// Overlaps up to this long are the clock's, not the program's: 10 ns.
inline constexpr int64_t kOverlapTolerancePs = 10'000;

// Whose the time is that no event has; 0 after one more.
inline constexpr uint32_t kUnowned = UINT32_MAX;

class SelfTimeStack {
  // Frames that can still get time, outermost first: their ends never grow towards the top.
  struct Frame {
    int64_t start_ps, end_ps;
    uint32_t op;
  };

 public:
  SelfTimeStack() : frames_(32) { Clear(); }
  SelfTimeStack(const SelfTimeStack&) = delete;
  SelfTimeStack& operator=(const SelfTimeStack&) = delete;

  // Pushes events one after the other. It holds the top of the stack in its own member (a register, for a loop that
  // pushes many) and puts it back when it goes.
  class Pusher {
   public:
    explicit Pusher(SelfTimeStack* stack) : stack_(stack), bottom_(stack->frames_.data()), top_(stack->top_) {}
    ~Pusher() { stack_->top_ = top_; }
    Pusher(const Pusher&) = delete;
    Pusher& operator=(const Pusher&) = delete;

    // `credit(op, ps)` is called for every change of a self time, modulo 2^64: what it took is given as −ps. True when
    // the event lies within an earlier one, so that it adds nothing to the union.
    template <typename Credit>
    bool Push(int64_t start_ps, int64_t end_ps, uint32_t op, Credit&& credit) {
      return PushAs(start_ps, end_ps, op, credit, TellCredit());
    }

    // The same for loops over many events, each of which must start before INT64_MAX: `credit` hears of kUnowned too, so
    // that nothing branches on whether an event is the outermost one. False, and nothing done: the event ends behind the
    // one around it; Push() is for those. Reserve() must have made room.
    template <typename Credit>
    bool PushInside(int64_t start_ps, int64_t end_ps, uint32_t op, Credit&& credit, bool* within) {
      while (top_->end_ps <= start_ps) --top_;
      if (end_ps > top_->end_ps) [[unlikely]]
        return false;
      *within = top_->op != kUnowned;
      credit(top_->op, uint64_t{0} - Between(start_ps, end_ps));
      credit(op, Between(start_ps, end_ps));
      *++top_ = {start_ps, end_ps, op};
      return true;
    }
    // Makes room for so many events to be open at once beside those that are.
    void Reserve(size_t events) {
      while (static_cast<size_t>(stack_->limit_ - top_) < events) {
        const ptrdiff_t depth = top_ - bottom_;
        stack_->Grow();
        bottom_ = stack_->frames_.data();
        top_ = bottom_ + depth;
      }
    }

    // The same with the moments themselves: `span(op, from_ps, to_ps, given)`.
    template <typename Span>
    bool PushSpans(int64_t start_ps, int64_t end_ps, uint32_t op, Span&& span) {
      return PushAs(start_ps, end_ps, op, span, [](auto& to, uint32_t of, int64_t from_ps, int64_t to_ps, bool given) {
        to(of, from_ps, to_ps, given);
      });
    }

    // The op of the event around a moment, not before any start pushed so far; nothing if there is none.
    std::optional<uint32_t> Around(int64_t at_ps) {
      PopUntil(at_ps);
      return top_ == bottom_ ? std::nullopt : std::optional<uint32_t>(top_->op);
    }

   private:
    struct TellCredit {
      void operator()(auto& to, uint32_t of, int64_t from_ps, int64_t to_ps, bool given) const {
        to(of, given ? Between(from_ps, to_ps) : uint64_t{0} - Between(from_ps, to_ps));
      }
    };

    // `tell` gives `to` what it wants to know of a span; it holds nothing, so that it costs no store.
    template <typename To, typename Tell>
    bool PushAs(int64_t start_ps, int64_t end_ps, uint32_t op, To& to, Tell tell) {
      PopUntil(start_ps);
      bool within = top_ != bottom_;
      if (within) {
        if (end_ps <= top_->end_ps) [[likely]] {
          tell(to, top_->op, start_ps, end_ps, false);
        } else {
          top_ = stack_->TakeFromAll(top_, start_ps, end_ps, to, tell);
          within = false;
        }
      }
      tell(to, op, start_ps, end_ps, true);
      Open(start_ps, end_ps, op);
      return within;
    }

    void Open(int64_t start_ps, int64_t end_ps, uint32_t op) {
      if (top_ == stack_->limit_) [[unlikely]] {
        top_ = stack_->Grow();
        bottom_ = stack_->frames_.data();
      }
      *++top_ = {start_ps, end_ps, op};
    }

    void PopUntil(int64_t at_ps) {
      if (at_ps == INT64_MAX) [[unlikely]] {
        top_ = bottom_;  // nothing goes on behind the last moment, not even the bottom
      } else {
        while (top_->end_ps <= at_ps) --top_;
      }
    }

    SelfTimeStack* stack_;
    Frame* bottom_;
    Frame* top_;
  };

  // Ready for the next lane.
  void Clear() {
    frames_[0] = {INT64_MIN, INT64_MAX, kUnowned};  // around everything
    top_ = frames_.data();
    limit_ = frames_.data() + frames_.size() - 1;
    overlaps_ = 0;
  }

  // Pairs that overlap partly by more than the tolerance, and where the later one of the first pair begins.
  uint64_t overlaps() const { return overlaps_; }
  int64_t first_overlap_ps() const { return first_overlap_ps_; }

 private:
  static uint64_t Between(int64_t from_ps, int64_t to_ps) {
    return static_cast<uint64_t>(to_ps) - static_cast<uint64_t>(from_ps);
  }

  // An event that ends behind the top: it takes from each frame what would have been that one's, and what ends with it
  // or before can get no more time. The new top.
  template <typename To, typename Tell>
  [[gnu::noinline]] Frame* TakeFromAll(Frame* top, int64_t start_ps, int64_t end_ps, To& to, Tell tell) {
    if (top->start_ps < start_ps && Between(top->end_ps, end_ps) > uint64_t{kOverlapTolerancePs} && overlaps_++ == 0) {
      first_overlap_ps_ = start_ps;
    }
    Frame* const bottom = frames_.data();
    int64_t taken_ps = start_ps;
    for (; top != bottom; --top) {
      const int64_t until_ps = std::min(top->end_ps, end_ps);
      tell(to, top->op, taken_ps, until_ps, false);
      taken_ps = until_ps;
      if (top->end_ps > end_ps) break;
    }
    return top;
  }
  // Twice the room; the top.
  Frame* Grow() {
    const size_t used = frames_.size();
    frames_.resize(2 * used);
    limit_ = frames_.data() + frames_.size() - 1;
    return frames_.data() + used - 1;
  }

  std::vector<Frame> frames_;
  Frame* top_ = nullptr;
  Frame* limit_ = nullptr;  // the last place there is
  uint64_t overlaps_ = 0;
  int64_t first_overlap_ps_ = 0;
};

}  // namespace tfprof::analyze
