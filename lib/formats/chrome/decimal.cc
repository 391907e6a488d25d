#include "formats/chrome/decimal.h"

#include <bit>
#include <cstring>

#include "base/ascii.h"

namespace tfprof::chrome {
namespace {

constexpr int kPicoDigits = 6;                // decimals of a microsecond that are whole picoseconds
constexpr int kMostDigits = 36;               // 10^36 < 2^120
constexpr int64_t kMostExponent = 1'000'000;  // beyond it the digits don't matter

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Digits and power of ten of a number: value = digits × 10^power, `rest` telling of digits that didn't fit.
struct Scaled {
  unsigned __int128 digits = 0;
  int count = 0;  // significant digits held
  int64_t power = 0;
  bool rest = false;  // digits other than 0 were left out
};

void Take(char c, Scaled* number, bool decimal) {
  if (number->count == 0 && c == '0') {
    number->power -= decimal;
    return;
  }
  if (number->count < kMostDigits) {
    number->digits = number->digits * 10 + static_cast<unsigned>(c - '0');
    ++number->count;
    number->power -= decimal;
  } else {
    number->rest |= c != '0';
    number->power += !decimal;
  }
}

// Digits moved by `power` decimal places, rounded half to even.
bool Shift(const Scaled& number, unsigned __int128* out) {
  unsigned __int128 value = number.digits;
  int64_t power = number.power + kPicoDigits;
  if (value == 0) {
    *out = 0;
    return true;
  }
  if (power > 0 && number.count + power > kMostDigits) return false;
  for (; power > 0; --power) value *= 10;
  if (power == 0) {
    *out = value;
    return true;
  }
  if (-power > number.count) {  // below a tenth of a picosecond
    *out = 0;
    return true;
  }
  unsigned __int128 unit = 1;
  for (int64_t i = power; i < 0; ++i) unit *= 10;
  const unsigned __int128 rest = value % unit;
  value /= unit;
  const bool above = rest * 2 > unit || (rest * 2 == unit && (number.rest || value % 2 == 1));
  *out = value + above;
  return true;
}

// Eight characters at once: how many of them, from the first on, are digits, and the number that these make.
struct Digits {
  int count = 0;
  uint64_t value = 0;
};

constexpr uint64_t kPowersOfTen[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

// Up to eight bytes, zeros behind a shorter text.
uint64_t LoadUpTo8(const char* p, const char* end) {
  const auto size = static_cast<size_t>(end - p);
  uint64_t word = 0;
  if (size >= 8) {
    std::memcpy(&word, p, 8);
  } else if (size >= 4) {  // first and last four, which overlap
    uint32_t first = 0, last = 0;
    std::memcpy(&first, p, 4);
    std::memcpy(&last, end - 4, 4);
    word = first | uint64_t{last} << (8 * (size - 4));
  } else if (size > 0) {
    const auto byte = [p](size_t i) { return uint64_t{static_cast<uint8_t>(p[i])} << (8 * i); };
    word = byte(0) | byte(size / 2) | byte(size - 1);
  }
  return word;
}

Digits TakeDigits(const char* p, const char* end) {
  constexpr uint64_t kZeros = 0x3030303030303030, kHigh = 0x8080808080808080, kAboveNine = 0x7676767676767676;
  uint64_t word = LoadUpTo8(p, end) ^ kZeros;  // digits are 0 to 9 now
  const uint64_t others = (((word & ~kHigh) + kAboveNine) | word) & kHigh;
  const int count = std::countr_zero(others) / 8;
  if (count == 0) return {};
  word <<= 64 - 8 * count;         // zeros in front
  word = word * 10 + (word >> 8);  // pairs
  constexpr uint64_t kPair = 0x000000ff000000ff;
  word = (((word & kPair) * 0x000f424000000064) + (((word >> 16) & kPair) * 0x0000271000000001)) >> 32;
  return {count, word & 0xffffffff};
}

// The common number: up to 16 digits before the point, any number behind it (a double's text has 17 in all), nothing
// else.
bool ParseCommon(const char* p, const char* end, uint64_t* whole, uint64_t* fraction_ps) {
  const Digits first = TakeDigits(p, end);
  if (first.count == 0) return false;
  *whole = first.value;
  p += first.count;
  if (first.count == 8) {
    const Digits more = TakeDigits(p, end);
    *whole = *whole * kPowersOfTen[more.count] + more.value;
    p += more.count;
  }
  *fraction_ps = 0;
  if (p == end) return true;
  if (*p != '.') return false;
  const Digits places = TakeDigits(++p, end);
  p += places.count;
  if (p == end && places.count <= kPicoDigits) {
    *fraction_ps = places.value * kPowersOfTen[kPicoDigits - places.count];
    return true;
  }
  bool more = false;  // digits other than 0 behind the first eight
  while (p < end) {
    const Digits next = TakeDigits(p, end);
    if (next.count == 0) return false;
    more |= next.value != 0;
    p += next.count;
  }
  const uint64_t hundredths = places.value * kPowersOfTen[8 - places.count], rest = hundredths % 100;
  *fraction_ps = hundredths / 100;
  *fraction_ps += rest > 50 || (rest == 50 && (more || *fraction_ps % 2 == 1));
  return true;
}

}  // namespace

Picoseconds ParseMicroseconds(std::string_view text) {
  const char* p = text.data();
  const char* end = p + text.size();
  while (p < end && IsBlank(*p)) ++p;
  while (end > p && IsBlank(end[-1])) --end;
  const Picoseconds not_a_number{0, DecimalError::kNotANumber};
  bool negative = false;
  if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';

  uint64_t whole = 0, fraction_ps = 0;
  if (ParseCommon(p, end, &whole, &fraction_ps)) {
    const __int128 ps = static_cast<__int128>(whole) * 1'000'000 + fraction_ps;
    return {negative ? -ps : ps, DecimalError::kNone};
  }

  Scaled number;
  const char* const first = p;
  bool any = false;
  for (; p < end && IsDigit(*p); ++p, any = true) Take(*p, &number, false);
  if (p < end && *p == '.') {
    for (++p; p < end && IsDigit(*p); ++p, any = true) Take(*p, &number, true);
  }
  if (!any || p == first) return not_a_number;
  if (p < end && (*p == 'e' || *p == 'E')) {
    ++p;
    bool minus = false;
    if (p < end && (*p == '-' || *p == '+')) minus = *p++ == '-';
    if (p == end) return not_a_number;
    int64_t exponent = 0;
    for (; p < end && IsDigit(*p); ++p)
      exponent = exponent < kMostExponent ? exponent * 10 + (*p - '0') : kMostExponent;
    number.power += minus ? -exponent : exponent;
  }
  if (p != end) return not_a_number;
  unsigned __int128 ps = 0;
  if (!Shift(number, &ps)) return {0, DecimalError::kOutOfRange};
  const auto value = static_cast<__int128>(ps);
  return {negative ? -value : value, DecimalError::kNone};
}

}  // namespace tfprof::chrome
