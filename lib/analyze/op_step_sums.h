// Fills OpStepsResult (op_steps.h): a reducer over lanes, like OpTable.
//
// One per reading thread and file, which knows the steps of that file alone; `Merge` adds it to that of the run,
// `Finish` makes rows. Self times are those of the op table, cut at the edges of steps. Memory grows with ops × steps.
// An event without a place in time (EventBatch::kOutOfTime) is in no step. Sums are 128-bit until the end.
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

  // `numbers`: of the other's steps here.
  void Merge(const OpStepSums& other, const std::vector<uint32_t>& numbers);
  OpStepsResult Finish(std::vector<StepTime> steps) const;

 private:
  class Lane;
  struct Cell {
    int128 self_ps = 0;
    uint64_t occurrences = 0;
    void Add(const Cell& other);
  };
  using Cells = std::vector<Cell>;  // by step; the last: outside of all. Empty: it didn't run
  struct Plane {
    const trace::OpDictionary* ops = nullptr;
    Side side = Side::kHost;
    std::vector<Cells> cells;  // by op id
  };
  using Key = std::tuple<Side, std::string, std::string, std::string>;  // type, name, kernel

  Plane& PlaneOf(const trace::LaneInfo& info);

  const StepWindows* windows_;
  const size_t steps_;
  std::vector<std::unique_ptr<Plane>> planes_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> free_;
  std::map<Key, Cells> rows_;
};

}  // namespace tfprof::analyze
