// Self time on a lane whose events nest: each moment belongs to the event that began last.
//
// Events come in nesting order (start ascending, longer first). With proper nesting this gives duration − Σ children; a
// child that ends after its parent takes nothing from it beyond the parent's end; of two events that overlap partly the
// earlier loses the overlap. So self ≥ 0 and Σ self of a lane is exactly the union of its events (docs/numbers.md).
#pragma once

#include <cstdint>
#include <vector>

namespace tfprof::analyze {

// Overlaps up to this long are the clock's, not the program's: 10 ns.
inline constexpr int64_t kOverlapTolerancePs = 10'000;

class SelfTimeStack {
 public:
  // `credit(op, self_ps)` is called once for every event, when it can get no more self time.
  template <typename Credit>
  void Push(int64_t start_ps, int64_t end_ps, uint32_t op, Credit&& credit) {
    Advance(start_ps, credit);
    if (!frames_.empty()) {
      const Frame& top = frames_.back();
      overlaps_ += top.start_ps < start_ps && end_ps > top.end_ps && end_ps - top.end_ps > kOverlapTolerancePs;
    }
    frames_.push_back({start_ps, end_ps, 0, op});
    now_ps_ = start_ps;
  }

  // Closes what is open and makes the stack ready for the next lane.
  template <typename Credit>
  void Finish(Credit&& credit) {
    while (!frames_.empty()) PopTop(credit);
    now_ps_ = INT64_MIN;
  }

  // Pairs that overlap partly by more than the tolerance, since construction.
  uint64_t overlaps() const { return overlaps_; }

 private:
  struct Frame {
    int64_t start_ps, end_ps;
    uint64_t self_ps;  // at most the lane's span, which needs 64 bits without a sign
    uint32_t op;
  };

  template <typename Credit>
  void PopTop(Credit&& credit) {
    Frame& top = frames_.back();
    if (top.end_ps > now_ps_) {
      top.self_ps += static_cast<uint64_t>(top.end_ps) - static_cast<uint64_t>(now_ps_);
      now_ps_ = top.end_ps;
    }
    credit(top.op, top.self_ps);
    frames_.pop_back();
  }

  // Gives the time up to `until_ps` to whoever is on top, popping what ends before.
  template <typename Credit>
  void Advance(int64_t until_ps, Credit&& credit) {
    while (!frames_.empty()) {
      Frame& top = frames_.back();
      if (top.end_ps > until_ps) {
        if (until_ps > now_ps_) top.self_ps += static_cast<uint64_t>(until_ps) - static_cast<uint64_t>(now_ps_);
        return;
      }
      PopTop(credit);
    }
  }

  std::vector<Frame> frames_;
  int64_t now_ps_ = INT64_MIN;
  uint64_t overlaps_ = 0;
};

}  // namespace tfprof::analyze
