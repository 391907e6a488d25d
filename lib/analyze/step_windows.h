// Which moments of a lane belong to which step.
//
// On the host a step is what lies between its markers; where those of several steps overlap, a moment belongs to the
// one that began last. On a GPU whose events tell their groups, each event belongs whole to the step that launched it,
// however late it ran: `StepRuns` notes for each stream where neighbours of another group begin. On a TPU the plane's
// own `Steps` line tells. Times are picoseconds from the file's base.
//
// Where only some steps are asked for, their pieces of a lane move together (`LaneSteps::Clip`): what lies between them
// is no time of the answer, so it is neither busy nor idle.
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
  uint64_t gaps_ps = 0;  // between all pieces up to this one, modulo 2^64; after StepWindows::Keep
};

// The pieces of a lane, in order, apart from each other.
struct LaneSteps {
  bool whole_events = false;  // an event belongs to the step in which it begins, with all its time
  std::vector<StepPiece> pieces;

  // The first piece that ends behind a moment; pieces.size(): there is none.
  size_t After(int64_t at_ps) const;
  // The piece in which an event begins; an instant at the end of one lies in it, unless the next one begins there.
  // Null: none.
  const StepPiece* PieceOf(int64_t start_ps, int64_t end_ps) const;
  // Likewise the step; kNoStep: none.
  uint32_t StepOf(int64_t start_ps, int64_t end_ps) const;
  // What of an event lies in the pieces, as if these adjoined each other; events that belong whole to a step stay as
  // they are. False: nothing.
  bool Clip(int64_t* start_ps, int64_t* end_ps) const;
};

// Of one file.
class StepWindows {
 public:
  const LaneSteps& Of(const trace::LaneInfo& lane) const;
  const LaneSteps& host() const { return host_; }
  // Of the `Steps` line of a TPU's plane; null: it has none.
  const LaneSteps* OfTpu(std::string_view plane) const;
  // GPUs tell the groups of their events: these say which step an event belongs to.
  bool told_by_groups() const { return told_by_groups_; }
  bool HasGroup(int64_t group) const { return groups_.contains(group); }
  void Shift(int64_t by_ps);
  // Only these steps; the others are no steps any more.
  void Keep(const std::vector<bool>& steps);

 private:
  friend class StepRuns;
  LaneSteps host_;
  std::map<std::string, LaneSteps, std::less<>> lanes_;
  bool told_by_groups_ = false;
  std::map<int64_t, uint32_t> groups_;  // the steps by group
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
