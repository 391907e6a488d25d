// The quantities of metrics.h as texts.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "compare/metrics.h"

namespace tfprof::compare {
namespace {

using Suffix = std::pair<std::string_view, double>;

constexpr std::array<Suffix, 6> kTimes = {{{"", 1}, {"ns", 1e-3}, {"us", 1}, {"µs", 1}, {"ms", 1e3}, {"s", 1e6}}};
constexpr std::array<Suffix, 11> kSizes = {{{"", 1},
                                            {"B", 1},
                                            {"kB", 1e3},
                                            {"MB", 1e6},
                                            {"GB", 1e9},
                                            {"TB", 1e12},
                                            {"KiB", 1024},
                                            {"kiB", 1024},
                                            {"MiB", 1024. * 1024},
                                            {"GiB", 1024. * 1024 * 1024},
                                            {"TiB", 1024. * 1024 * 1024 * 1024}}};
constexpr std::array<Suffix, 1> kCounts = {{{"", 1}}};
constexpr std::array<Suffix, 2> kFractions = {{{"", 1}, {"%", 0.01}}};

std::span<const Suffix> SuffixesOf(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kMicroseconds:
      return kTimes;
    case MetricUnit::kBytes:
      return kSizes;
    case MetricUnit::kFraction:
      return kFractions;
    default:
      return kCounts;
  }
}

std::string_view ExampleOf(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kMicroseconds:
      return "a time, such as 1.2ms, 900us or 1200 (microseconds)";
    case MetricUnit::kBytes:
      return "a size, such as 2GiB, 500MB or 1024 (bytes)";
    case MetricUnit::kFraction:
      return "a fraction from 0 to 1, such as 0.3, or 30%";
    default:
      return "a whole number, such as 1200";
  }
}

Error Usage(std::string message) { return {DiagCode::kUnreadableInput, std::move(message)}; }

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// `1,234,567`
std::string Grouped(double value) {
  const std::string digits = fmt::format("{:.0f}", std::fabs(value));
  std::string text(value < 0 ? "-" : "");
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text.push_back(',');
    text.push_back(digits[i]);
  }
  return text;
}

std::string TimeText(double us) {
  constexpr std::array<std::pair<double, std::string_view>, 4> kScales = {
      {{1e6, "s"}, {1e3, "ms"}, {1, "µs"}, {1e-3, "ns"}}};
  if (std::fabs(us) >= 1e10) return Grouped(us / 1e6) + " s";
  for (const auto& [scale, name] : kScales) {
    if (std::fabs(us) >= scale || name == "ns") return fmt::format("{:.4g} {}", us / scale, name);
  }
  return {};
}

}  // namespace

std::string_view UnitId(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kMicroseconds:
      return "us";
    case MetricUnit::kCount:
      return "count";
    case MetricUnit::kBytes:
      return "bytes";
    case MetricUnit::kFraction:
      return "fraction";
    default:
      return "";
  }
}

Result<double> ParseQuantity(std::string_view text, MetricUnit unit) {
  text = Trimmed(text);
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed == std::errc::result_out_of_range || (failed == std::errc() && !std::isfinite(value))) {
    return Usage(fmt::format("\"{}\" is no finite number; {} is expected", text, ExampleOf(unit)));
  }
  if (failed != std::errc()) return Usage(fmt::format("\"{}\" is not {}", text, ExampleOf(unit)));
  if (std::signbit(value)) return Usage(fmt::format("\"{}\" is negative; {} is expected", text, ExampleOf(unit)));
  const std::string_view suffix = Trimmed(std::string_view(end, static_cast<size_t>(text.data() + text.size() - end)));
  std::vector<std::string_view> names;
  for (const auto& [name, factor] : SuffixesOf(unit)) {
    if (name == suffix) {
      value *= factor;
      if (!std::isfinite(value)) return Usage(fmt::format("\"{}\" is too large", text));
      if (unit == MetricUnit::kFraction && value > 1) {
        return Usage(fmt::format("\"{}\" is more than all of it; {} is expected", text, ExampleOf(unit)));
      }
      if (unit == MetricUnit::kCount && value != std::trunc(value)) {
        return Usage(fmt::format("\"{}\" is not {}", text, ExampleOf(unit)));
      }
      return value;
    }
    if (!name.empty()) names.push_back(name);
  }
  const std::string_view nearest = NearestName(suffix, names);
  if (names.empty())
    return Usage(fmt::format("\"{}\": this metric has no unit; {} is expected", text, ExampleOf(unit)));
  return Usage(fmt::format("\"{}\": the unit \"{}\" is none of {}{}", text, suffix, fmt::join(names, ", "),
                           nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)));
}

std::string QuantityText(double value, MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kMicroseconds:
      return value == 0 ? "0 µs" : TimeText(value);
    case MetricUnit::kFraction:
      return fmt::format("{:.3g} %", value * 100);
    case MetricUnit::kBytes:
      return Grouped(value) + (value == 1 ? " byte" : " bytes");
    default:
      return value == std::trunc(value) ? Grouped(value) : fmt::format("{:.4g}", value);
  }
}

std::string RelativeText(double fraction) {
  const double percent = fraction * 100;
  return fmt::format("{}{:.{}f} %", percent < 0 ? "−" : "+", std::fabs(percent), std::fabs(percent) < 100 ? 1 : 0);
}

}  // namespace tfprof::compare
