#include "analyze/op_lanes.h"

#include <algorithm>
#include <utility>

#include "base/count.h"

namespace tfprof::analyze {

using trace::EventBatch;
using trace::Op;

namespace {

constexpr size_t kBlock = 256;  // events whose intervals stay in the first-level cache

bool AnyFlag(const EventBatch& batch) {
  unsigned flags = 0;
  for (size_t i = 0; i < batch.size; ++i) flags |= batch.flags[i];
  return flags != 0;
}

}  // namespace

void OpRecord::Add(const OpRecord& other) {
  total_ps += other.total_ps;
  self_ps += other.self_ps;
  AddCount(other.occurrences, &occurrences);
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
  steps_ = options_.steps == nullptr ? nullptr : &options_.steps->Of(info);
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
  return steps_ == nullptr || steps_->Clip(start_ps, end_ps);
}

// Only the row knows of it: it has no place in time that could lie in a window, nest or be busy.
void OpLane::AddUntimed(uint32_t op, uint8_t flags, uint64_t occurrences, int64_t duration_ps) {
  totals_.any_op = true;
  if (options_.clips()) {
    AddCount(occurrences, &totals_.left_out);
    return;
  }
  OpRecord& record = plane_->records[op];
  if (record.occurrences == 0) plane_->touched.push_back(op);
  AddCount(occurrences, &record.occurrences);
  record.total_ps += duration_ps;
  record.self_ps += duration_ps;
  record.eager |= (flags & EventBatch::kEager) != 0;
  // Of an aggregate only the sum is known.
  if (options_.distribution) NoteDuration(&record, occurrences, duration_ps / std::max<int64_t>(1, static_cast<int64_t>(occurrences)));
  if (flags & EventBatch::kUnattributed) totals_.unattributed_ps += duration_ps;
}

void NestedLane::Add(const EventBatch& batch) {
  plane_->Grow();
  if (records_.size() <= plane_->records.size()) records_.resize(plane_->records.size() + 1);
  counted_ += batch.size;
  if (counted_ > UINT32_MAX) [[unlikely]] {
    for (const uint32_t op : touched_) HandOverOccurrences(op);
    counted_ = batch.size;
  }
  if (plane_->cover_groups.empty() && !options_.clips() && !options_.distribution && !AnyFlag(batch) &&
      (batch.size == 0 || batch.start_ps[batch.size - 1] != INT64_MAX)) {
    AddPlain(batch);
  } else {
    group_until_.resize(plane_->records.size(), INT64_MIN);  // there are at most as many groups as ops
    AddAny(batch);
  }
}

// Nothing was asked for but rows by op, and all events are ordinary ones. Instructions are what this costs, so the inner
// loop calls nothing and leaves what is rare, so that all it needs stays in registers.
void NestedLane::AddPlain(const EventBatch& batch) {
  LaneRecord* const records = records_.data();
  const auto credit = [records](uint32_t op, uint64_t self_ps) { records[op + 1].self_ps += self_ps; };
  IntervalList::Interval outermost[kBlock];  // of events that may make the lane's union longer
  for (size_t begin = 0; begin < batch.size; begin += kBlock) {
    const size_t n = std::min(batch.size - begin, kBlock);
    const int64_t* const starts = batch.start_ps + begin;
    const int64_t* const durations = batch.duration_ps + begin;
    const uint32_t* const ops = batch.op + begin;
    size_t found = 0;
    SelfTimeStack::Pusher stack(&stack_);
    stack.Reserve(n);
    for (size_t i = 0; i < n; ++i) {
      for (; i < n; ++i) {
        const uint32_t op = ops[i];
        if (op == Op::kNone) continue;
        const int64_t start = starts[i], duration = durations[i];
        const int64_t end = start + duration;
        LaneRecord& record = records[op + 1];
        bool within = false;
        if (record.occurrences == 0 || start < record.until_ps || !stack.PushInside(start, end, op, credit, &within)) {
          break;
        }
        ++record.occurrences;
        record.total_ps += static_cast<uint64_t>(duration);
        record.until_ps = end;
        outermost[found] = {start, end};
        found += !within;
      }
      if (i == n) break;
      // The first of its op, within another one of its op, or one that ends behind the event around it.
      const int64_t start = starts[i], end = start + durations[i];
      LaneRecord& record = records[ops[i] + 1];
      if (record.occurrences++ == 0) touched_.push_back(ops[i]);
      record.total_ps += NewlyCovered(start, end, &record.until_ps);
      outermost[found] = {start, end};
      found += !stack.Push(start, end, ops[i], credit);
    }
    totals_.busy.Add(outermost, found);
  }
}

void NestedLane::AddAny(const EventBatch& batch) {
  const auto credit = [this](uint32_t op, uint64_t self_ps) { RecordOf(op)->self_ps += self_ps; };
  const bool by_group = !plane_->cover_groups.empty();
  SelfTimeStack::Pusher stack(&stack_);
  for (size_t i = 0; i < batch.size; ++i) {
    const uint32_t op = batch.op[i];
    if (op == Op::kNone) continue;
    const uint8_t flags = batch.flags[i];
    int64_t start = batch.start_ps[i];
    int64_t end = start + batch.duration_ps[i];
    if (flags & EventBatch::kOutOfTime) [[unlikely]] {
      AddUntimed(op, flags, batch.occurrences == nullptr ? 1 : batch.occurrences[i], end - start);
      continue;
    }
    if (options_.clips() && !Clip(&start, &end)) {
      totals_.any_op = true;
      continue;
    }
    LaneRecord& record = *RecordOf(op);
    if (record.occurrences++ == 0) touched_.push_back(op);
    record.eager |= (flags & EventBatch::kEager) != 0;
    record.total_ps += NewlyCovered(start, end, by_group ? &group_until_[plane_->cover_groups[op]] : &record.until_ps);
    if (options_.distribution) NoteDuration(&plane_->records[op], 1, end - start);
    if (!stack.Push(start, end, op, credit)) totals_.busy.Add(start, end);
  }
}

void NestedLane::HandOverOccurrences(uint32_t op) {
  OpRecord& record = plane_->records[op];
  if (record.occurrences == 0) plane_->touched.push_back(op);
  AddCount(std::exchange(RecordOf(op)->occurrences, 0), &record.occurrences);
}

// Hands this lane's sums to the plane.
void NestedLane::Finish() {
  totals_.any_op |= !touched_.empty();
  totals_.overlaps = stack_.overlaps();
  totals_.first_overlap_ps = stack_.first_overlap_ps();
  stack_.Clear();
  counted_ = 0;
  for (const uint32_t op : touched_) {
    HandOverOccurrences(op);
    const LaneRecord mine = std::exchange(*RecordOf(op), LaneRecord());
    OpRecord& record = plane_->records[op];
    record.total_ps += mine.total_ps;
    record.self_ps += mine.self_ps;
    record.eager |= mine.eager;
  }
  touched_.clear();
  group_until_.clear();
}

void StreamLane::Add(const EventBatch& batch) {
  plane_->Grow();
  if (records_.size() < plane_->records.size()) records_.resize(plane_->records.size());
  if (options_.clips() || options_.distribution || AnyFlag(batch)) {
    AddAny(batch);
  } else {
    AddPlain(batch);
  }
}

// Nothing was asked for but rows by op, and all events are ordinary ones.
void StreamLane::AddPlain(const EventBatch& batch) {
  LaneRecord* const records = records_.data();
  Span spans[kBlock];
  Span farthest = farthest_;
  bool alone = false;  // farthest is the event before, which overlaps nothing: the members are behind
  const auto settle = [&] {
    if (std::exchange(alone, false)) {
      farthest_ = last_ = farthest;
      covered_starts_ = 0;
    }
  };
  for (size_t begin = 0; begin < batch.size; begin += kBlock) {
    const size_t n = std::min(batch.size - begin, kBlock);
    const int64_t* const starts = batch.start_ps + begin;
    const int64_t* const durations = batch.duration_ps + begin;
    const uint32_t* const ops = batch.op + begin;
    Span* next = spans;
    for (size_t i = 0; i < n; ++i) {
      const uint32_t op = ops[i];
      if (op == Op::kNone) continue;
      const int64_t start = starts[i];
      const int64_t end = start + durations[i];
      LaneRecord& record = records[op];
      if (record.occurrences++ == 0) touched_.push_back(op);
      record.total_ps += static_cast<uint64_t>(durations[i]);
      if (record.IsFull()) [[unlikely]]
        HandOver(op);
      if (start >= farthest.end_ps) [[likely]] {
        farthest = {start, end};
        alone = true;
      } else {
        settle();
        NoteOverlap({start, end});
        farthest = farthest_;
      }
      *next++ = {start, end};
    }
    totals_.busy.Add(spans, static_cast<size_t>(next - spans));
  }
  settle();
}

void StreamLane::AddAny(const EventBatch& batch) {
  for (size_t i = 0; i < batch.size; ++i) {
    const uint32_t op = batch.op[i];
    if (op == Op::kNone) continue;
    const uint8_t flags = batch.flags[i];
    int64_t start = batch.start_ps[i];
    int64_t end = start + batch.duration_ps[i];
    if (flags & EventBatch::kOutOfTime) [[unlikely]] {
      AddUntimed(op, flags, batch.occurrences == nullptr ? 1 : batch.occurrences[i], end - start);
      continue;
    }
    if (options_.clips() && !Clip(&start, &end)) {
      totals_.any_op = true;
      continue;
    }
    LaneRecord& record = records_[op];
    if (record.occurrences++ == 0) touched_.push_back(op);
    record.total_ps += static_cast<uint64_t>(end - start);
    record.eager |= (flags & EventBatch::kEager) != 0;
    if (record.IsFull()) [[unlikely]]
      HandOver(op);
    if (options_.distribution) NoteDuration(&plane_->records[op], 1, end - start);
    if (flags & EventBatch::kUnattributed) totals_.unattributed_ps += end - start;
    if (start >= farthest_.end_ps) [[likely]] {
      farthest_ = last_ = {start, end};
      covered_starts_ = 0;
    } else {
      NoteOverlap({start, end});
    }
    totals_.busy.Add(start, end);
  }
}

void StreamLane::NoteOverlap(Span event) {
  if (event.start_ps > last_.start_ps && event.start_ps < last_.end_ps && totals_.overlaps++ == 0) {
    totals_.first_overlap_ps = event.start_ps;
  }
  if (event.start_ps > farthest_.start_ps && ++covered_starts_ == 2 && totals_.overruns++ == 0) {
    totals_.first_overrun_ps = farthest_.start_ps;
  }
  if (event.end_ps > farthest_.end_ps) {
    farthest_ = event;
    covered_starts_ = 0;
  }
  last_ = event;
}

void StreamLane::HandOver(uint32_t op) {
  LaneRecord& mine = records_[op];
  OpRecord& record = plane_->records[op];
  if (record.occurrences == 0) plane_->touched.push_back(op);
  AddCount(mine.occurrences, &record.occurrences);
  record.total_ps += mine.total_ps;
  record.self_ps += mine.total_ps;
  record.eager |= mine.eager;
  mine = LaneRecord();
}

void StreamLane::Finish() {
  totals_.any_op |= !touched_.empty();
  for (const uint32_t op : touched_) HandOver(op);
  touched_.clear();
  last_ = farthest_ = kNone;
  covered_starts_ = 0;
}

}  // namespace tfprof::analyze
