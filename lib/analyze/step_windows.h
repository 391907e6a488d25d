// Which moments of a lane belong to which step.
//
// On the host a step is what lies between its markers; where those of several steps overlap, a moment belongs to the
// one that began last. On a GPU whose events tell their groups, each event belongs whole to the step that launched it,
// however late it ran: `StepRuns` notes for each stream where neighbours of another group begin. On a TPU the plane's
// own `Steps` line tells. Times are picoseconds from the file's base.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/op_steps.h"
#include "analyze/steps_result.h"
#include "trace/event_stream.h"
#include "trace/lane.h"

namespace tfprof::analyze {

inline constexpr uint32_t kNoStep = UINT32_MAX;

struct StepPiece {
  int64_t from_ps = 0, to_ps = 0;
  uint32_t step = kNoStep;
};

// The pieces of a lane, in order, apart from each other.
struct LaneSteps {
  bool whole_events = false;  // an event belongs to the step in which it begins, with all its time
  std::vector<StepPiece> pieces;

  // The first piece that ends behind a moment; pieces.size(): there is none.
  size_t After(int64_t at_ps) const;
  uint32_t At(int64_t at_ps) const;
};

// Of one file.
class StepWindows {
 public:
  const LaneSteps& Of(const trace::LaneInfo& lane) const;
  void Shift(int64_t by_ps);

 private:
  friend class StepRuns;
  LaneSteps host_;
  std::map<std::string, LaneSteps, std::less<>> lanes_;
};

// Reads what devices tell of groups. A reducer over files.
class StepRuns : public trace::EventSink {
 public:
  std::vector<trace::EventStat> Stats(const trace::StreamPlane&) const override { return {}; }
  void BeginFile(const trace::StreamFile& file) override;
  bool BeginPlane(const trace::StreamPlane& plane) override;
  uint32_t Classify(std::string_view) override { return 1; }
  bool BeginLine(const trace::StreamLine& line) override;
  void Add(const trace::StreamEvent& event, uint32_t kind) override;
  void EndLine() override;

  void Merge(StepRuns&& other);

  // The windows of a file, by its index: `rows` are all steps of the run; those of the file are counted from 0.
  StepWindows WindowsOf(uint32_t file, const std::vector<StepRow>& rows) const;

 private:
  struct Run {
    int64_t from_ps = 0, to_ps = 0;
    int64_t group = trace::kNoEventGroup;
  };
  struct LaneRuns {
    bool whole_events = false;
    std::vector<Run> runs;  // of one line after the other, each by start
  };
  using FileRuns = std::map<std::string, LaneRuns>;
  static void SortAndJoin(bool whole_events, std::vector<Run>* runs);

  std::map<uint32_t, FileRuns> files_;
  FileRuns* file_ = nullptr;
  std::string plane_;
  bool tpu_ = false;
  LaneRuns* lane_ = nullptr;
  std::vector<Run> line_runs_;  // of the open line
};

// Steps of several hosts as one: the k-th of a name on each of them. `numbers` gets for each row which it is.
std::vector<StepTime> JoinSteps(const std::vector<StepRow>& rows, std::vector<uint32_t>* numbers);

}  // namespace tfprof::analyze
