#include "base/units.h"

#include <fmt/format.h>

#include <cmath>

namespace tfprof {

std::string ShortTime(double ps) {
  struct Unit {
    double ps;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "µs"}, {1e3, "ns"}};
  constexpr double kRoundedUp = 0.9995;  // three digits of it are those of the next unit
  if (ps == 0) return "0 ns";
  const Unit* unit = kUnits;
  while (unit->ps > 1e3 && std::abs(ps) < kRoundedUp * unit->ps) ++unit;
  const double value = ps / unit->ps, size = std::abs(value);
  return fmt::format("{:.{}f} {}", value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0, unit->name);
}

}  // namespace tfprof
