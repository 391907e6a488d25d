// Fills OpStepsResult (op_steps.h): a reducer over lanes, like OpTable.
//
// One per reading thread and file, all with the same list of steps; `Merge` adds another one's, `Finish` makes rows.
// Self times are those of the op table, cut at the edges of steps. Memory grows with ops × steps. An event without a
// place in time (EventBatch::kOutOfTime) is in no step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "analyze/op_steps.h"
#include "analyze/step_windows.h"
#include "trace/lane.h"

namespace tfprof::analyze {

class OpStepSums : public trace::Sink {
 public:
  // `windows` of the file whose lanes come; null: none come, others are merged into it.
  OpStepSums(const StepWindows* windows, size_t steps);
  OpStepSums(const OpStepSums&) = delete;  // lanes point back here
  OpStepSums& operator=(const OpStepSums&) = delete;
  ~OpStepSums() override;

  trace::LaneConsumer* Open(const trace::LaneInfo& info) override;
  void EndPlane(const trace::OpDictionary& ops) override;

  void Merge(const OpStepSums& other);
  OpStepsResult Finish(std::vector<StepTime> steps) const;

 private:
  class Lane;
  struct Cell {
    int64_t self_ps = 0, occurrences = 0;
  };
  using Cells = std::vector<Cell>;  // by step; the last: outside of all. Empty: it didn't run
  struct Plane {
    const trace::OpDictionary* ops = nullptr;
    Side side = Side::kHost;
    std::vector<Cells> cells;  // by op id
  };
  using Key = std::tuple<Side, std::string, std::string, std::string>;  // type, name, kernel

  Plane& PlaneOf(const trace::LaneInfo& info);
  static void Add(const Cells& from, Cells* to);

  const StepWindows* windows_;
  const size_t steps_;
  std::vector<std::unique_ptr<Plane>> planes_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> free_;
  std::map<Key, Cells> rows_;
};

}  // namespace tfprof::analyze
