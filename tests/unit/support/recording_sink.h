// A sink that keeps what a reader pushes, and columns of events to push into a consumer.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "trace/lane.h"

namespace tfprof::testing {

struct SeenEvent {
  int64_t start_ps = 0, duration_ps = 0;
  uint32_t op = 0;
  uint8_t flags = 0;
  uint64_t occurrences = 1;

  bool operator==(const SeenEvent&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const SeenEvent& e) {
    return out << e.start_ps << "+" << e.duration_ps << " op " << e.op << " flags " << int{e.flags} << " x" << e.occurrences;
  }
};

class RecordingLane : public trace::LaneConsumer {
 public:
  void Add(const trace::EventBatch& batch) override {
    batch_sizes.push_back(batch.size);
    counted.push_back(batch.occurrences != nullptr);
    for (size_t i = 0; i < batch.size; ++i) {
      events.push_back({batch.start_ps[i], batch.duration_ps[i], batch.op[i], batch.flags[i],
                        batch.occurrences == nullptr ? 1 : batch.occurrences[i]});
    }
    added_on = std::this_thread::get_id();
  }
  void Close() override {
    ++closed;
    closed_on = std::this_thread::get_id();
  }

  std::vector<SeenEvent> events;
  std::vector<size_t> batch_sizes;
  std::vector<bool> counted;  // by batch: it told occurrences
  int closed = 0;
  std::thread::id added_on, closed_on;
};

class RecordingSink : public trace::Sink {
 public:
  trace::LaneConsumer* Open(const trace::LaneInfo& info) override {
    if (!wants_lanes) return nullptr;
    names.emplace_back(info.name);
    lanes.push_back(std::make_unique<RecordingLane>());
    return lanes.back().get();
  }
  void EndPlane(const trace::OpDictionary& ops) override { ended.push_back(&ops); }

  bool wants_lanes = true;
  std::vector<std::string> names;  // of the lanes, as they were opened
  std::vector<std::unique_ptr<RecordingLane>> lanes;
  std::vector<const trace::OpDictionary*> ended;
};

// Gives the events to a consumer as one batch; occurrences are told only where there are any but 1.
inline void Push(const std::vector<SeenEvent>& events, trace::LaneConsumer* consumer) {
  std::vector<int64_t> start, duration;
  std::vector<uint32_t> op;
  std::vector<uint8_t> flags;
  std::vector<uint64_t> occurrences;
  bool counted = false;
  for (const SeenEvent& e : events) {
    start.push_back(e.start_ps);
    duration.push_back(e.duration_ps);
    op.push_back(e.op);
    flags.push_back(e.flags);
    occurrences.push_back(e.occurrences);
    counted = counted || e.occurrences != 1;
  }
  consumer->Add({events.size(), start.data(), duration.data(), op.data(), flags.data(),
                 counted ? occurrences.data() : nullptr});
}

}  // namespace tfprof::testing
