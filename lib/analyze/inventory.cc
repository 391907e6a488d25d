#include "analyze/inventory.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "trace/event_stream.h"

namespace tfprof::analyze {

using trace::EventBatch;

struct Inventory::Lane : public trace::LaneConsumer {
  explicit Lane(Inventory* inventory) : owner(inventory) {}

  void Add(const EventBatch& batch) override {
    // Short loops over whole columns: this runs beside the op table on every event.
    uint64_t ops = 0;
    unsigned out_of_time = 0;
    for (size_t i = 0; i < batch.size; ++i) ops += batch.op[i] != trace::Op::kNone;
    for (size_t i = 0; i < batch.size; ++i) out_of_time |= batch.flags[i] & EventBatch::kOutOfTime;
    if (batch.occurrences != nullptr || out_of_time != 0) {
      AddOneByOne(batch);
      return;
    }
    to->events += batch.size;
    to->ops += ops;
    int64_t last = INT64_MIN;
#pragma GCC unroll 4
    for (size_t i = 0; i < batch.size; ++i) last = std::max(last, batch.start_ps[i] + batch.duration_ps[i]);
    if (batch.size > 0) Stretch(batch.start_ps[0], last);  // starts never decrease
  }
  void AddOneByOne(const EventBatch& batch) {
    for (size_t i = 0; i < batch.size; ++i) {
      const uint64_t occurrences = batch.occurrences == nullptr ? 1 : batch.occurrences[i];
      to->events += occurrences;
      if (batch.op[i] != trace::Op::kNone) to->ops += occurrences;
      if (batch.flags[i] & EventBatch::kOutOfTime) continue;
      Stretch(batch.start_ps[i], batch.start_ps[i] + batch.duration_ps[i]);
    }
  }
  void Stretch(int64_t first, int64_t last) {
    to->first_ps = to->timed ? std::min(to->first_ps, first) : first;
    to->last_ps = to->timed ? std::max(to->last_ps, last) : last;
    to->timed = true;
  }
  void Close() override { owner->free_.push_back(this); }

  Inventory* owner;
  LaneInventory* to = nullptr;
};

trace::LaneConsumer* Inventory::Open(const trace::LaneInfo& info) {
  Entry& entry = lanes_[{info.plane_index, info.lane_index}];
  entry.plane_name = info.plane;
  entry.lane.name = info.name;
  entry.lane.id = info.IdText();
  entry.lane.side = info.side;
  entry.lane.role = info.role;
  if (free_.empty()) {
    consumers_.push_back(std::make_shared<Lane>(this));
    free_.push_back(consumers_.back().get());
  }
  Lane* lane = free_.back();
  free_.pop_back();
  lane->to = &entry.lane;
  return lane;
}

void Inventory::Merge(Inventory&& other) { lanes_.merge(other.lanes_); }

std::vector<PlaneInventory> Inventory::Finish() && {
  std::vector<PlaneInventory> planes;
  uint32_t plane_index = 0;
  for (auto& [place, entry] : lanes_) {
    if (planes.empty() || place.plane != plane_index) {
      planes.push_back({std::move(entry.plane_name), {}});
      plane_index = place.plane;
    }
    planes.back().lanes.push_back(std::move(entry.lane));
  }
  return planes;
}

int64_t TraceStartOf(const std::vector<PlaneInventory>& planes) {
  std::optional<int64_t> start;
  for (const PlaneInventory& plane : planes) {
    for (const LaneInventory& lane : plane.lanes) {
      const bool has_ops = lane.role != trace::Role::kView && lane.role != trace::Role::kOther;
      if (has_ops && lane.timed) start = std::min(start.value_or(INT64_MAX), lane.first_ps);
    }
  }
  return start.value_or(0);
}

void CountFromStart(std::vector<PlaneInventory>* planes) {
  const int64_t start_ps = TraceStartOf(*planes);
  for (PlaneInventory& plane : *planes) {
    for (LaneInventory& lane : plane.lanes) {
      lane.first_ps = trace::FromTraceStart(lane.first_ps, start_ps);
      lane.last_ps = trace::FromTraceStart(lane.last_ps, start_ps);
    }
  }
}

}  // namespace tfprof::analyze
