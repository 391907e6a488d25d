// A consumer on a thread of its own sees what it would have seen without.
#include "trace/pipelined_lane.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "support/recording_sink.h"

namespace tfprof::trace {
namespace {

using namespace tfprof::testing;

std::vector<SeenEvent> Batch(int number, size_t size) {
  std::vector<SeenEvent> events;
  for (size_t i = 0; i < size; ++i) {
    events.push_back({number * 10'000 + static_cast<int64_t>(i), number, static_cast<uint32_t>(i),
                      static_cast<uint8_t>(number % 8), number % 3 == 0 ? 7u : 1u});
  }
  return events;
}

TEST_CASE("all batches arrive in order, with flags, and with occurrences where they are told") {
  RecordingLane recorder;
  PipelinedLane lane(&recorder);
  std::vector<SeenEvent> all;
  std::vector<size_t> sizes;
  std::vector<bool> counted;
  for (int n = 0; n < 500; ++n) {  // several times the ring
    const size_t size = n % 5 == 0 ? EventBatch::kMaxEvents : static_cast<size_t>(n % 5);
    const std::vector<SeenEvent> batch = Batch(n, size);
    Push(batch, &lane);
    all.insert(all.end(), batch.begin(), batch.end());
    sizes.push_back(size);
    counted.push_back(n % 3 == 0);
  }
  lane.Close();
  CHECK(recorder.events == all);
  CHECK(recorder.batch_sizes == sizes);
  CHECK(recorder.counted == counted);
  CHECK(recorder.closed == 1);
}

TEST_CASE("events are taken on another thread, the lane is closed on the caller's") {
  RecordingLane recorder;
  PipelinedLane lane(&recorder);
  Push({{1, 2, 3}}, &lane);
  lane.Close();
  CHECK(recorder.added_on != std::this_thread::get_id());
  CHECK(recorder.closed_on == std::this_thread::get_id());
}

TEST_CASE("a lane without events is closed all the same") {
  RecordingLane recorder;
  PipelinedLane lane(&recorder);
  lane.Close();
  CHECK(recorder.events.empty());
  CHECK(recorder.closed == 1);
}

// Takes nothing until it is let.
struct HeldLane : RecordingLane {
  void Add(const EventBatch& batch) override {
    while (!released) std::this_thread::yield();
    RecordingLane::Add(batch);
  }
  std::atomic<bool> released{false};
};

TEST_CASE("a reader that is faster waits for room, and loses nothing") {
  HeldLane held;
  PipelinedLane lane(&held);
  std::atomic<int> pushed{0};
  constexpr int kBatches = 200;
  std::thread reader([&] {
    for (; pushed < kBatches; ++pushed) Push(Batch(pushed, 3), &lane);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(pushed < kBatches);
  held.released = true;
  reader.join();
  lane.Close();
  CHECK(held.events.size() == 3 * kBatches);
  CHECK(held.events.back() == Batch(kBatches - 1, 3).back());
}

TEST_CASE("a lane that is given up is emptied, not closed") {
  RecordingLane recorder;
  {
    PipelinedLane lane(&recorder);
    for (int n = 0; n < 100; ++n) Push(Batch(n, 2), &lane);
  }
  CHECK(recorder.events.size() == 200);
  CHECK(recorder.closed == 0);
}

}  // namespace
}  // namespace tfprof::trace
