// Chooses and orders the rows of an op table: --side, --include, --exclude, --min-self, --sort, --limit.
//
// What the reader asked not to see (the other side, names that --include and --exclude leave out) is gone; what is only
// too small to be shown (--min-self, --limit) is summed in the row of the others, so that columns still add up. Totals
// and shares stay those of the whole table; the cumulative share runs over the whole side in the order of printing. The
// IDLE row is no op: filters, limit and others leave it alone. (Convention: pprof's -focus/-ignore and perf's
// --percent-limit for the former, bloaty's -n for the latter.)
//
// A name is what the row prints: the op name, or the key of --by. Patterns are RE2 and match anywhere in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/ops_result.h"
#include "base/diagnostics.h"
#include "base/status.h"

namespace tfprof::analyze {

enum class SortColumn { kSelf, kTotal, kOccurrences, kAvg, kAvgSelf, kName, kType, kMin, kMax, kP50, kP90, kP99 };

struct SortOrder {
  SortColumn column = SortColumn::kSelf;
  bool descending = true;

  bool operator==(const SortOrder&) const = default;
};

// Parses COL[:asc|desc]; numbers fall and texts rise by default. The error names the nearest column.
Result<SortOrder> ParseSortOrder(std::string_view text);

// The names that ParseSortOrder takes, for help and messages.
std::vector<std::string_view> SortColumnNames();

// Whether rows must carry a Distribution to be sorted so.
bool NeedsDistribution(const SortOrder& order);

struct OpsSelection {
  std::optional<Side> side;
  std::vector<std::string> include;  // a row stays if any of them matches its name (or there is none)
  std::vector<std::string> exclude;  // and none of these does
  double min_self_percent = 0;       // of the row's side, as printed in its share
  SortOrder sort;
  uint64_t limit = 0;  // op rows per side; 0: all
};

class OpsSelector {
 public:
  // Fails on a pattern that RE2 can't compile; the message quotes it and says why.
  static Result<OpsSelector> Create(OpsSelection selection);
  OpsSelector(OpsSelector&&) noexcept;
  OpsSelector& operator=(OpsSelector&&) noexcept;
  ~OpsSelector();

  // Selects in place: rows, ranks, others, and total_rows (rows before the cut by size). Adds `rows-limited` if rows
  // were cut.
  void Apply(OpsResult* result, Diagnostics* diagnostics) const;

  const OpsSelection& selection() const { return selection_; }

 private:
  struct Patterns;
  explicit OpsSelector(OpsSelection selection);

  bool NameMatches(const OpsRow& row) const;
  bool IsTooSmall(const OpsRow& row, uint64_t shown) const;

  OpsSelection selection_;
  std::unique_ptr<Patterns> patterns_;
};

}  // namespace tfprof::analyze
