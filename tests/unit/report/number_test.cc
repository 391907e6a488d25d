#include "report/number.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace tfprof::report {
namespace {

std::string Us(int128 ps) {
  std::string out;
  AppendMicroseconds(ps, &out);
  return out;
}
std::string Double(double value) {
  std::string out;
  AppendDouble(value, "null", &out);
  return out;
}
std::string Time(double ps, double largest_ps, Unit unit = Unit::kAuto) {
  std::string out;
  AppendTime(ps, TimeFormatFor(largest_ps, unit), &out);
  return out;
}

TEST_CASE("Picoseconds print as exact microseconds") {
  CHECK(Us(0) == "0");
  CHECK(Us(40'000'000) == "40");
  CHECK(Us(1) == "0.000001");
  CHECK(Us(1'500'000) == "1.5");
  CHECK(Us(-2'000'001) == "-2.000001");
  CHECK(Us(123'456'789'012) == "123456.789012");
  CHECK(Us(int128{std::numeric_limits<int64_t>::max()} * 1000) == "9223372036854775.807");
  CHECK(Us(std::numeric_limits<int64_t>::min()) == "-9223372036854.775808");
}

TEST_CASE("Microseconds read back as the same picoseconds") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const int128 ps = static_cast<int128>(random() >> (random() % 60)) * (random() % 2 == 0 ? 1 : 1'000'003);
    const std::string text = Us(ps);
    const size_t point = std::min(text.find('.'), text.size());
    std::string digits = text.substr(0, point);
    std::string decimals = point == text.size() ? "" : text.substr(point + 1);
    CHECK(decimals.size() <= 6);
    CHECK_FALSE(decimals.ends_with('0'));
    decimals.resize(6, '0');
    int128 back = 0;
    for (const char c : digits + decimals) back = back * 10 + (c - '0');
    CHECK((back == ps));
  }
}

TEST_CASE("Doubles print short, plain where that can be read, and never as NaN") {
  CHECK(Double(0) == "0");
  CHECK(Double(12) == "12");
  CHECK(Double(100000) == "100000");
  CHECK(Double(0.1) == "0.1");
  CHECK(Double(0.1 + 0.2) == "0.30000000000000004");
  CHECK(Double(1e-7) == "1e-07");
  CHECK(Double(1e300) == "1e+300");
  CHECK(Double(std::nan("")) == "null");
  CHECK(Double(std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("PythonRepr is Python's str(float)") {
  // Each text is what Python 3 prints.
  for (const char* text : {"0.0",
                           "-0.0",
                           "1.0",
                           "12.0",
                           "40.0",
                           "0.1",
                           "0.1799",
                           "0.30000000000000004",
                           "0.0001",
                           "1e-05",
                           "1.5e-07",
                           "9.999e-05",
                           "123456.789012",
                           "1000000000000000.0",
                           "9999999999999998.0",
                           "1e+16",
                           "1.2345678901234568e+17",
                           "1e+22",
                           "1.7976931348623157e+308",
                           "5e-324",
                           "-2.5"}) {
    CHECK(PythonRepr(std::strtod(text, nullptr)) == text);
  }
}

TEST_CASE("PythonRepr reads back as the same double and always shows that it is one") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5000; ++i) {
    const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 130);
    const std::string text = PythonRepr(value);
    CHECK(std::strtod(text.c_str(), nullptr) == value);
    CHECK(text.find_first_of(".e") != std::string::npos);
  }
}

TEST_CASE("A column has one unit and five significant digits for its largest") {
  CHECK(Time(1e12, 648.97e9) == "1,000.00");
  CHECK(Time(648.97e9, 648.97e9) == "648.97");
  CHECK(Time(7.4754e9, 648.97e9) == "7.48");
  CHECK(Time(0, 648.97e9) == "0.00");
  CHECK(Time(1, 648.97e9) == "<0.01");
  CHECK(TimeFormatFor(648.97e9, Unit::kAuto).unit == Unit::kMs);
  CHECK(TimeFormatFor(7.4e9, Unit::kAuto).unit == Unit::kUs);
  CHECK(TimeFormatFor(99e12, Unit::kAuto).unit == Unit::kS);
  CHECK(Time(1.39e3, 1.39e3) == "1.390");  // nanoseconds have three decimals: picoseconds
  CHECK(Time(10, 10) == "0.010");
  CHECK(Time(1'234'567e6, 1'234'567e6, Unit::kUs) == "1,234,567");
  CHECK(Time(12.34e9, 12.34e9, Unit::kS) == "0.01234");  // a fixed unit too large for the numbers
}

TEST_CASE("Times in sentences have three digits in the unit that fits") {
  CHECK(TimeText(0, Unit::kAuto) == "0 ns");
  CHECK(TimeText(812'345'000'000, Unit::kAuto) == "812 ms");
  CHECK(TimeText(1'234'000'000'000, Unit::kAuto) == "1.23 s");
  CHECK(TimeText(45'600'000, Unit::kAuto) == "45.6 µs");
  CHECK(TimeText(999'900'000, Unit::kAuto) == "1.00 ms");
  CHECK(TimeText(3'600'000'000'000'000, Unit::kAuto) == "3,600 s");
  CHECK(TimeText(1'234'000'000'000, Unit::kMs) == "1,234.0 ms");
}

TEST_CASE("Percent, counts and bytes for people") {
  CHECK(PercentText(0) == "0.0%");
  CHECK(PercentText(0.0004) == "<0.1%");
  CHECK(PercentText(0.334) == "33.4%");
  CHECK(PercentText(1) == "100.0%");
  CHECK(GroupedText(0) == "0");
  CHECK(GroupedText(999) == "999");
  CHECK(GroupedText(1'234'567) == "1,234,567");
  CHECK(GroupedText(std::numeric_limits<uint64_t>::max()) == "18,446,744,073,709,551,615");
  CHECK(BytesText(1) == "1 byte");
  CHECK(BytesText(999) == "999 bytes");
  CHECK(BytesText(1'950'000) == "1.9 MB");
  CHECK(BytesText(446'000) == "446 kB");
  CHECK(BytesText(999'900) == "1.0 MB");
  CHECK(CountText(1, "lane", "lanes") == "1 lane");
  CHECK(CountText(1204, "lane", "lanes") == "1,204 lanes");
}

}  // namespace
}  // namespace tfprof::report
