// The union of spans that come in any order, mostly in runs by begin: those of one line after the other.
//
// A span that touches the one before it joins it; the runs are merged when they have grown to twice the size of the
// union. So memory is in proportion to the union, not to the spans.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tfprof::analyze {

struct TimeSpan {
  uint64_t begin_ps = 0, end_ps = 0;
  uint64_t length_ps() const { return end_ps - begin_ps; }
};

class SpanUnion {
 public:
  // `span` must not end before it begins.
  void Add(TimeSpan span) {
    if (!spans_.empty()) {
      TimeSpan& last = spans_.back();
      if (span.begin_ps < last.begin_ps) {
        runs_.push_back(spans_.size());
      } else if (span.begin_ps <= last.end_ps) {
        last.end_ps = std::max(last.end_ps, span.end_ps);
        return;
      }
    }
    spans_.push_back(span);
    if (spans_.size() >= join_at_) Join();
  }
  void Merge(const SpanUnion& other);

  bool empty() const { return spans_.empty(); }
  // By begin, apart from each other.
  const std::vector<TimeSpan>& Joined() {
    Join();
    return spans_;
  }

 private:
  void Join();

  std::vector<TimeSpan> spans_;  // runs, each by begin and apart
  std::vector<size_t> runs_;     // where they begin, but for the first
  size_t join_at_ = 64;
};

// Of two lists by begin, each apart.
void UniteSpans(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b, std::vector<TimeSpan>* into);
// How much of them lies within a span.
uint64_t LengthWithin(const std::vector<TimeSpan>& spans, TimeSpan within);

}  // namespace tfprof::analyze
