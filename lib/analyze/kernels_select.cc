#include "analyze/kernels_select.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/counted.h"
#include "base/patterns.h"

namespace tfprof::analyze {
namespace {

struct Group {
  KernelRow row;
  std::set<std::string> names;  // of the kernels, or ops, in it
};

void AddToGroup(const KernelRow& row, KernelsBy by, Group* group) {
  KernelRow& sum = group->row;
  sum.times.Add(row.times);
  sum.tensor_core_ps += row.tensor_core_ps;
  sum.total_fraction += row.total_fraction;
  sum.eligible = sum.eligible || row.eligible;
  sum.uses_tensor_cores = sum.uses_tensor_cores || row.uses_tensor_cores;
  group->names.insert(by == KernelsBy::kOp ? row.kernel : row.op);
}

std::vector<KernelRow> GroupRows(const std::vector<KernelRow>& rows, KernelsBy by) {
  std::map<std::string, Group> groups;
  for (const KernelRow& row : rows) AddToGroup(row, by, &groups[by == KernelsBy::kOp ? row.op : row.kernel]);
  std::vector<KernelRow> grouped;
  for (auto& [name, group] : groups) {
    KernelRow row = std::move(group.row);
    (by == KernelsBy::kOp ? row.op : row.kernel) = name;
    (by == KernelsBy::kOp ? row.kernels : row.ops) = group.names.size();
    if (by == KernelsBy::kKernel) row.ops -= group.names.count("");  // no op claims those launches
    grouped.push_back(std::move(row));
  }
  std::stable_sort(grouped.begin(), grouped.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.times.total_ps > b.times.total_ps; });
  return grouped;
}

}  // namespace

void SelectKernels(const KernelSelection& selection, KernelsResult* result, Diagnostics* diagnostics) {
  result->by = selection.by;
  if (selection.by != KernelsBy::kLaunch) result->rows = GroupRows(result->rows, selection.by);
  std::vector<KernelRow>& rows = result->rows;
  const Patterns include(selection.include), exclude(selection.exclude);
  const auto matches = [&](const Patterns& patterns, const KernelRow& row) {
    return (selection.by != KernelsBy::kOp && patterns.Match(row.kernel)) ||
           (selection.by != KernelsBy::kKernel && patterns.Match(row.op));
  };
  std::erase_if(rows, [&](const KernelRow& row) {
    return (!include.empty() && !matches(include, row)) || matches(exclude, row);
  });
  result->total_rows = rows.size();
  for (size_t i = 0; i < rows.size(); ++i) rows[i].rank = static_cast<int>(i) + 1;
  if (selection.limit == 0 || rows.size() <= selection.limit) return;
  result->other_rows = rows.size() - selection.limit;
  result->others.emplace();
  for (size_t i = selection.limit; i < rows.size(); ++i) result->others->Add(rows[i].times);
  rows.resize(selection.limit);
  diagnostics->Add(DiagCode::kRowsLimited,
                   fmt::format("{} of {} {} summed in the row of the others (--limit {})", result->other_rows,
                               Counted(result->total_rows, "row", "rows"), result->other_rows == 1 ? "is" : "are",
                               selection.limit),
                   result->other_rows);
}

}  // namespace tfprof::analyze
