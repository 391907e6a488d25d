#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "input/stream.h"

namespace tfprof::input {
namespace {

class AheadStream : public ByteStream {
 public:
  explicit AheadStream(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)), thread_([this] { Run(); }) {}
  ~AheadStream() override {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  AheadStream(const AheadStream&) = delete;
  AheadStream& operator=(const AheadStream&) = delete;

  Result<std::string_view> Next() override {
    std::unique_lock lock(mutex_);
    if (holding_) {
      ++taken_;
      changed_.notify_all();
    }
    changed_.wait(lock, [this] { return filled_ > taken_; });
    const Chunk& chunk = chunks_[taken_ % kChunks];
    holding_ = !chunk.last();  // the last one stays: it is given again whenever it is asked for
    diagnostics_ = chunk.diagnostics;
    if (chunk.error) return *chunk.error;
    return std::string_view(chunk.bytes.data(), chunk.bytes.size());
  }
  const Diagnostics& diagnostics() const override { return diagnostics_; }

 private:
  static constexpr size_t kChunks = 3;

  struct Chunk {
    std::vector<char> bytes;
    std::optional<Error> error;
    Diagnostics diagnostics;  // of all bytes up to here
    bool last() const { return error || bytes.empty(); }
  };

  void Run() {
    for (bool more = true; more;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return filled_ - taken_ < kChunks || stopped_; });
        if (stopped_) return;
      }
      Chunk& chunk = chunks_[filled_ % kChunks];  // only this thread changes filled_
      if (Result<std::string_view> bytes = stream_->Next()) {
        chunk.bytes.assign(bytes->begin(), bytes->end());
      } else {
        chunk.error = bytes.error();
      }
      chunk.diagnostics = stream_->diagnostics();
      more = !chunk.last();
      const std::lock_guard lock(mutex_);
      ++filled_;
      changed_.notify_all();
    }
  }

  std::unique_ptr<ByteStream> stream_;
  std::array<Chunk, kChunks> chunks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t filled_ = 0, taken_ = 0;  // chunks ever; under the mutex
  bool holding_ = false;             // the reader still uses chunk `taken_`
  bool stopped_ = false;
  Diagnostics diagnostics_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<ByteStream> MakeAheadStream(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<AheadStream>(std::move(stream));
}

}  // namespace tfprof::input
