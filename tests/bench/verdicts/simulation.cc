#include "bench/verdicts/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include "bench/verdicts/random.h"

namespace tfprof::verdicts {
namespace {

using compare::RunProfile;
using compare::Verdict;
using Runs = std::vector<RunProfile>;

constexpr size_t kSteps = 100;
constexpr double kStepPs = 1e11;
constexpr double kFirstShare = 0.05;
constexpr double kSlower = 0.10;

std::string OpName(size_t op) { return fmt::format("op{:02}", op); }

std::vector<double> OpTimes(size_t ops) {
  std::vector<double> times(ops, kStepPs * (1 - kFirstShare) / static_cast<double>(ops - 1));
  times[0] = kStepPs * kFirstShare;
  return times;
}

double RunFactor(const World& world, Random* random) {
  const double noise = world.heavy_tails ? random->StudentT3() : random->Normal();
  return std::max(0.2, 1 + world.run_noise * noise);
}

double StepFactor(const World& world, Random* random) {
  const double factor = std::max(0.2, 1 + world.step_noise * random->Normal());
  return world.heavy_tails && random->Uniform() < 0.02 ? 3 * factor : factor;
}

// `times`: of the ops in a step of this run, without step noise.
RunProfile SimulatedRun(const std::vector<double>& times, const World& world, Random* random) {
  std::vector<double> step_times(kSteps, 0);
  std::vector<double> of_op(kSteps);
  RunProfile run;
  for (size_t op = 0; op < times.size(); ++op) {
    for (size_t step = 0; step < kSteps; ++step) {
      of_op[step] = times[op] * StepFactor(world, random);
      step_times[step] += of_op[step];
    }
    compare::OpFigures figures;
    figures.key = {trace::Side::kHost, "Op", OpName(op)};
    figures.occurrences = kSteps;
    figures.self_per_step_ps = compare::Median(of_op);
    figures.occurrences_per_step = 1;
    run.ops.push_back(std::move(figures));
  }
  run.steps.emplace();
  run.steps->count = kSteps;
  run.steps->median_ps = compare::Median(step_times);
  return run;
}

std::vector<double> RandomWalk(size_t days, double per_day, Random* random) {
  std::vector<double> levels(days, 1);
  for (size_t day = 1; day < days; ++day) levels[day] = levels[day - 1] * (1 + per_day * random->Normal());
  return levels;
}

struct Sides {
  Runs base, next;
};

Sides SimulatedSides(const Cell& cell, double slower, Random* random) {
  const World& world = Worlds()[cell.world];
  const size_t runs = cell.base_runs + cell.next_runs;
  const std::vector<double> levels = RandomWalk(runs, world.drift_per_day, random);
  const size_t bad = random->Below(runs);
  Sides sides;
  for (size_t r = 0; r < runs; ++r) {
    const bool is_next = r >= cell.base_runs;
    const size_t day = is_next && world.interleaved ? r - cell.base_runs : r;
    double all = levels[day] * std::max(0.2, 1 + world.shared_run_noise * random->Normal());
    if (r == bad) all *= 1 + world.bad_run;
    std::vector<double> times = OpTimes(cell.gated);
    for (double& time : times) time *= all * RunFactor(world, random);
    if (is_next) times[0] *= 1 + slower;
    (is_next ? sides.next : sides.base).push_back(SimulatedRun(times, world, random));
  }
  return sides;
}

struct Named {
  size_t runs_needed = 0;
  bool step = false, first = false, other = false;  // regressed
  bool suspect = false, first_suspect = false;
  bool operator==(const Named&) const = default;
};

Named Decided(const Sides& sides, const compare::CompareOptions& options) {
  Result<compare::Comparison> comparison = compare::Compare(sides.base, sides.next, options);
  if (!comparison) throw std::runtime_error(comparison.error().message);
  Named named;
  named.runs_needed = comparison->runs_needed;
  named.step = comparison->step_time->verdict == Verdict::kRegressed;
  named.suspect = comparison->step_time->verdict == Verdict::kSuspect;
  const std::string first = OpName(0);
  for (const compare::ChangeRow& row : comparison->rows) {
    const bool is_first = row.key.op_name == first;
    if (row.self.verdict == Verdict::kRegressed) (is_first ? named.first : named.other) = true;
    if (row.self.verdict != Verdict::kSuspect) continue;
    named.suspect = true;
    named.first_suspect = named.first_suspect || is_first;
  }
  return named;
}

// Decided twice, the second time with the runs of both sides in another order.
Named DecidedTwice(Sides sides, const Cell& cell, Random* random, Counts* counts) {
  compare::CompareOptions options;
  options.alpha = cell.alpha;
  const Named named = Decided(sides, options);
  for (Runs* side : {&sides.base, &sides.next}) {
    for (size_t i = side->size(); i > 1; --i) std::swap((*side)[i - 1], (*side)[random->Below(i)]);
  }
  counts->other_verdicts += !(Decided(sides, options) == named);
  return named;
}

std::string Percent(size_t part, size_t whole) {
  return fmt::format("{:.2f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

const std::vector<World>& Worlds() {
  static const std::vector<World> worlds = {
      {.name = "run noise of each op"},
      {.name = "run noise of all ops alike", .run_noise = 0, .shared_run_noise = 0.02},
      {.name = "heavy tails", .heavy_tails = true},
      {.name = "drift, sides interleaved", .drift_per_day = 0.005},
      {.name = "drift, base before new", .drift_per_day = 0.005, .interleaved = false},
      {.name = "one bad run", .bad_run = 0.3},
  };
  return worlds;
}

Counts Simulate(const Cell& cell, size_t checks, uint64_t seed) {
  Counts counts;
  counts.checks = checks;
  for (size_t check = 0; check < checks; ++check) {
    Random random(seed, check);
    const Named unchanged = DecidedTwice(SimulatedSides(cell, 0, &random), cell, &random, &counts);
    const bool alarm = unchanged.step || unchanged.first || unchanged.other;
    counts.false_alarms += alarm;
    counts.idle_suspects += !alarm && unchanged.suspect;
    const Named slower = DecidedTwice(SimulatedSides(cell, kSlower, &random), cell, &random, &counts);
    counts.found += slower.first;
    counts.only_suspect += slower.first_suspect;
    counts.wrongly_named += slower.other;
    counts.runs_needed = slower.runs_needed;
  }
  return counts;
}

std::vector<Cell> RuleCells() {
  std::vector<Cell> cells;
  for (size_t world = 0; world < Worlds().size(); ++world) {
    cells.push_back({world, 5, 5, 6});
    cells.push_back({world, 7, 7, 40});
    cells.push_back({world, 10, 10, 40});
  }
  for (const auto& [base, next, gated] :
       {std::array<size_t, 3>{1, 1, 40}, {10, 1, 40}, {3, 3, 6}, {4, 4, 6}, {5, 5, 40}, {6, 6, 40}}) {
    cells.push_back({0, base, next, gated});
  }
  return cells;
}

std::vector<Cell> TwoSidedCells() {
  return {{0, 5, 5, 6, 0.025}, {1, 5, 5, 6, 0.025}, {0, 7, 7, 40, 0.025}, {1, 7, 7, 40, 0.025}};
}

std::string MarkdownTable(const std::vector<Cell>& cells, size_t checks, uint64_t seed) {
  std::string table =
      "| noise | runs | gated ops | needs | false alarms | suspect, nothing changed | found | suspect | wrongly named "
      "| "
      "other verdict |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Cell& cell : cells) {
    const Counts counts = Simulate(cell, checks, seed);
    table += fmt::format("| {} | {}+{} | {} | {} | {} | {} | {} | {} | {} | {} |\n", Worlds()[cell.world].name,
                         cell.base_runs, cell.next_runs, cell.gated, counts.runs_needed,
                         Percent(counts.false_alarms, checks), Percent(counts.idle_suspects, checks),
                         Percent(counts.found, checks), Percent(counts.only_suspect, checks),
                         Percent(counts.wrongly_named, checks), counts.other_verdicts);
  }
  return table;
}

}  // namespace tfprof::verdicts
