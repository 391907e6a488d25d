#include "report/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/units.h"

namespace tfprof::report {
namespace {

using uint128 = unsigned __int128;

uint128 Magnitude(int128 value) { return value < 0 ? -static_cast<uint128>(value) : static_cast<uint128>(value); }

void AppendDigits(uint64_t value, std::string* out) {
  const fmt::format_int digits(value);
  out->append(digits.data(), digits.size());
}

void AppendDigits(uint128 value, std::string* out) {
  constexpr uint64_t kTenTo19 = 10'000'000'000'000'000'000u;
  if (value < kTenTo19) {
    AppendDigits(static_cast<uint64_t>(value), out);
    return;
  }
  AppendDigits(value / kTenTo19, out);
  const fmt::format_int low(static_cast<uint64_t>(value % kTenTo19));
  out->append(19 - low.size(), '0').append(low.data(), low.size());
}

// The shortest digits that read back, laid out by Python's rule: an exponent only below 1e-4 and from 1e16 on. Whole
// numbers end in `whole`.
void AppendShortest(double value, std::string_view whole, std::string* out) {
  constexpr double kExact = 1LL << 53;  // integers up to here are their own shortest digits
  if (value >= 0 && value < kExact && value == std::trunc(value) && !std::signbit(value)) {
    AppendDigits(static_cast<uint64_t>(value), out);
    out->append(whole);
    return;
  }
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  std::string_view scientific(text.data(), static_cast<size_t>(end - text.data()));
  const size_t e = scientific.find('e');
  const int exponent = std::atoi(scientific.data() + e + 1);
  if (exponent < -4 || exponent >= 16) {
    out->append(scientific);
    return;
  }
  std::string digits;
  for (const char c : scientific.substr(0, e)) {
    if (c == '-') {
      out->push_back('-');
    } else if (c != '.') {
      digits.push_back(c);
    }
  }
  if (exponent < 0) {
    out->append("0.").append(static_cast<size_t>(-exponent - 1), '0').append(digits);
    return;
  }
  const size_t before_point = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= before_point) {
    digits.resize(before_point, '0');
    out->append(digits).append(whole);
  } else {
    out->append(digits, 0, before_point).append(".").append(digits, before_point);
  }
}

// Digits before the decimal point of a value > 0; below 1 it counts the zeros behind the point, negative.
int DigitsBeforePoint(double value) { return value > 0 ? static_cast<int>(std::floor(std::log10(value))) + 1 : 1; }

// Fixed decimals with thousands separated.
void AppendFixed(double value, int decimals, std::string* out) {
  const std::string plain = fmt::format("{:.{}f}", value, decimals);
  const size_t start = plain[0] == '-' ? 1 : 0;
  const size_t point = std::min(plain.find('.'), plain.size());
  out->append(plain, 0, start);
  for (size_t i = start; i < point; ++i) {
    if (i > start && (point - i) % 3 == 0) out->push_back(',');
    out->push_back(plain[i]);
  }
  out->append(plain, point);
}

}  // namespace

void AppendInteger(int128 value, std::string* out) {
  if (value < 0) out->push_back('-');
  AppendDigits(Magnitude(value), out);
}

void AppendMicroseconds(int128 ps, std::string* out) {
  constexpr uint64_t kPerUs = 1'000'000;
  if (ps < 0) out->push_back('-');
  const uint128 magnitude = Magnitude(ps);
  uint64_t rest = 0;
  if (magnitude >> 64 == 0) {  // nearly always, and much faster
    const auto value = static_cast<uint64_t>(magnitude);
    AppendDigits(value / kPerUs, out);
    rest = value % kPerUs;
  } else {
    AppendDigits(magnitude / kPerUs, out);
    rest = static_cast<uint64_t>(magnitude % kPerUs);
  }
  if (rest == 0) return;
  const fmt::format_int with_leading_one(kPerUs + rest);
  std::string_view decimals(with_leading_one.data() + 1, 6);
  decimals.remove_suffix(5 - decimals.find_last_not_of('0'));
  out->append(".").append(decimals);
}

void AppendDouble(double value, std::string_view absent, std::string* out) {
  if (std::isfinite(value)) {
    AppendShortest(value, "", out);
  } else {
    out->append(absent);
  }
}

void AppendPythonRepr(double value, std::string* out) {
  if (std::isfinite(value)) {
    AppendShortest(value, ".0", out);
  } else {
    out->append(std::isnan(value) ? "nan" : (value < 0 ? "-inf" : "inf"));
  }
}

std::string PythonRepr(double value) {
  std::string out;
  AppendPythonRepr(value, &out);
  return out;
}

std::string_view UnitName(Unit unit) {
  switch (unit) {
    case Unit::kNs:
      return "ns";
    case Unit::kUs:
      return "µs";
    case Unit::kMs:
      return "ms";
    default:
      return "s";
  }
}

double PicosecondsPer(Unit unit) {
  switch (unit) {
    case Unit::kNs:
      return 1e3;
    case Unit::kUs:
      return kPsPerUs;
    case Unit::kMs:
      return 1e9;
    default:
      return 1e12;
  }
}

Unit UnitFor(int128 ps) {
  constexpr int128 kTenThousand = 10'000;
  const int128 magnitude = ps < 0 ? -ps : ps;
  if (magnitude < 1'000 * int128{1'000}) return Unit::kNs;
  if (magnitude < kTenThousand * 1'000'000) return Unit::kUs;
  if (magnitude < kTenThousand * 1'000'000'000) return Unit::kMs;
  return Unit::kS;
}

TimeFormat TimeFormatFor(double largest_ps, Unit unit) {
  if (largest_ps <= 0) return {unit == Unit::kAuto ? Unit::kUs : unit, 0};
  TimeFormat format;
  format.unit = unit == Unit::kAuto ? UnitFor(static_cast<int128>(largest_ps)) : unit;
  const int digits = DigitsBeforePoint(largest_ps / PicosecondsPer(format.unit));
  const int finest = format.unit == Unit::kNs ? 3 : 9;  // picoseconds are the clock's unit
  format.decimals = digits > 0 ? std::clamp(5 - digits, 0, 3) : std::min(4 - digits, finest);
  return format;
}

void AppendTime(double ps, const TimeFormat& format, std::string* out) {
  const double value = ps / PicosecondsPer(format.unit);
  const double smallest = std::pow(10.0, -format.decimals);
  if (value > 0 && value < smallest / 2) {
    out->push_back('<');
    AppendFixed(smallest, format.decimals, out);
    return;
  }
  AppendFixed(value, format.decimals, out);
}

std::string TimeText(int128 ps, Unit unit) {
  // A fixed unit prints all of them alike; the automatic one gives three significant digits in the unit that fits.
  const auto as_double = static_cast<double>(ps);
  std::string out;
  if (unit == Unit::kAuto) {
    for (const Unit u : {Unit::kNs, Unit::kUs, Unit::kMs, Unit::kS}) {
      unit = u;
      if (std::abs(as_double) < 999.5 * PicosecondsPer(u)) break;
    }
    const double value = as_double / PicosecondsPer(unit);
    AppendFixed(value, value == 0 ? 0 : std::clamp(3 - DigitsBeforePoint(std::abs(value)), 0, 2), &out);
  } else {
    AppendTime(as_double, TimeFormatFor(as_double, unit), &out);
  }
  out.push_back(' ');
  out += UnitName(unit);
  return out;
}

void AppendPercent(double fraction, std::string* out) {
  const double percent = fraction * 100;
  if (percent > 0 && percent < 0.05) {
    out->append("<0.1%");
    return;
  }
  fmt::format_to(std::back_inserter(*out), "{:.1f}%", percent);
}

std::string PercentText(double fraction) {
  std::string out;
  AppendPercent(fraction, &out);
  return out;
}

std::string GroupedText(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string BytesText(uint64_t bytes) {
  if (bytes < 1000) return CountText(bytes, "byte", "bytes");
  constexpr std::string_view kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string CountText(uint64_t count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", GroupedText(count), count == 1 ? singular : plural);
}

}  // namespace tfprof::report
