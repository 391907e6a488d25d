#include "analyze/ops_select.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "base/count.h"
#include "base/counted.h"
#include "base/nearest.h"

namespace tfprof::analyze {
namespace {

struct SortName {
  std::string_view name;
  SortColumn column;
};

// The ids of the printed columns without their unit, and what people type for them.
constexpr std::array<SortName, 15> kSortNames = {{
    {"self", SortColumn::kSelf},
    {"total", SortColumn::kTotal},
    {"occurrences", SortColumn::kOccurrences},
    {"count", SortColumn::kOccurrences},
    {"avg", SortColumn::kAvg},
    {"avg_self", SortColumn::kAvgSelf},
    {"name", SortColumn::kName},
    {"op_name", SortColumn::kName},
    {"type", SortColumn::kType},
    {"op_type", SortColumn::kType},
    {"min", SortColumn::kMin},
    {"max", SortColumn::kMax},
    {"p50", SortColumn::kP50},
    {"p90", SortColumn::kP90},
    {"p99", SortColumn::kP99},
}};

const std::string& NameOf(const OpsRow& row) { return row.key.empty() ? row.op_name : row.key; }

double Average(int128 sum_ps, uint64_t occurrences) {
  return occurrences == 0 ? 0 : static_cast<double>(sum_ps) / static_cast<double>(occurrences);
}

double ValueOf(const OpsRow& row, SortColumn column) {
  const auto quantile = [&row](auto member) {
    return row.distribution ? static_cast<double>((*row.distribution).*member) : -1.0;
  };
  switch (column) {
    case SortColumn::kAvg:
      return Average(row.total_ps, row.occurrences);
    case SortColumn::kAvgSelf:
      return Average(row.self_ps, row.occurrences);
    case SortColumn::kMin:
      return quantile(&Distribution::min_ps);
    case SortColumn::kMax:
      return quantile(&Distribution::max_ps);
    case SortColumn::kP50:
      return quantile(&Distribution::p50_ps);
    case SortColumn::kP90:
      return quantile(&Distribution::p90_ps);
    case SortColumn::kP99:
      return quantile(&Distribution::p99_ps);
    default:
      return 0;
  }
}

// Negative, zero, positive as a sorts before, with or after b in rising order of the column.
int Compare(const OpsRow& a, const OpsRow& b, SortColumn column) {
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : (y < x ? 1 : 0); };
  switch (column) {
    case SortColumn::kSelf:
      return order(a.self_ps, b.self_ps);
    case SortColumn::kTotal:
      return order(a.total_ps, b.total_ps);
    case SortColumn::kOccurrences:
      return order(a.occurrences, b.occurrences);
    case SortColumn::kName:
      return order(NameOf(a), NameOf(b));
    case SortColumn::kType:
      return order(a.op_type, b.op_type);
    default:
      return order(ValueOf(a, column), ValueOf(b, column));
  }
}

class RowLess {
 public:
  explicit RowLess(SortOrder order) : order_(order) {}

  bool operator()(const OpsRow& a, const OpsRow& b) const {
    if (NeedsDistribution(order_) && a.distribution.has_value() != b.distribution.has_value()) {
      return a.distribution.has_value();  // what has no such value stands last, whatever the direction
    }
    if (const int c = Compare(a, b, order_.column); c != 0) return order_.descending ? c > 0 : c < 0;
    if (const int c = Compare(a, b, SortColumn::kName); c != 0) return c < 0;
    return Compare(a, b, SortColumn::kType) < 0;
  }

 private:
  SortOrder order_;
};

// Sorts rows in place, moving each of them once: they are large, and there may be a million.
void SortRows(SortOrder order, std::span<OpsRow> rows) {
  std::vector<uint32_t> from(rows.size());  // place → the row that belongs there
  std::iota(from.begin(), from.end(), 0);
  const RowLess less(order);
  std::stable_sort(from.begin(), from.end(), [&](uint32_t a, uint32_t b) { return less(rows[a], rows[b]); });
  for (uint32_t start = 0; start < from.size(); ++start) {
    if (from[start] == start) continue;
    OpsRow first = std::move(rows[start]);
    uint32_t place = start;
    while (from[place] != start) {
      rows[place] = std::move(rows[from[place]]);
      place = std::exchange(from[place], place);
    }
    rows[place] = std::move(first);
    from[place] = place;
  }
}

void AddTo(const OpsRow& row, std::optional<OthersRow>* others) {
  if (!*others) others->emplace();
  OthersRow& sum = **others;
  ++sum.rows;
  AddCount(row.occurrences, &sum.occurrences);
  sum.total_ps += row.total_ps;
  sum.self_ps += row.self_ps;
  sum.self_fraction += row.self_fraction;
}

void SayLimited(Side side, uint64_t cut, uint64_t all, Compat compat, const OpsSelection& selection,
                Diagnostics* diagnostics) {
  std::string why;
  if (selection.limit > 0) why += fmt::format("--limit {}", selection.limit);
  if (selection.min_self_percent > 0) {
    why += fmt::format("{}--min-self {}", why.empty() ? "" : ", ", selection.min_self_percent);
  }
  diagnostics->Add(DiagCode::kRowsLimited,
                   fmt::format("{} of {} {} rows {} {} ({})", cut, all, side == Side::kDevice ? "device" : "host",
                               cut == 1 ? "is" : "are",
                               compat == Compat::kNone ? "summed in the row of the others"
                                                       : "left out of the CSV, as XProf's has no row for their sum",
                               why),
                   cut);
}

}  // namespace

std::vector<std::string_view> SortColumnNames() {
  std::vector<std::string_view> names;
  for (const SortName& entry : kSortNames) names.push_back(entry.name);
  return names;
}

bool NeedsDistribution(const SortOrder& order) { return order.column >= SortColumn::kMin; }

Result<SortOrder> ParseSortOrder(std::string_view text) {
  const size_t colon = text.find(':');
  std::string_view column = text.substr(0, colon);
  const std::string_view as_typed = column;
  if (column.ends_with("_us")) column.remove_suffix(3);
  const auto at =
      std::find_if(kSortNames.begin(), kSortNames.end(), [&](const SortName& n) { return n.name == column; });
  if (at == kSortNames.end()) {
    const std::string_view nearest = NearestName(column, SortColumnNames());
    return Error{DiagCode::kUnreadableInput,
                 fmt::format("there is no column \"{}\" to sort by; {}", as_typed,
                             nearest.empty() ? fmt::format("the columns are {}", fmt::join(SortColumnNames(), ", "))
                                             : fmt::format("did you mean \"{}\"?", nearest))};
  }
  SortOrder order{at->column, at->column != SortColumn::kName && at->column != SortColumn::kType};
  if (colon == std::string_view::npos) return order;
  const std::string_view direction = text.substr(colon + 1);
  if (direction != "asc" && direction != "desc") {
    return Error{DiagCode::kUnreadableInput,
                 fmt::format("the direction of a sort is \"asc\" or \"desc\", not \"{}\"", direction)};
  }
  order.descending = direction == "desc";
  return order;
}

struct OpsSelector::Patterns {
  std::vector<std::unique_ptr<re2::RE2>> include, exclude;
};

OpsSelector::OpsSelector(OpsSelection selection)
    : selection_(std::move(selection)), patterns_(std::make_unique<Patterns>()) {}
OpsSelector::OpsSelector(OpsSelector&&) noexcept = default;
OpsSelector& OpsSelector::operator=(OpsSelector&&) noexcept = default;
OpsSelector::~OpsSelector() = default;

Result<OpsSelector> OpsSelector::Create(OpsSelection selection) {
  OpsSelector selector(std::move(selection));
  re2::RE2::Options options;
  options.set_log_errors(false);
  const auto compile = [&](const std::vector<std::string>& texts,
                           std::vector<std::unique_ptr<re2::RE2>>* out) -> Status {
    for (const std::string& text : texts) {
      out->push_back(std::make_unique<re2::RE2>(text, options));
      if (!out->back()->ok()) {
        return Error{DiagCode::kUnreadableInput,
                     fmt::format("\"{}\" is no regular expression: {}", text, out->back()->error())};
      }
    }
    return kOk;
  };
  if (Status bad = compile(selector.selection_.include, &selector.patterns_->include)) return *bad;
  if (Status bad = compile(selector.selection_.exclude, &selector.patterns_->exclude)) return *bad;
  return selector;
}

bool OpsSelector::NameMatches(const OpsRow& row) const {
  const std::string& name = NameOf(row);
  const auto matches = [&name](const auto& pattern) { return re2::RE2::PartialMatch(name, *pattern); };
  const auto& include = patterns_->include;
  const auto& exclude = patterns_->exclude;
  return (include.empty() || std::any_of(include.begin(), include.end(), matches)) &&
         std::none_of(exclude.begin(), exclude.end(), matches);
}

// Whether a row goes to the others after `shown` rows of its side.
bool OpsSelector::IsTooSmall(const OpsRow& row, uint64_t shown) const {
  constexpr double kRounding = 1 - 1e-12;  // 29 % are not less than 29
  return row.self_fraction * 100 < selection_.min_self_percent * kRounding ||
         (selection_.limit > 0 && shown == selection_.limit);
}

namespace {

// Cumulative shares in a new order: of exact sums, so that the last is 1; where shares are the official tool's, of
// them.
void AddUpShares(std::span<OpsRow> rows, Compat compat) {
  int128 all = 0, sum = 0;
  for (const OpsRow& row : rows) all += row.self_ps;
  double running = 0;
  for (OpsRow& row : rows) {
    sum += row.self_ps;
    running += row.self_fraction;
    const bool exact = compat == Compat::kNone && all > 0;
    row.cumulative_fraction = exact ? static_cast<double>(sum) / static_cast<double>(all) : running;
  }
}

}  // namespace

void OpsSelector::Apply(OpsResult* result, Diagnostics* diagnostics) const {
  std::vector<OpsRow>& rows = result->rows;
  const auto is_device = [](const OpsRow& row) { return row.side == Side::kDevice; };
  const size_t first_host =
      static_cast<size_t>(std::partition_point(rows.begin(), rows.end(), is_device) - rows.begin());
  size_t kept = 0;
  uint64_t ops = 0, matching = 0;
  for (const Side side : {Side::kDevice, Side::kHost}) {
    const bool device = side == Side::kDevice;
    const size_t begin = device ? 0 : first_host, end = device ? first_host : rows.size();
    if (selection_.side && *selection_.side != side) {
      result->total_rows -= end - begin;
      continue;
    }
    if (selection_.sort != SortOrder()) {
      SortRows(selection_.sort, {rows.data() + begin, end - begin});
      AddUpShares({rows.data() + begin, end - begin}, result->compat);
    }
    std::optional<OthersRow>& others = device ? result->others_device : result->others_host;
    uint64_t shown = 0, matched = 0;
    for (size_t i = begin; i < end; ++i) {
      OpsRow& row = rows[i];
      if (!row.idle) {
        ++ops;
        if (!NameMatches(row)) {
          --result->total_rows;
          continue;
        }
        ++matched;
        if (IsTooSmall(row, shown)) {
          AddTo(row, &others);
          continue;
        }
        ++shown;
      }
      if (kept != i) rows[kept] = std::move(row);
      rows[kept].rank = static_cast<int>(kept) + 1;
      ++kept;
    }
    matching += matched;
    if (shown < matched) SayLimited(side, matched - shown, matched, result->compat, selection_, diagnostics);
  }
  rows.resize(kept);
  if (ops > 0 && matching == 0) {
    result->none_of_ops = ops;
    diagnostics->Add(DiagCode::kRowsLimited,
                     fmt::format("--include and --exclude leave none of {}; patterns distinguish upper and lower "
                                 "case ((?i) doesn't)",
                                 Counted(ops, "row", "rows")));
  }
}

}  // namespace tfprof::analyze
