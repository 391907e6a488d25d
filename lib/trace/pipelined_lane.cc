#include "trace/pipelined_lane.h"

#include <algorithm>

namespace tfprof::trace {

PipelinedLane::PipelinedLane(LaneConsumer* consumer)
    : consumer_(consumer), slots_(kSlots), thread_([this] { Consume(); }) {}

PipelinedLane::~PipelinedLane() { Stop(); }

void PipelinedLane::Add(const EventBatch& batch) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return filled_ - taken_ < kSlots; });
  }
  Slot& slot = slots_[filled_ % kSlots];
  slot.size = batch.size;
  std::copy_n(batch.start_ps, batch.size, slot.start_ps.data());
  std::copy_n(batch.duration_ps, batch.size, slot.duration_ps.data());
  std::copy_n(batch.op, batch.size, slot.op.data());
  std::copy_n(batch.flags, batch.size, slot.flags.data());
  slot.has_occurrences = batch.occurrences != nullptr;
  if (slot.has_occurrences) std::copy_n(batch.occurrences, batch.size, slot.occurrences.data());
  {
    const std::lock_guard lock(mutex_);
    ++filled_;
  }
  changed_.notify_all();
}

void PipelinedLane::Consume() {
  for (;;) {
    uint64_t until = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return filled_ > taken_ || closing_; });
      if (filled_ == taken_) return;
      until = filled_;
    }
    for (uint64_t n = taken_; n < until; ++n) {
      const Slot& slot = slots_[n % kSlots];
      consumer_->Add({slot.size, slot.start_ps.data(), slot.duration_ps.data(), slot.op.data(), slot.flags.data(),
                      slot.has_occurrences ? slot.occurrences.data() : nullptr});
      const std::lock_guard lock(mutex_);
      ++taken_;
      if (filled_ - taken_ == kSlots / 2) changed_.notify_all();  // wake a waiting reader, not for every slot
    }
    changed_.notify_all();
  }
}

void PipelinedLane::Stop() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void PipelinedLane::Close() {
  Stop();
  consumer_->Close();
}

}  // namespace tfprof::trace
