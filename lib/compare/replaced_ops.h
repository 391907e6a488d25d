// Ops that are new or gone, decided as one.
//
// What is on one side only was renamed, fused or replaced as a rule; each by itself would read "-100 %" or "new". So
// those of the host are one test, and those of the device: the sum of what is gone against the sum of what is new,
// small ops too. Its verdict is that of the gated rows that went its way; the others of them get none.
#pragma once

#include <optional>
#include <vector>

#include "compare/comparison.h"

namespace tfprof::compare {

class ReplacedOps {
 public:
  // Of `side`; absent where none of the rows that are new or gone is gated. The rows must stay where they are.
  static std::optional<ReplacedOps> Of(std::vector<ChangeRow>* rows, trace::Side side,
                                       const std::optional<IntervalCut>& cut);

  Change* change() { return &sum_; }
  void HandOutVerdict() const;

 private:
  Change sum_;
  std::vector<ChangeRow*> gated_;
  size_t ops_ = 0;
};

}  // namespace tfprof::compare
