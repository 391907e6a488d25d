// What the rule of decision (docs/statistics.md) makes of runs whose truth is known: how often it raises a false alarm,
// and how often it finds an op that became slower. Runs are simulated step by step, reduced to profiles as real ones
// are, and compared by the library.
//
// Every check has a random stream of its own, from the seed and its number: the same counts on every machine, in any
// order and with any number of checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/comparison.h"

namespace tfprof::verdicts {

// How runs and steps differ although nothing changed. Noise is a standard deviation, relative.
struct World {
  const char* name;
  double run_noise = 0.02;      // of each op in each run
  double shared_run_noise = 0;  // of all ops of a run alike: clocks, placement
  double step_noise = 0.05;     // of each op in each step
  bool heavy_tails = false;     // run noise by Student's t of 3 degrees; 2 % of steps take three times as long
  double drift_per_day = 0;     // random walk of all ops; a day has one run of a side, or one of each
  bool interleaved = true;      // base and new run on the same days; else all of base before all of new
  double bad_run = 0;           // how much slower one run is, of either side
};
const std::vector<World>& Worlds();

struct Cell {
  size_t world = 0;  // index into Worlds()
  size_t base_runs = 0, next_runs = 0;
  size_t gated = 0;  // ops: the first has 5 % of the step, the others the rest in equal parts
  double alpha = 0.05;
};

// Of `checks` with nothing changed, and of as many with the first op 10 % slower.
struct Counts {
  size_t checks = 0;
  size_t false_alarms = 0;    // anything regressed although nothing changed
  size_t idle_suspects = 0;   // nothing regressed but something suspect, although nothing changed
  size_t found = 0;           // the slower op regressed
  size_t only_suspect = 0;    // the slower op suspect
  size_t wrongly_named = 0;   // another op regressed beside it
  size_t other_verdicts = 0;  // of either kind: decided again, with the runs in another order, it came out otherwise
  size_t runs_needed = 0;     // a side, as the comparison says beforehand
};

Counts Simulate(const Cell& cell, size_t checks, uint64_t seed);

// The cells of docs/statistics.md, and those that show what a two-sided test would do.
std::vector<Cell> RuleCells();
std::vector<Cell> TwoSidedCells();
std::string MarkdownTable(const std::vector<Cell>& cells, size_t checks, uint64_t seed);

}  // namespace tfprof::verdicts
