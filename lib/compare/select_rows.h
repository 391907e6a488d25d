// Which rows of a comparison are shown, in which order: --side, --include, --exclude, --no-idle, --sort, --limit.
//
// What the reader asked not to see is gone; what a limit cuts is summed as the others of its side. Idle and
// unattributed time are no ops: patterns and limits leave them alone. A name is the op's on either side, or the key of
// --by. Shares stay those of the whole comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.h"

namespace tfprof::compare {

enum class ChangeColumn : uint8_t { kChange, kRelative, kBase, kNew, kShare, kName, kType };

struct ChangeOrder {
  ChangeColumn column = ChangeColumn::kChange;  // by size, whatever the sign; kRelative too
  bool descending = true;
};

struct RowSelection {
  std::optional<trace::Side> side;
  std::vector<std::string> include, exclude;  // RE2 patterns that compile
  bool idle = true;
  ChangeOrder order;
  uint64_t limit = 0;  // ops per side; 0: all
};

// Of the rows that a limit cut; times as in the rows.
struct OtherRows {
  trace::Side side = trace::Side::kHost;
  uint64_t rows = 0;
  double base_self_ps = 0, next_self_ps = 0, base_total_ps = 0, next_total_ps = 0;
  double base_occurrences = 0, next_occurrences = 0;
  double share_of_change = 0;
};

struct SelectedRows {
  std::vector<const ChangeRow*> rows;
  std::vector<OtherRows> others;  // at most one for each side, device first
  uint64_t total = 0;             // before the limit
  uint64_t none_of = 0;           // so many ops there were, and no pattern left one
};

// Refers to `rows`.
SelectedRows SelectRows(const std::vector<ChangeRow>& rows, const RowSelection& selection);

}  // namespace tfprof::compare
