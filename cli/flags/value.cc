#include "cli/flags/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "base/ascii.h"

namespace tfprof::cli {
namespace {

struct TimeUnit {
  std::string_view name;
  int decimals;  // of one unit, in picoseconds
};
// Longer names first: `ms` ends in `s` too.
constexpr std::array kTimeUnits = {TimeUnit{"ns", 3}, TimeUnit{"us", 6}, TimeUnit{"\u00b5s", 6}, TimeUnit{"ms", 9},
                                   TimeUnit{"s", 12}};

}  // namespace

std::optional<uint64_t> ParseWholeNumber(std::string_view text, uint64_t most) {
  uint64_t value = 0;
  if (text.empty() || !IsDigit(text[0])) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

std::optional<double> ParsePercent(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  double value = 0;
  if (text.empty() || !(IsDigit(text[0]) || text[0] == '.')) return std::nullopt;  // no sign, no "inf", no "nan"
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(value <= 100)) return std::nullopt;
  return value;
}

std::optional<int64_t> ParseTime(std::string_view text) {
  const auto* unit =
      std::find_if(kTimeUnits.begin(), kTimeUnits.end(), [&](const TimeUnit& u) { return text.ends_with(u.name); });
  if (unit == kTimeUnits.end()) return std::nullopt;
  text.remove_suffix(unit->name.size());
  int64_t ps = 0;
  bool any_digit = false, after_point = false;
  int decimals_left = unit->decimals;
  for (const char c : text) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!IsDigit(c)) return std::nullopt;
    any_digit = true;
    if (after_point && decimals_left == 0) {
      if (c != '0') return std::nullopt;  // a fraction of a picosecond
      continue;
    }
    decimals_left -= after_point;
    if (__builtin_mul_overflow(ps, 10, &ps) || __builtin_add_overflow(ps, c - '0', &ps)) return std::nullopt;
  }
  for (; decimals_left > 0; --decimals_left) {
    if (__builtin_mul_overflow(ps, 10, &ps)) return std::nullopt;
  }
  return any_digit ? std::optional<int64_t>(ps) : std::nullopt;
}

std::optional<TimeRange> ParseTimeRange(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view from = text.substr(0, colon), to = text.substr(colon + 1);
  TimeRange range;
  if (!from.empty() && !(range.from_ps = ParseTime(from))) return std::nullopt;
  if (!to.empty() && !(range.to_ps = ParseTime(to))) return std::nullopt;
  if (from.empty() && to.empty()) return std::nullopt;
  if (range.from_ps && range.to_ps && *range.from_ps >= *range.to_ps) return std::nullopt;
  return range;
}

std::optional<NumberRange> ParseNumberRange(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view from = text.substr(0, colon);
  const std::string_view to = colon == std::string_view::npos ? from : text.substr(colon + 1);
  if (text.empty()) return std::nullopt;
  NumberRange range;
  if (!from.empty() && !(range.from = ParseWholeNumber(from, UINT64_MAX))) return std::nullopt;
  if (!to.empty() && !(range.to = ParseWholeNumber(to, UINT64_MAX))) return std::nullopt;
  if (range.from && range.to && *range.from > *range.to) return std::nullopt;
  return range;
}

}  // namespace tfprof::cli
