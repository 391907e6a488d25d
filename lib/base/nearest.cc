#include "base/nearest.h"

#include <algorithm>
#include <cstddef>

namespace tfprof {
namespace {

size_t EditDistance(std::string_view a, std::string_view b) {
  const size_t width = b.size() + 1;
  std::vector<size_t> cells((a.size() + 1) * width);
  const auto at = [&](size_t i, size_t j) -> size_t& { return cells[i * width + j]; };
  for (size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = at(i - 1, j - 1) + (a[i - 1] != b[j - 1]);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return at(a.size(), b.size());
}

}  // namespace

std::string_view NearestName(std::string_view typed, const std::vector<std::string_view>& names) {
  constexpr size_t kLongestTyped = 64;  // what is longer is no typing error, and the distance is quadratic
  if (typed.empty() || typed.size() > kLongestTyped) return {};
  std::string_view best;
  size_t best_distance = kLongestTyped;
  for (const std::string_view name : names) {
    const bool prefix = typed.size() >= 2 && (name.starts_with(typed) || (name.size() >= 2 && typed.starts_with(name)));
    const size_t distance = EditDistance(typed, name);
    const size_t allowed = std::max<size_t>(1, name.size() / 3);
    if ((distance <= allowed || prefix) && distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace tfprof
