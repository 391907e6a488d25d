// How the events of one lane become counts and times of ops: the hot loop of the op table.
//
// `NestedLane` is for lanes whose ops nest (host threads, TPU `XLA Ops`), `StreamLane` for device streams, whose events
// don't. Both add to the records of the lane's plane and keep the lane's busy intervals; `OpTable` (op_table.h) owns them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyze/intervals.h"
#include "analyze/ops_result.h"
#include "analyze/quantile_sketch.h"
#include "analyze/self_time.h"
#include "analyze/step_windows.h"
#include "trace/lane.h"

namespace tfprof::analyze {

struct OpTableOptions {
  OpsBy by = OpsBy::kOp;
  bool distribution = false;
  // Events are clipped to [from, to); what lies outside isn't counted.
  int64_t from_ps = INT64_MIN, to_ps = INT64_MAX;
  // Likewise to these steps of the file, which then adjoin each other (step_windows.h); null: to none.
  const StepWindows* steps = nullptr;
  // The file that the lanes are of: files have clocks of their own, so their spans are added, not joined.
  uint32_t file = 0;

  bool clips() const { return from_ps != INT64_MIN || to_ps != INT64_MAX || steps != nullptr; }
};

// What is known of one op (on a device: of one kernel of an op).
struct OpRecord {
  int128 total_ps = 0;
  int128 self_ps = 0;
  uint64_t occurrences = 0;
  bool eager = false;
  std::unique_ptr<QuantileSketch> durations;  // when a distribution is wanted

  void Add(const OpRecord& other);
};

// The records of one dictionary's ops, indexed by op id.
struct PlaneRecords {
  const trace::OpDictionary* ops = nullptr;
  std::vector<OpRecord> records;
  std::vector<uint32_t> touched;       // ids of records that are not empty
  std::vector<uint32_t> cover_groups;  // by op id; ops of one group share a total (the union of their intervals)
  std::function<uint32_t(uint32_t op)> cover_group_of;

  // Makes room for ops added to the dictionary since the last call.
  void Grow();
};

// A lane's share of the totals, and what was odd on it.
struct LaneTotals {
  IntervalList busy;
  int128 unattributed_ps = 0;  // of events flagged so (EventBatch::kUnattributed)
  uint64_t left_out = 0;   // occurrences that a selection can't place, since they have no place in time
  uint64_t overlaps = 0;   // pairs of events that overlap partly
  uint64_t overruns = 0;   // events on a stream that cover the starts of two or more later ones
  int64_t first_overlap_ps = 0, first_overrun_ps = 0;
  bool any_op = false;
};

class OpLane : public trace::LaneConsumer {
 public:
  using OnClose = std::function<void(OpLane*)>;

  explicit OpLane(const OpTableOptions& options, OnClose on_close) : options_(options), on_close_(std::move(on_close)) {}
  void Reset(const trace::LaneInfo& info, PlaneRecords* plane);
  void Close() override { on_close_(this); }

  const trace::LaneInfo& info() const { return info_; }
  PlaneRecords& plane() { return *plane_; }
  LaneTotals& totals() { return totals_; }
  // Ends what is open on the lane; called once before totals() are read.
  virtual void Finish() = 0;

 protected:
  // Counts an event without a place in time (EventBatch::kOutOfTime).
  void AddUntimed(uint32_t op, uint8_t flags, uint64_t occurrences, int64_t duration_ps);
  static void NoteDuration(OpRecord* record, uint64_t occurrences, int64_t duration_ps);
  // Applies --time and --steps. False: the event lies outside.
  bool Clip(int64_t* start_ps, int64_t* end_ps) const;

  const OpTableOptions& options_;
  OnClose on_close_;
  trace::LaneInfo info_;
  PlaneRecords* plane_ = nullptr;
  const LaneSteps* steps_ = nullptr;  // of the lane, if options_ has steps
  LaneTotals totals_;
};

class NestedLane : public OpLane {
 public:
  using OpLane::OpLane;
  void Add(const trace::EventBatch& batch) override;
  void Finish() override;

 private:
  // An op's part of this lane, 32 bytes so that the records of a thousand ops stay in the first-level cache. Sums fit: on
  // a lane both are at most its union.
  struct LaneRecord {
    uint64_t total_ps = 0;
    uint64_t self_ps = 0;
    int64_t until_ps = INT64_MIN;  // up to where the total reaches (by op)
    uint32_t occurrences = 0;
    bool eager = false;
  };
  // How much of [start, end) no earlier event of the op (or its cover group) covers; `until_ps` is moved on.
  static uint64_t NewlyCovered(int64_t start_ps, int64_t end_ps, int64_t* until_ps) {
    const int64_t from = std::max(start_ps, *until_ps);
    const int64_t until = std::max(end_ps, *until_ps);
    *until_ps = until;
    return end_ps > from ? static_cast<uint64_t>(end_ps) - static_cast<uint64_t>(from) : 0;
  }
  LaneRecord* RecordOf(uint32_t op) { return &records_[op + 1]; }  // of kUnowned the first one
  void AddPlain(const trace::EventBatch& batch);
  void AddAny(const trace::EventBatch& batch);
  void HandOverOccurrences(uint32_t op);

  SelfTimeStack stack_;
  std::vector<LaneRecord> records_;   // that of nobody (kUnowned), then by op id
  std::vector<uint32_t> touched_;
  uint64_t counted_ = 0;              // events since the last time that all occurrences were handed over
  std::vector<int64_t> group_until_;  // by cover group, where there are any
};

class StreamLane : public OpLane {
 public:
  using OpLane::OpLane;
  void Add(const trace::EventBatch& batch) override;
  void Finish() override;

 private:
  // An op's part of this lane, small for the first-level cache; total and self time are the same here.
  struct LaneRecord {
    uint64_t total_ps = 0;
    uint32_t occurrences = 0;
    bool eager = false;

    // It must be handed over before one more is added.
    bool IsFull() const { return total_ps >> 63 != 0 || occurrences == UINT32_MAX; }
  };
  using Span = IntervalList::Interval;
  void AddPlain(const trace::EventBatch& batch);
  void AddAny(const trace::EventBatch& batch);
  void NoteOverlap(Span event);
  void HandOver(uint32_t op);

  std::vector<LaneRecord> records_;  // by op id
  std::vector<uint32_t> touched_;
  static constexpr Span kNone{INT64_MIN, INT64_MIN};
  Span last_ = kNone;       // the event before this one
  Span farthest_ = kNone;   // the event that reaches farthest so far
  int covered_starts_ = 0;  // starts of later events inside that
};

}  // namespace tfprof::analyze
