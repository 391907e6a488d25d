// Units of time. Times are picoseconds everywhere; they are converted where they are shown or compared with a limit.
#pragma once

#include <string>

namespace tfprof {

inline constexpr double kPsPerUs = 1e6;

// For a sentence: three digits in the largest unit, up to seconds, that leaves one before the point: `16.2 ms`, `934 µs`;
// `0 ns`.
std::string ShortTime(double ps);

}  // namespace tfprof
