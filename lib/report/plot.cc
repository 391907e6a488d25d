#include "report/plot.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "report/display.h"

namespace tfprof::report {
namespace {

constexpr size_t kRows = 8, kLeastWidth = 40, kMostColumns = 100;
constexpr int kEighths = 8;
constexpr std::string_view kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// The largest value in each of `columns` equal parts; a value holds until the next one.
std::vector<double> LargestOfColumns(const std::vector<std::pair<double, double>>& steps, size_t columns) {
  std::vector<double> largest(columns, 0);
  double value = 0;
  size_t next = 0;
  for (size_t c = 0; c < columns; ++c) {
    const double end = static_cast<double>(c + 1) / static_cast<double>(columns);
    const bool last = c + 1 == columns;
    double most = value;
    bool starts_anew = next < steps.size() && steps[next].first <= static_cast<double>(c) / static_cast<double>(columns);
    for (; next < steps.size() && (last || steps[next].first < end); ++next) {
      value = steps[next].second;
      most = starts_anew ? value : std::max(most, value);
      starts_anew = false;
    }
    largest[c] = most;
  }
  return largest;
}

std::string RightAligned(const std::string& text, size_t width) {
  return std::string(width - std::min(width, DisplayWidth(text)), ' ') + text;
}

}  // namespace

std::vector<std::string> DrawPlot(const Plot& plot, size_t width) {
  const size_t labels = std::max(DisplayWidth(plot.top), DisplayWidth(plot.bottom));
  const size_t columns = std::min(kMostColumns, std::max(width, kLeastWidth) - std::min(kLeastWidth / 2, labels + 2));
  const std::vector<double> largest = LargestOfColumns(plot.steps, columns);
  std::vector<std::string> lines;
  for (size_t r = kRows; r-- > 0;) {
    std::string line = RightAligned(r + 1 == kRows ? plot.top : "", labels) + " │";
    for (const double value : largest) {
      const int eighths = static_cast<int>(std::lround(value * kRows * kEighths)) - static_cast<int>(r) * kEighths;
      line += kBlocks[std::clamp(eighths, 0, kEighths)];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  std::string axis = RightAligned(plot.bottom, labels) + " └";
  for (size_t c = 0; c < columns; ++c) axis += "─";
  lines.push_back(std::move(axis));
  const size_t used = DisplayWidth(plot.left) + DisplayWidth(plot.right);
  lines.push_back(std::string(labels + 2, ' ') + plot.left + std::string(columns > used ? columns - used : 1, ' ') +
                  plot.right);
  return lines;
}

}  // namespace tfprof::report
