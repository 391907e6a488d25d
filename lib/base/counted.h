// "1 op", "12 ops": a count with its noun, for sentences of the library. Reports group digits (report/number.h).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof {

inline std::string Counted(uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace tfprof
