#include "compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compare/explain.h"
#include "compare/parity.h"
#include "compare/replaced_ops.h"
#include "compare/side_table.h"
#include "compare/step_evidence.h"
#include "compare/verdicts.h"

namespace tfprof::compare {
namespace {

using Runs = std::span<const RunProfile>;

std::vector<double> PerRun(Runs runs, double (*figure)(const RunProfile&)) {
  std::vector<double> values;
  for (const RunProfile& run : runs) values.push_back(figure(run));
  return values;
}

double MedianStep(const RunProfile& run) { return run.steps->median_ps; }
double AllSelf(const RunProfile& run) {
  return static_cast<double>(run.host.sum_self_ps) + static_cast<double>(run.device.sum_self_ps);
}

// What shares are of: step time, or all self time of a run.
struct Reference {
  double base = 0, next = 0;
};

ChangeRow RowOf(FigureRow figures, const Reference& reference, const std::optional<IntervalCut>& cut,
                double min_share) {
  ChangeRow row;
  row.kind = figures.kind;
  row.key = std::move(figures.key);
  row.base_name = std::move(figures.base_name);
  row.presence = figures.presence;
  row.self = NoisyChange(std::move(figures.base.self), std::move(figures.next.self), cut);
  row.total = NoisyChange(std::move(figures.base.total), std::move(figures.next.total), cut);
  row.occurrences = ExactChange(std::move(figures.base.occurrences), std::move(figures.next.occurrences));
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  row.share_of_step =
      std::max(share(row.self.base_median, reference.base), share(row.self.next_median, reference.next));
  row.gated = row.kind == RowKind::kOp && row.share_of_step >= min_share;
  return row;
}

// Unattributed time is in the rows of its kernels already: it has a share, but is no part of the sum.
void FillShares(std::vector<ChangeRow>* rows) {
  std::map<trace::Side, double> sums;
  for (const ChangeRow& row : *rows) {
    if (row.kind != RowKind::kUnattributed) sums[row.key.side] += std::abs(row.self.delta);
  }
  for (ChangeRow& row : *rows) {
    const double sum = sums[row.key.side];
    row.share_of_change = sum > 0 ? std::min(1.0, std::abs(row.self.delta) / sum) : 0;
  }
}

struct Family {
  std::vector<ChangeRow> rows;
  size_t tests = 0;  // in Holm's adjustment
};

// Verdicts of the gated rows. What is on both sides is a test each; what is new or gone is one of each side.
size_t DecideRows(double reference, const std::optional<IntervalCut>& cut, const CompareOptions& options,
                  std::vector<ChangeRow>* rows) {
  std::vector<Change*> tests;
  for (ChangeRow& row : *rows) {
    if (row.gated && row.presence == Presence::kBoth) tests.push_back(&row.self);
  }
  std::optional<ReplacedOps> replaced[] = {ReplacedOps::Of(rows, trace::Side::kHost, cut),
                                           ReplacedOps::Of(rows, trace::Side::kDevice, cut)};
  for (std::optional<ReplacedOps>& ops : replaced) {
    if (ops) tests.push_back(ops->change());
  }
  DecideFamily(tests, reference, options);
  for (const std::optional<ReplacedOps>& ops : replaced) {
    if (ops) ops->HandOutVerdict();
  }
  return tests.size();
}

// A family of rows, decided, in the order in which they are shown.
Family Decided(std::vector<FigureRow> figures, const Reference& reference, const CompareOptions& options) {
  Family family;
  if (figures.empty()) return family;
  const FigureRow& any = figures.front();  // all have as many runs
  const auto cut = IntervalCutFor(any.base.self.size(), any.next.self.size(), options.confidence);
  std::vector<ChangeRow>& rows = family.rows;
  for (FigureRow& row : figures) rows.push_back(RowOf(std::move(row), reference, cut, options.min_share));
  family.tests = DecideRows(reference.base, cut, options, &rows);
  FillShares(&rows);
  std::stable_sort(rows.begin(), rows.end(), [](const ChangeRow& a, const ChangeRow& b) {
    const double x = std::abs(a.self.delta), y = std::abs(b.self.delta);
    return x != y ? x > y : a.key < b.key;
  });
  return family;
}

// A test of its own: whether training became slower comes before which op did.
Change StepTime(Runs base, Runs next, const CompareOptions& options) {
  const auto cut = IntervalCutFor(base.size(), next.size(), options.confidence);
  Change change = NoisyChange(PerRun(base, MedianStep), PerRun(next, MedianStep), cut);
  Change* const family[] = {&change};
  DecideFamily(family, change.base_median, options);
  return change;
}

std::vector<std::string> LabelsOf(Runs runs) {
  std::vector<std::string> labels;
  for (const RunProfile& run : runs) labels.push_back(run.label);
  return labels;
}

// What explains any difference by itself leaves nothing to decide; what is a fact stays one.
void Withdraw(const Mismatch& mismatch, Comparison* comparison) {
  const auto withdraw = [&](Change* change) {
    if (change->exact || change->verdict == Verdict::kNotGated) return;
    change->verdict = Verdict::kInconclusive;
    change->reason = CannotCompare(mismatch);
  };
  if (comparison->step_time) withdraw(&*comparison->step_time);
  for (std::vector<ChangeRow>* rows : {&comparison->rows, &comparison->types}) {
    for (ChangeRow& row : *rows) withdraw(&row.self);
  }
}

}  // namespace

const Mismatch* PreventingMismatch(const Comparison& comparison) {
  const auto at = std::find_if(comparison.parity.begin(), comparison.parity.end(),
                               [](const Mismatch& mismatch) { return mismatch.prevents_verdict; });
  return at == comparison.parity.end() ? nullptr : &*at;
}

std::string CannotCompare(const Mismatch& mismatch) {
  return fmt::format("the runs can't be compared: {} is {} in the base and {} now", mismatch.what, mismatch.base,
                     mismatch.next);
}

Result<Comparison> Compare(Runs base, Runs next, const CompareOptions& options) {
  if (base.empty() || next.empty()) {
    return Error{DiagCode::kUnreadableInput,
                 fmt::format("there is nothing to compare: {} has no run", base.empty() ? "the base" : "the new side")};
  }
  Comparison comparison;
  comparison.by = options.by;
  comparison.base_runs = LabelsOf(base);
  comparison.next_runs = LabelsOf(next);
  const std::string no_steps = WhyStepsDontTell(base, next);
  comparison.per_step = no_steps.empty();
  const bool by_step = options.by == CompareBy::kStep;
  if (by_step && !comparison.per_step) {
    return Error{DiagCode::kUnreadableInput, "steps can't be compared: " + no_steps};
  }
  Reference reference;
  if (comparison.per_step) {
    comparison.step_time = StepTime(base, next, options);
    reference = {comparison.step_time->base_median, comparison.step_time->next_median};
  } else {
    reference = {Median(PerRun(base, AllSelf)), Median(PerRun(next, AllSelf))};
  }
  Family ops = Decided(by_step ? MakeStepRows(base, next) : MakeRows(base, next, options.by, comparison.per_step),
                       reference, options);
  comparison.rows = std::move(ops.rows);
  comparison.gated = ops.tests;
  comparison.types = Decided(MakeRows(base, next, CompareBy::kType, comparison.per_step), reference, options).rows;
  std::erase_if(comparison.types, [](const ChangeRow& row) { return row.kind != RowKind::kOp; });
  comparison.runs_needed = RunsNeeded(comparison.gated, options.alpha);
  comparison.decidable = CanReach(base.size(), next.size(), std::max<size_t>(comparison.gated, 1), options.alpha);
  if (!by_step) comparison.parity = ParityOf(base, next, comparison.per_step, comparison.rows);
  if (const Mismatch* mismatch = PreventingMismatch(comparison)) Withdraw(*mismatch, &comparison);
  comparison.explained = Explain(comparison);
  const auto has_none = [](const RunProfile& run) { return !run.steps || run.steps->count == 0; };
  const bool any_has_none =
      std::any_of(base.begin(), base.end(), has_none) || std::any_of(next.begin(), next.end(), has_none);
  if (!comparison.per_step && !any_has_none) {  // else parity tells
    comparison.explained.insert(comparison.explained.begin(),
                                fmt::format("Whole runs are compared, not their steps: {}.", no_steps));
  }
  return comparison;
}

}  // namespace tfprof::compare
