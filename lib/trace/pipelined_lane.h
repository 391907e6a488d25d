// Lets a lane's consumer work on a thread of its own, so that one giant lane uses two cores: one reads, one counts.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "trace/lane.h"

namespace tfprof::trace {

// Copies each batch into a ring of slots; the other thread gives them to `consumer` in order. Close() waits until all
// were taken and closes the consumer on the calling thread.
class PipelinedLane : public LaneConsumer {
 public:
  explicit PipelinedLane(LaneConsumer* consumer);
  ~PipelinedLane() override;
  void Add(const EventBatch& batch) override;
  void Close() override;

 private:
  static constexpr size_t kSlots = 64;
  struct Slot {
    size_t size = 0;
    bool has_occurrences = false;
    std::array<int64_t, EventBatch::kMaxEvents> start_ps, duration_ps;
    std::array<uint32_t, EventBatch::kMaxEvents> op;
    std::array<uint8_t, EventBatch::kMaxEvents> flags;
    std::array<uint64_t, EventBatch::kMaxEvents> occurrences;
  };

  void Consume();
  void Stop();

  LaneConsumer* consumer_;
  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t filled_ = 0, taken_ = 0;  // slots ever filled and taken
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace tfprof::trace
