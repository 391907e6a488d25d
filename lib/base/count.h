// Counts that can't wrap: files may claim any number of occurrences for an event (XEvent.num_occurrences).
//
// A sum beyond kMostCount stays there, so that it is a valid int64 in every output; whoever prints it says so
// (bad-number).
#pragma once

#include <cstdint>

namespace tfprof {

inline constexpr uint64_t kMostCount = INT64_MAX;

inline void AddCount(uint64_t n, uint64_t* sum) {
  if (__builtin_add_overflow(*sum, n, sum) || *sum > kMostCount) *sum = kMostCount;
}

}  // namespace tfprof
