#include "formats/chrome/decimal.h"

namespace tfprof::chrome {
namespace {

constexpr int kPicoDigits = 6;               // decimals of a microsecond that are whole picoseconds
constexpr int kMostDigits = 36;              // 10^36 < 2^120
constexpr int64_t kMostExponent = 1'000'000;  // beyond it the digits don't matter

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Digits and power of ten of a number: value = digits × 10^power, `rest` telling of digits that didn't fit.
struct Scaled {
  unsigned __int128 digits = 0;
  int count = 0;        // significant digits held
  int64_t power = 0;
  bool rest = false;    // digits other than 0 were left out
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

}  // namespace

Picoseconds ParseMicroseconds(std::string_view text) {
  const char* p = text.data();
  const char* end = p + text.size();
  while (p < end && IsBlank(*p)) ++p;
  while (end > p && IsBlank(end[-1])) --end;
  const Picoseconds not_a_number{0, DecimalError::kNotANumber};
  bool negative = false;
  if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';

  // The common number: up to 18 digits in all, up to six of them decimals.
  const char* q = p;
  uint64_t whole = 0;
  while (q < end && IsDigit(*q) && q - p < 19) whole = whole * 10 + static_cast<uint64_t>(*q++ - '0');
  if (q > p && q - p <= 18 && (q == end || *q == '.')) {
    uint64_t fraction = 0;
    int places = 0;
    if (q < end) ++q;
    for (; q < end && IsDigit(*q) && places < kPicoDigits; ++places) fraction = fraction * 10 + static_cast<uint64_t>(*q++ - '0');
    if (q == end) {
      for (; places < kPicoDigits; ++places) fraction *= 10;
      const __int128 ps = static_cast<__int128>(whole) * 1'000'000 + fraction;
      return {negative ? -ps : ps, DecimalError::kNone};
    }
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
    for (; p < end && IsDigit(*p); ++p) exponent = exponent < kMostExponent ? exponent * 10 + (*p - '0') : kMostExponent;
    number.power += minus ? -exponent : exponent;
  }
  if (p != end) return not_a_number;
  unsigned __int128 ps = 0;
  if (!Shift(number, &ps)) return {0, DecimalError::kOutOfRange};
  const auto value = static_cast<__int128>(ps);
  return {negative ? -value : value, DecimalError::kNone};
}

}  // namespace tfprof::chrome
