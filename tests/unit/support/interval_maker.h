// Random busy intervals, and their union in the plainest way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "analyze/intervals.h"

namespace tfprof::testing {

using Interval = std::pair<int64_t, int64_t>;

inline std::vector<Interval> UnionOf(std::vector<Interval> all) {
  std::sort(all.begin(), all.end());
  std::vector<Interval> out;
  for (const Interval& next : all) {
    if (!out.empty() && next.first <= out.back().second) {
      out.back().second = std::max(out.back().second, next.second);
    } else {
      out.push_back(next);
    }
  }
  return out;
}

inline analyze::IntervalList ListOf(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  analyze::IntervalList list;
  for (const auto& [start, end] : intervals) list.Add(start, end);
  return list;
}

// Intervals of any length, in ns or ps, near and far.
class IntervalMaker {
 public:
  explicit IntervalMaker(uint64_t seed) : random_(seed) {}
  std::vector<Interval> Some(size_t most, int64_t unit_ps, int longest_bits) {
    std::vector<Interval> out;
    int64_t at = static_cast<int64_t>(random_() % 1000) * unit_ps;
    for (size_t n = random_() % (most + 1); n > 0; --n) {
      const auto length = [&] { return static_cast<int64_t>(random_() % (uint64_t{1} << (random_() % longest_bits))); };
      at += length() * unit_ps;
      const int64_t end = at + length() * unit_ps;
      out.emplace_back(at, end);
      if (random_() % 2 == 0) at = end;
    }
    return out;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace tfprof::testing
