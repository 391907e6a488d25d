#include "compare/side_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compare/matching.h"

namespace tfprof::compare {
namespace {

using Runs = std::span<const RunProfile>;

// All steps, warm-up among them: what the figures of the whole run are spread over.
double StepsOf(const RunProfile& run, bool per_step) {
  if (!per_step) return 1;
  return std::max(1.0, static_cast<double>(run.steps->count + run.steps->warm_up));
}

OpKey GroupKey(const OpKey& key, CompareBy by) {
  if (by == CompareBy::kType) return {key.side, key.op_type, ""};
  if (by == CompareBy::kScope) {
    const size_t slash = key.op_name.rfind('/');
    return {key.side, "", slash == std::string::npos ? std::string() : key.op_name.substr(0, slash)};
  }
  return key;
}

void Resize(FigureRow::Values* values, size_t runs) {
  values->self.resize(runs);
  values->total.resize(runs);
  values->occurrences.resize(runs);
}

using SideRows = std::map<OpKey, FigureRow::Values>;

SideRows RowsOfSide(Runs runs, CompareBy by, bool per_step) {
  SideRows rows;
  for (size_t r = 0; r < runs.size(); ++r) {
    const double steps = StepsOf(runs[r], per_step);
    for (const OpFigures& op : runs[r].ops) {
      FigureRow::Values& values = rows[GroupKey(op.key, by)];
      if (values.self.empty()) Resize(&values, runs.size());
      const double self = static_cast<double>(op.self_ps) / steps;
      const double occurrences = static_cast<double>(op.occurrences) / steps;
      values.self[r] += per_step ? op.self_per_step_ps.value_or(self) : self;
      values.total[r] += static_cast<double>(op.total_ps) / steps;
      values.occurrences[r] += per_step ? op.occurrences_per_step.value_or(occurrences) : occurrences;
    }
  }
  return rows;
}

std::vector<OpKey> KeysOf(const SideRows& rows) {
  std::vector<OpKey> keys;
  for (const auto& [key, values] : rows) keys.push_back(key);
  return keys;
}

std::vector<MatchedKeys> MatchedBy(CompareBy by, const SideRows& base, const SideRows& next) {
  if (by == CompareBy::kOp || by == CompareBy::kKernel) return MatchKeys(KeysOf(base), KeysOf(next));
  std::vector<MatchedKeys> matches;
  SideRows all = base;
  all.insert(next.begin(), next.end());
  for (const auto& [key, values] : all) {
    MatchedKeys match;
    if (base.contains(key)) match.base = key;
    if (next.contains(key)) match.next = key;
    matches.push_back(std::move(match));
  }
  return matches;
}

// A row for a figure of a whole side; absent where it is 0 in every run.
void AddSideRow(RowKind kind, OpKey key, Runs base, Runs next, bool per_step, int64_t (*figure)(const RunProfile&),
                std::vector<FigureRow>* rows) {
  FigureRow row;
  row.kind = kind;
  row.key = std::move(key);
  const auto fill = [&](Runs runs, FigureRow::Values* values) {
    Resize(values, runs.size());
    for (size_t r = 0; r < runs.size(); ++r) {
      values->self[r] = static_cast<double>(figure(runs[r])) / StepsOf(runs[r], per_step);
    }
    values->total = values->self;
    return std::any_of(values->self.begin(), values->self.end(), [](double v) { return v != 0; });
  };
  const bool in_base = fill(base, &row.base), in_next = fill(next, &row.next);
  if (!in_base && !in_next) return;
  row.presence = !in_base ? Presence::kNew : !in_next ? Presence::kGone : Presence::kBoth;
  rows->push_back(std::move(row));
}

}  // namespace

std::vector<FigureRow> MakeRows(Runs base, Runs next, CompareBy by, bool per_step) {
  SideRows base_rows = RowsOfSide(base, by, per_step), next_rows = RowsOfSide(next, by, per_step);
  std::vector<FigureRow> rows;
  for (MatchedKeys& match : MatchedBy(by, base_rows, next_rows)) {
    FigureRow row;
    row.presence = !match.base ? Presence::kNew : !match.next ? Presence::kGone : Presence::kBoth;
    if (match.base) row.base = std::move(base_rows[*match.base]);
    if (match.next) row.next = std::move(next_rows[*match.next]);
    if (!match.base) Resize(&row.base, base.size());
    if (!match.next) Resize(&row.next, next.size());
    if (match.base && match.next && match.base->op_name != match.next->op_name) row.base_name = match.base->op_name;
    row.key = match.next ? *match.next : *match.base;
    rows.push_back(std::move(row));
  }
  AddSideRow(
      RowKind::kIdle, {trace::Side::kDevice, "IDLE", "IDLE"}, base, next, per_step,
      [](const RunProfile& run) { return run.device.idle_ps; }, &rows);
  AddSideRow(
      RowKind::kIdle, {trace::Side::kHost, "IDLE", "IDLE"}, base, next, per_step,
      [](const RunProfile& run) { return run.host.idle_ps; }, &rows);
  AddSideRow(
      RowKind::kUnattributed, {trace::Side::kDevice, "", "unattributed"}, base, next, per_step,
      [](const RunProfile& run) { return run.device.unattributed_ps; }, &rows);
  return rows;
}

std::vector<FigureRow> MakeStepRows(Runs base, Runs next) {
  struct Statistic {
    const char* name;
    double StepFigures::*value;
  };
  std::vector<FigureRow> rows;
  for (const Statistic& statistic :
       {Statistic{"mean", &StepFigures::mean_ps}, Statistic{"median", &StepFigures::median_ps},
        Statistic{"p95", &StepFigures::p95_ps}, Statistic{"min", &StepFigures::min_ps},
        Statistic{"max", &StepFigures::max_ps}}) {
    FigureRow row;
    row.key = {trace::Side::kHost, "step", statistic.name};
    const auto fill = [&](Runs runs, FigureRow::Values* values) {
      for (const RunProfile& run : runs) {
        values->self.push_back((*run.steps).*statistic.value);
        values->occurrences.push_back(static_cast<double>(run.steps->count));
      }
      values->total = values->self;
    };
    fill(base, &row.base);
    fill(next, &row.next);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tfprof::compare
