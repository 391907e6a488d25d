// Texts of flags as values. A text is taken whole or not at all ("10x" is no number); numbers don't depend on the
// locale and decimals of times are exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/pipeline.h"

namespace tfprof::cli {

// A whole number from 0 to `most`, digits only.
std::optional<uint64_t> ParseWholeNumber(std::string_view text, uint64_t most);

// A percentage from 0 to 100, with or without `%`.
std::optional<double> ParsePercent(std::string_view text);

// A time with its unit (s, ms, us or µs, ns), such as `1.5s`, as picoseconds; no fraction of one, and not negative.
std::optional<int64_t> ParseTime(std::string_view text);

// `A:B`, `A:`, `:B`; A is before B.
std::optional<TimeRange> ParseTimeRange(std::string_view text);

// `A:B`, `A:`, `:B`, `A` (one number) or `:`; whole numbers, A not above B.
struct NumberRange {
  std::optional<uint64_t> from, to;
};
std::optional<NumberRange> ParseNumberRange(std::string_view text);

}  // namespace tfprof::cli
