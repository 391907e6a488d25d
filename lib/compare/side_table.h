// The figures of both sides in rows: one value per run and row, keys matched or summed up.
//
// Times are picoseconds, per step where steps tell (step_evidence.h): an op's median over them, or, where the run
// doesn't tell that, its time divided by the steps. Else of the whole run. Accumulated, idle and unattributed time,
// which runs don't tell by step, are divided by the number of steps. A row's sum of medians is no median of sums; both
// are per-run numbers, made the same way on both sides.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/comparison.h"

namespace tfprof::compare {

struct FigureRow {
  RowKind kind = RowKind::kOp;
  OpKey key;
  std::string base_name;
  Presence presence = Presence::kBoth;
  struct Values {
    std::vector<double> self, total, occurrences;  // one per run
  } base, next;
};

// Ops matched as matching.h says; sums by type or scope by the key alone. Idle and unattributed rows stand at the end.
std::vector<FigureRow> MakeRows(std::span<const RunProfile> base, std::span<const RunProfile> next, CompareBy by,
                                bool per_step);

// Mean, median, p95, shortest and longest step of each run, one row each.
std::vector<FigureRow> MakeStepRows(std::span<const RunProfile> base, std::span<const RunProfile> next);

}  // namespace tfprof::compare
