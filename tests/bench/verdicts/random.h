// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood 2014), normals by Marsaglia's polar
// method.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tfprof::verdicts {

class Random {
 public:
  Random(uint64_t seed, uint64_t stream) : state_(seed) { state_ = Next() ^ (stream * 0xD1342543DE82EF95U); }

  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }  // 0 <= u < 1
  size_t Below(size_t bound) { return static_cast<size_t>(Uniform() * static_cast<double>(bound)); }

  double Normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    for (;;) {
      const double x = 2 * Uniform() - 1, y = 2 * Uniform() - 1;
      const double square = x * x + y * y;
      if (square >= 1 || square == 0) continue;
      const double scale = std::sqrt(-2 * std::log(square) / square);
      spare_ = y * scale;
      has_spare_ = true;
      return x * scale;
    }
  }

  double StudentT3() {
    const double a = Normal(), b = Normal(), c = Normal();
    return Normal() / std::sqrt((a * a + b * b + c * c) / 3);
  }

 private:
  uint64_t Next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  uint64_t state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace tfprof::verdicts
