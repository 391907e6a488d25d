#include "formats/chrome/decimal.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

namespace tfprof::chrome {
namespace {

std::string Text(__int128 value) {
  if (value < 0) return "-" + Text(-value);
  std::string out;
  do {
    out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value > 0);
  return out;
}

std::string Parse(std::string_view text) {
  const Picoseconds ps = ParseMicroseconds(text);
  if (ps.error == DecimalError::kNotANumber) return "none";
  return ps.error == DecimalError::kOutOfRange ? "too large" : Text(ps.ps);
}

TEST_CASE("microseconds to picoseconds, exactly") {
  CHECK(Parse("0") == "0");
  CHECK(Parse("12") == "12000000");
  CHECK(Parse("1.5") == "1500000");
  CHECK(Parse("-1.000001") == "-1000001");
  CHECK(Parse("1712195495519689.047") == "1712195495519689047000");
  CHECK(Parse("36757863104.19162") == "36757863104191620");
  CHECK(Parse("9.9999999999999995e-07") == "1");
  CHECK(Parse("1e-06") == "1");
  CHECK(Parse("57.570999999999998") == "57571000");  // a double's text
  CHECK(Parse("0.0000005") == "0");                  // half to even
  CHECK(Parse("0.0000015") == "2");
  CHECK(Parse("0.00000250000000000000000000000001") == "3");
  CHECK(Parse("0.00000249999999999999999999999999") == "2");
  CHECK(Parse("1.9999999") == "2000000");
  CHECK(Parse("1.12345678x") == "none");
  CHECK(Parse("1.1234567890123456789x") == "none");
  CHECK(Parse("5e-07") == "0");  // half to even
  CHECK(Parse("1.5e-06") == "2");
  CHECK(Parse("2.5e-06") == "2");
  CHECK(Parse("2.50000000000000000000000000000000000000000001e-06") == "3");
  CHECK(Parse("15e-1") == "1500000");
  CHECK(Parse(" 7 ") == "7000000");
  CHECK(Parse("12345678901234567890") == "12345678901234567890000000");
  CHECK(Parse("1e400") == "too large");
  CHECK(Parse("1e-400") == "0");
  CHECK(Parse("0e999999999999") == "0");
  CHECK(Parse("000000000000000000000000000000000000000000001") == "1000000");
  for (const char* text : {"", " ", ".", "-", "100a", "nan", "Infinity", "1e", "1e+", "1.2.3", "0x10", "--1"}) {
    INFO(text);
    CHECK(Parse(text) == "none");
  }
}

TEST_CASE("other spellings of a number are the same number") {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20'000; ++i) {
    const auto ps = static_cast<int64_t>(random() >> (random() % 40));
    std::string digits = std::to_string(ps < 0 ? 0 : ps);
    if (digits.size() < 7) digits.insert(0, 7 - digits.size(), '0');
    const std::string whole = digits.substr(0, digits.size() - 6), part = digits.substr(digits.size() - 6);
    const std::string expected = Text(ps < 0 ? 0 : ps);
    CHECK(Parse(whole + "." + part) == expected);
    CHECK(Parse(whole + "." + part + std::string(1 + random() % 14, '0')) == expected);
    CHECK(Parse(whole + "." + part + "4" + std::to_string(random())) == expected);
    CHECK(Parse(whole + part + "e-6") == expected);
    CHECK(Parse("0." + whole + part + "E+" + std::to_string(whole.size())) == expected);
  }
}

}  // namespace
}  // namespace tfprof::chrome
