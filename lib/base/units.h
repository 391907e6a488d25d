// Units of time. Times are picoseconds everywhere; they are converted where they are shown or compared with a limit.
#pragma once

namespace tfprof {

inline constexpr double kPsPerUs = 1e6;

}  // namespace tfprof
