#include "analyze/span_union.h"

namespace tfprof::analyze {
namespace {

// Writes the union of two lists to `out`, which has room for both; the end of what was written. Which list is next is
// as good as random where lines go on at once, so the loop has no branch for it.
TimeSpan* Unite(const TimeSpan* a, const TimeSpan* a_end, const TimeSpan* b, const TimeSpan* b_end, TimeSpan* out) {
  if (a == a_end) return std::copy(b, b_end, out);
  if (b == b_end) return std::copy(a, a_end, out);
  TimeSpan open = a->begin_ps <= b->begin_ps ? *a++ : *b++;
  const auto take = [&](const TimeSpan& next) {
    *out = open;
    const bool apart = next.begin_ps > open.end_ps;
    out += apart;
    open.begin_ps = apart ? next.begin_ps : open.begin_ps;
    open.end_ps = std::max(open.end_ps, next.end_ps);
  };
  while (a != a_end && b != b_end) {
    const bool from_a = a->begin_ps <= b->begin_ps;
    take(from_a ? *a : *b);
    a += from_a;
    b += !from_a;
  }
  for (; a != a_end; ++a) take(*a);
  for (; b != b_end; ++b) take(*b);
  *out++ = open;
  return out;
}

}  // namespace

void SpanUnion::Merge(const SpanUnion& other) {
  for (const TimeSpan& span : other.spans_) Add(span);
}

void SpanUnion::Join() {
  std::vector<TimeSpan> united;
  std::vector<size_t> starts;
  while (!runs_.empty()) {
    united.resize(spans_.size());
    starts.clear();
    TimeSpan* out = united.data();
    const TimeSpan* const spans = spans_.data();
    // Pairs of neighbours become one; of an odd number the last stays.
    for (size_t run = 0; run <= runs_.size(); run += 2) {
      const size_t from = run == 0 ? 0 : runs_[run - 1];
      const size_t middle = run < runs_.size() ? runs_[run] : spans_.size();
      const size_t to = run + 1 < runs_.size() ? runs_[run + 1] : spans_.size();
      if (run > 0) starts.push_back(static_cast<size_t>(out - united.data()));
      out = Unite(spans + from, spans + middle, spans + middle, spans + to, out);
    }
    united.resize(static_cast<size_t>(out - united.data()));
    spans_.swap(united);
    runs_.swap(starts);
  }
  join_at_ = std::max(join_at_, 2 * spans_.size());
}

void UniteSpans(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b, std::vector<TimeSpan>* into) {
  into->resize(a.size() + b.size());
  const TimeSpan* end = Unite(a.data(), a.data() + a.size(), b.data(), b.data() + b.size(), into->data());
  into->resize(static_cast<size_t>(end - into->data()));
}

uint64_t LengthWithin(const std::vector<TimeSpan>& spans, TimeSpan within) {
  uint64_t sum = 0;
  for (const TimeSpan& span : spans) {
    const uint64_t from = std::max(span.begin_ps, within.begin_ps), to = std::min(span.end_ps, within.end_ps);
    if (to > from) sum += to - from;
  }
  return sum;
}

}  // namespace tfprof::analyze
