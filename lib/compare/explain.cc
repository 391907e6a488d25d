#include "compare/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace tfprof::compare {
namespace {

constexpr double kMostOf = 0.8;  // of the change: what "the few ops" have to make up
constexpr size_t kMaxNamed = 5;

std::string SignedTime(double ps) { return fmt::format("{}{}", ps > 0 ? "+" : "", ShortTime(ps)); }

std::string StepSentence(const Change& step) {
  std::string text =
      fmt::format("Step time {} by {}", step.delta > 0 ? "rose" : "fell", ShortTime(std::abs(step.delta)));
  if (step.relative) text += fmt::format(" ({:+.1f} %)", 100 * *step.relative);
  return text + fmt::format(", from {} to {}.", ShortTime(step.base_median), ShortTime(step.next_median));
}

std::string NameOf(const ChangeRow& row) {
  const std::string& name = row.key.op_name.empty() ? row.key.op_type : row.key.op_name;
  return name.empty() ? "(none)" : name;  // ops without a scope
}

// The rows that went the way of their side's sum, largest first, until they make up most of what went that way.
std::string SideSentence(const Comparison& comparison, trace::Side side) {
  double sum = 0;
  for (const ChangeRow& row : comparison.rows) {
    if (row.kind == RowKind::kOp && row.key.side == side) sum += row.self.delta;
  }
  if (sum == 0) return {};
  const auto counts = [&](const ChangeRow& row) {
    return row.kind == RowKind::kOp && row.key.side == side && row.self.delta != 0 && (row.self.delta > 0) == (sum > 0);
  };
  double same_way = 0;
  for (const ChangeRow& row : comparison.rows) same_way += counts(row) ? row.self.delta : 0;
  std::vector<std::string> named;
  double reached = 0;
  for (const ChangeRow& row : comparison.rows) {
    if (!counts(row)) continue;
    if (named.size() == kMaxNamed || reached / same_way >= kMostOf) break;
    reached += row.self.delta;
    named.push_back(fmt::format("{} ({})", NameOf(row), SignedTime(row.self.delta)));
  }
  return fmt::format("{} self time{} {} by {} in all; {:.0f} % of what {} is: {}.",
                     side == trace::Side::kDevice ? "Device" : "Host", comparison.per_step ? " per step" : "",
                     sum > 0 ? "rose" : "fell", ShortTime(std::abs(sum)), 100 * reached / same_way,
                     sum > 0 ? "rose" : "fell", fmt::join(named, ", "));
}

}  // namespace

std::vector<std::string> Explain(const Comparison& comparison) {
  std::vector<std::string> sentences;
  if (comparison.step_time && comparison.step_time->delta != 0)
    sentences.push_back(StepSentence(*comparison.step_time));
  if (comparison.by == CompareBy::kStep) return sentences;
  for (const trace::Side side : {trace::Side::kDevice, trace::Side::kHost}) {
    if (std::string sentence = SideSentence(comparison, side); !sentence.empty()) sentences.push_back(sentence);
  }
  return sentences;
}

}  // namespace tfprof::compare
