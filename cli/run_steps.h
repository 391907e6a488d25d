// The steps of a run, found by a reading of their own (pipeline.cc), and where they lie in each of its files.
//
// With a choice (`--steps`, `--skip-steps`) only the chosen ones count for an answer: lanes are clipped to them, events
// of others are left out, and so are their rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/step_choice.h"
#include "analyze/step_windows.h"
#include "analyze/steps_result.h"

namespace tfprof::cli {

// Where in a file its steps lie, and which of the run's they are.
struct FileSteps {
  analyze::StepWindows all;
  analyze::StepWindows counted;   // the chosen ones; all, where nobody chose
  std::vector<uint32_t> numbers;  // of the file's steps among those of the run

  void Shift(int64_t by_ps) {
    all.Shift(by_ps);
    counted.Shift(by_ps);
  }
};

class RunSteps {
 public:
  RunSteps(analyze::StepsResult found, analyze::StepRuns runs, std::optional<analyze::StepChoice> choice);

  // Steps of several hosts are one (op_steps.h).
  const std::vector<analyze::StepTime>& times() const { return times_; }
  // How many count.
  uint64_t counted() const { return counted_; }
  FileSteps Of(uint32_t file) const;
  // The steps that count, as `steps` tells of them; `seen`: what a reading of their events alone found. Figures that
  // are of all work, not of single steps, come from there.
  analyze::StepsResult ResultOf(analyze::StepsResult seen) const;
  // Takes out the steps that don't count; what lies in them is in no step then, and not outside of steps either.
  void KeepCounted(analyze::OpStepsResult* op_steps) const;
  // A sentence about what was chosen.
  std::string Tell() const { return analyze::TellChoice(times_, chosen_); }

 private:
  analyze::StepsResult found_;
  analyze::StepRuns runs_;
  std::vector<uint32_t> numbers_;  // of found_.rows, in times_
  std::vector<analyze::StepTime> times_;
  std::vector<bool> chosen_;  // by step
  uint64_t counted_ = 0;
};

}  // namespace tfprof::cli
