#include "analyze/inventory.h"

#include <algorithm>
#include <utility>

namespace tfprof::analyze {

using trace::EventBatch;

struct Inventory::Lane : public trace::LaneConsumer {
  explicit Lane(Inventory* inventory) : owner(inventory) {}

  void Add(const EventBatch& batch) override {
    for (size_t i = 0; i < batch.size; ++i) {
      const uint64_t occurrences = batch.occurrences == nullptr ? 1 : batch.occurrences[i];
      to->events += occurrences;
      if (batch.op[i] != trace::Op::kNone) to->ops += occurrences;
      if (batch.flags[i] & EventBatch::kOutOfTime) continue;
      const int64_t start = batch.start_ps[i];
      const int64_t end = start + batch.duration_ps[i];
      to->first_ps = to->timed ? std::min(to->first_ps, start) : start;
      to->last_ps = to->timed ? std::max(to->last_ps, end) : end;
      to->timed = true;
    }
  }
  void Close() override { owner->free_.push_back(this); }

  Inventory* owner;
  LaneInventory* to = nullptr;
};

trace::LaneConsumer* Inventory::Open(const trace::LaneInfo& info) {
  Entry& entry = lanes_[{info.plane_index, info.lane_index}];
  entry.plane_name = info.plane;
  entry.lane.name = info.name;
  entry.lane.id = info.id;
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

}  // namespace tfprof::analyze
