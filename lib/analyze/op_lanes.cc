#include "analyze/op_lanes.h"

#include <algorithm>

namespace tfprof::analyze {

using trace::EventBatch;
using trace::Op;

void OpRecord::Add(const OpRecord& other) {
  total_ps += other.total_ps;
  self_ps += other.self_ps;
  occurrences += other.occurrences;
  eager |= other.eager;
  if (other.durations == nullptr) return;
  if (durations == nullptr) durations = std::make_unique<QuantileSketch>();
  durations->Merge(*other.durations);
}

void PlaneRecords::Grow() {
  if (records.size() == ops->size()) return;
  const size_t known = records.size();
  records.resize(ops->size());
  if (!cover_group_of) return;
  cover_groups.resize(ops->size());
  for (size_t op = known; op < ops->size(); ++op) cover_groups[op] = cover_group_of(static_cast<uint32_t>(op));
}

void OpLane::Reset(const trace::LaneInfo& info, PlaneRecords* plane) {
  info_ = info;
  plane_ = plane;
  totals_ = LaneTotals();
}

void OpLane::NoteDuration(OpRecord* record, uint64_t occurrences, int64_t duration_ps) {
  if (record->durations == nullptr) record->durations = std::make_unique<QuantileSketch>();
  record->durations->Add(duration_ps, occurrences);
}

bool OpLane::Clip(int64_t* start_ps, int64_t* end_ps) const {
  if (*start_ps >= options_.to_ps || *end_ps < options_.from_ps) return false;
  // An event that only touches the window's start isn't inside it, an instant at the start is.
  if (*end_ps == options_.from_ps && *start_ps != *end_ps) return false;
  *start_ps = std::max(*start_ps, options_.from_ps);
  *end_ps = std::min(*end_ps, options_.to_ps);
  return true;
}

// Only the row knows of it: it has no place in time that could lie in a window, nest or be busy.
void NestedLane::AddUntimed(uint32_t op, uint8_t flags, uint64_t occurrences, int64_t duration_ps) {
  if (options_.clips()) return;
  OpRecord& record = Count(op, flags, occurrences, duration_ps);
  record.total_ps += duration_ps;
  record.self_ps += duration_ps;
}

void NestedLane::Add(const EventBatch& batch) {
  plane_->Grow();
  if (records_.size() < plane_->records.size()) records_.resize(plane_->records.size());
  const bool by_group = !plane_->cover_groups.empty();
  if (by_group) group_until_.resize(records_.size(), INT64_MIN);  // there are at most as many groups as ops
  const auto credit = [this](uint32_t op, uint64_t self_ps) { records_[op].self_ps += self_ps; };
  IntervalList::Appender busy(&totals_.busy);
  for (size_t i = 0; i < batch.size; ++i) {
    const uint32_t op = batch.op[i];
    if (op == Op::kNone) continue;
    const uint8_t flags = batch.flags[i];
    int64_t start = batch.start_ps[i];
    int64_t end = start + batch.duration_ps[i];
    totals_.any_op = true;
    if (flags & EventBatch::kOutOfTime) [[unlikely]] {
      AddUntimed(op, flags, batch.occurrences == nullptr ? 1 : batch.occurrences[i], end - start);
      continue;
    }
    if (options_.clips() && !Clip(&start, &end)) continue;
    LaneRecord& record = records_[op];
    if (record.occurrences == 0) touched_.push_back(op);
    if (++record.occurrences == UINT32_MAX) Flush();
    record.eager |= (flags & EventBatch::kEager) != 0;
    record.total_ps += NewlyCovered(start, end, by_group ? &group_until_[plane_->cover_groups[op]] : &record.until_ps);
    if (options_.distribution) NoteDuration(&plane_->records[op], 1, end - start);
    const uint64_t overlaps = stack_.overlaps();
    stack_.Push(start, end, op, credit);
    if (stack_.overlaps() != overlaps && totals_.overlaps++ == 0) totals_.first_overlap_ps = start;
    busy.Add(start, end);
  }
}

// Hands this lane's sums to the plane.
void NestedLane::Flush() {
  for (const uint32_t op : touched_) {
    LaneRecord& mine = records_[op];
    OpRecord& record = plane_->records[op];
    if (record.occurrences == 0) plane_->touched.push_back(op);
    record.occurrences += mine.occurrences;
    record.total_ps += mine.total_ps;
    record.self_ps += mine.self_ps;
    record.eager |= mine.eager;
    mine.total_ps = mine.self_ps = 0;
    mine.occurrences = 0;
  }
}

void NestedLane::Finish() {
  stack_.Finish([this](uint32_t op, uint64_t self_ps) { records_[op].self_ps += self_ps; });
  Flush();
  for (const uint32_t op : touched_) records_[op] = LaneRecord();
  touched_.clear();
  group_until_.clear();
}

void StreamLane::NoteOverlap(int64_t start_ps, int64_t end_ps) {
  if (any_) {
    if (start_ps > last_start_ps_ && start_ps < last_end_ps_ && totals_.overlaps++ == 0) {
      totals_.first_overlap_ps = start_ps;
    }
    if (start_ps > cover_start_ps_ && start_ps < cover_end_ps_) {
      if (++covered_starts_ == 2 && totals_.overruns++ == 0) totals_.first_overrun_ps = cover_start_ps_;
    }
  }
  if (!any_ || end_ps > cover_end_ps_) {
    cover_start_ps_ = start_ps;
    cover_end_ps_ = end_ps;
    covered_starts_ = 0;
  }
  any_ = true;
  last_start_ps_ = start_ps;
  last_end_ps_ = end_ps;
}

void StreamLane::Add(const EventBatch& batch) {
  plane_->Grow();
  IntervalList::Appender busy(&totals_.busy);
  for (size_t i = 0; i < batch.size; ++i) {
    const uint32_t op = batch.op[i];
    if (op == Op::kNone) continue;
    int64_t start = batch.start_ps[i];
    int64_t end = start + batch.duration_ps[i];
    const bool timed = (batch.flags[i] & EventBatch::kOutOfTime) == 0;
    totals_.any_op = true;
    if (options_.clips() && (!timed || !Clip(&start, &end))) continue;
    OpRecord& record =
        Count(op, batch.flags[i], batch.occurrences == nullptr ? 1 : batch.occurrences[i], end - start);
    record.total_ps += end - start;
    record.self_ps += end - start;
    if (batch.flags[i] & EventBatch::kUnattributed) totals_.unattributed_ps += end - start;
    if (!timed) continue;
    NoteOverlap(start, end);
    busy.Add(start, end);
  }
}

void StreamLane::Finish() {
  any_ = false;
  covered_starts_ = 0;
}

}  // namespace tfprof::analyze
