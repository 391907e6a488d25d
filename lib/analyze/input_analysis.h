// Whether training waits for input: the verdict over its steps, and the ops of the input pipeline.
//
// Reads the results of `steps` and `ops`. Compat: XProf's classes and sentences, word for word. Strict: the same
// thresholds for input, and sentences that say no more than the numbers do. Reference: other_tools.md §4, §10.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/ops_result.h"
#include "analyze/steps_result.h"

namespace tfprof::analyze {

// What of a file tells how long a part took: where it is missing the part is unknown, not 0.
enum class ToldBy : uint8_t { kHost, kDevice, kNobody };

// A column of `steps` that holds part of a step's time.
struct StepColumn {
  std::string_view id;     // JSON field
  std::string_view label;  // for people
  ToldBy told_by;
  uint64_t (*ps)(const StepRow& row);
};
const std::vector<StepColumn>& StepColumns();

// Shares of the step time of all rows, in percent; 0 where there is no step.
struct StepShares {
  double total_ms = 0;
  double input = 0, output = 0, kernel_launch = 0, other = 0, collectives = 0;
};
StepShares SharesOf(const StepsResult& steps);

// "high", "moderate" or "no", and what to say of it ("" for "no").
struct Level {
  std::string_view level = "no";
  std::string statement;
};

struct InputVerdict {
  std::string_view bottleneck = "unknown";  // "host": input; "both"; "device": not input; "unknown": no steps
  std::string statement;
  Level kernel_launch, other, collectives;
};
// `uses_tf_data`: InputOps::uses_tf_data().
InputVerdict JudgeInput(const StepsResult& steps, bool uses_tf_data);

struct InputOp {
  const OpsRow* op = nullptr;
  double total_fraction = 0, self_fraction = 0;  // of the self time of all input ops
  std::string_view category;
};
struct InputOps {
  std::vector<InputOp> ops;
  // Where the host's time for input goes, in microseconds.
  double enqueue_us = 0, demanded_file_read_us = 0, advanced_file_read_us = 0, preprocessing_us = 0;
  double unclassified_non_enqueue_us = 0;

  bool uses_tf_data() const { return demanded_file_read_us > 0 || advanced_file_read_us > 0 || preprocessing_us > 0; }
};
// Refers to the rows of `ops`.
InputOps FindInputOps(const OpsResult& ops, const StepsResult& steps);

}  // namespace tfprof::analyze
