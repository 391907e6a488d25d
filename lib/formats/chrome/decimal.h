// Decimal microseconds to integer picoseconds, exactly: never through a double.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tfprof::chrome {

enum class DecimalError : uint8_t {
  kNone,
  kNotANumber,   // text that is no number: NaN, Infinity, "100a", ""
  kOutOfRange,   // a number of more than 2^120 picoseconds
};

// Absolute times need more than 64 bits: 1.7e15 us since 1970 are 1.7e21 ps.
struct Picoseconds {
  __int128 ps = 0;
  DecimalError error = DecimalError::kNone;
};

// `[+-]digits[.digits][e[+-]digits]` with blanks around; rounded half to even at a picosecond. Any number of digits.
Picoseconds ParseMicroseconds(std::string_view text);

}  // namespace tfprof::chrome
