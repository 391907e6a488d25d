// Numbers as text: exact for machines, readable for people. Independent of the locale; never NaN or Infinity.
//
// Picoseconds are printed as microseconds in exact decimals (at most 6, no trailing zeros; 40 µs is `40`). Doubles are
// the shortest text that reads back as the same double. `PythonRepr` prints what Python's str(float) does (`12.0`,
// `1e-07`, `1e+16`): the CSVs of TensorBoard and XProf are written by Python (reference: csv.md §3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof::report {

using int128 = __int128;

void AppendInteger(int128 value, std::string* out);
void AppendMicroseconds(int128 ps, std::string* out);
// A value that is no number prints as `null` in JSON and as nothing elsewhere: `absent`.
void AppendDouble(double value, std::string_view absent, std::string* out);
void AppendPythonRepr(double value, std::string* out);
std::string PythonRepr(double value);

// Times for people.
enum class Unit { kAuto, kNs, kUs, kMs, kS };

std::string_view UnitName(Unit unit);  // "ns", "µs", "ms", "s"

// The unit in which `ps` has one to four digits before the point, as far as there is one.
Unit UnitFor(int128 ps);
double PicosecondsPer(Unit unit);

// How the numbers of one column are printed: all in one unit, with as many decimals as leave the largest of them five
// significant digits (three decimals at most, unless a fixed unit is so large that all are below 1).
struct TimeFormat {
  Unit unit = Unit::kMs;
  int decimals = 3;
};
TimeFormat TimeFormatFor(double largest_ps, Unit unit);

// `1,234.567`; what is more than 0 but would print as 0 is `<0.001`.
void AppendTime(double ps, const TimeFormat& format, std::string* out);
// A time in running text: `1.23 s`, `812 µs`.
std::string TimeText(int128 ps, Unit unit);
// `33.4%`; `<0.1%`.
void AppendPercent(double fraction, std::string* out);
std::string PercentText(double fraction);
// `1,234,567`.
std::string GroupedText(uint64_t value);
// `1.9 MB`: powers of 1000.
std::string BytesText(uint64_t bytes);
// "1 lane", "12 lanes", "1,204 lanes".
std::string CountText(uint64_t count, std::string_view singular, std::string_view plural);

}  // namespace tfprof::report
