#include "compare/replaced_ops.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "compare/verdicts.h"

namespace tfprof::compare {
namespace {

void Add(const std::vector<double>& values, std::vector<double>* sums) {
  sums->resize(values.size());
  for (size_t r = 0; r < values.size(); ++r) (*sums)[r] += values[r];
}

// Nothing new explains that ops as a whole became faster, and nothing gone that they became slower.
bool WentTheOtherWay(Verdict verdict, Presence presence) {
  const bool worse = verdict == Verdict::kRegressed || verdict == Verdict::kSuspect;
  return worse ? presence == Presence::kGone : verdict == Verdict::kImproved && presence == Presence::kNew;
}

}  // namespace

std::optional<ReplacedOps> ReplacedOps::Of(std::vector<ChangeRow>* rows, trace::Side side,
                                           const std::optional<IntervalCut>& cut) {
  ReplacedOps replaced;
  std::vector<double> base, next;
  for (ChangeRow& row : *rows) {
    if (row.kind != RowKind::kOp || row.presence == Presence::kBoth || row.key.side != side) continue;
    Add(row.self.base, &base);
    Add(row.self.next, &next);
    ++replaced.ops_;
    if (row.gated) replaced.gated_.push_back(&row);
  }
  if (replaced.gated_.empty()) return std::nullopt;
  replaced.sum_ = NoisyChange(std::move(base), std::move(next), cut);
  return replaced;
}

void ReplacedOps::HandOutVerdict() const {
  std::string as_one;
  if (ops_ > 1) {
    as_one = fmt::format("the {} ops that are new or gone are decided as one", ops_);
    if (sum_.relative) as_one += fmt::format(", {:+.3g} % together", 100 * *sum_.relative);
  }
  for (ChangeRow* row : gated_) {
    row->self.reason = as_one;
    if (WentTheOtherWay(sum_.verdict, row->presence)) {
      row->gated = false;
      continue;
    }
    row->self.p = sum_.p;
    row->self.p_holm = sum_.p_holm;
    row->self.verdict = sum_.verdict;
    if (!sum_.reason.empty()) row->self.reason = sum_.reason + (as_one.empty() ? "" : "; " + as_one);
  }
}

}  // namespace tfprof::compare
