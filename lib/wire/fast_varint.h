// Varints of up to eight bytes without a branch on their length: the hot loop of the readers.
//
// One 8-byte load; the first clear top bit tells the length; the PEXT instruction of BMI2 joins the groups of seven
// bits. PEXT is written as assembly, so that a template serves CPUs with and without it: callers compile their loop
// twice and choose with HasFastPext() at run time. Without PEXT joining costs more than it saves, and a plain loop is
// taken. Callers guarantee kSlopBytes readable bytes at the position; what is longer than eight bytes is left to
// ReadVarint.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "wire/reader.h"

namespace tfprof::wire {

// Whether the CPU has PEXT in hardware (AMD before Zen 3 has it in microcode, slower than any loop).
inline bool HasFastPext() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("bdver4") &&
                          !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
  return has;
#else
  return false;
#endif
}

struct FastVarint {
  uint64_t value;
  const uint8_t* next;  // nullptr: not a varint that this way can read
};

template <bool kPext>
[[gnu::always_inline]] inline FastVarint ReadFastVarint(const uint8_t* p) {
#if defined(__x86_64__)
  if constexpr (kPext) {
    constexpr uint64_t kTopBits = 0x8080808080808080;
    uint64_t word = 0;
    std::memcpy(&word, p, sizeof(word));
    const uint64_t stops = ~word & kTopBits;
    if (stops == 0) [[unlikely]]
      return {0, nullptr};
    uint64_t value = 0;
    asm("pext %2, %1, %0" : "=r"(value) : "r"(word & (stops ^ (stops - 1))), "r"(~kTopBits));
    return {value, p + (std::countr_zero(stops) >> 3) + 1};
  }
#endif
  FastVarint result{0, nullptr};
  result.next = ReadVarintUnchecked(p, &result.value);
  return result;
}

}  // namespace tfprof::wire
