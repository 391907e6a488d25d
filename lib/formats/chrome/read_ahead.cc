#include "formats/chrome/read_ahead.h"

namespace tfprof::chrome {

ReadAhead::ReadAhead(const TextPieces& pieces, EventScanner* scanner)
    : pieces_(pieces), scanner_(*scanner), ring_(kBlocks), thread_([this] { Run(); }) {}

ReadAhead::~ReadAhead() {
  stopped_ = true;
  Wake();
  thread_.join();
}

// Waits for `ready`, at first awake: to sleep and be woken costs more than a block, and a thread that sleeps often is put
// beside the one that wakes it, on one core. Once asleep it waits for `worth`, which holds less often.
template <typename Ready, typename Worth>
void ReadAhead::WaitUntil(std::atomic<bool>* sleeps, Ready ready, Worth worth) {
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    if (ready()) return;
    std::this_thread::yield();
  }
  std::unique_lock lock(mutex_);
  *sleeps = true;
  changed_.wait(lock, worth);
  *sleeps = false;
}

void ReadAhead::Wake() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

const EventBlock* ReadAhead::Next() {
  if (holding_) {
    ++taken_;
    if (scanner_sleeps_ && filled_ - taken_ <= kBlocks - kWorth) Wake();
  }
  WaitUntil(
      &taker_sleeps_, [this] { return filled_ > taken_ || over_; },
      [this] {
        const uint64_t held = filled_ - taken_;
        return held >= kWorth || (flushing_ && held > 0) || over_;
      });
  holding_ = filled_ > taken_;
  return holding_ ? &ring_[taken_ % kBlocks] : nullptr;
}

void ReadAhead::Run() {
  status_ = ScanPieces();
  over_ = true;
  Wake();
}

Status ReadAhead::ScanPieces() {
  for (;;) {
    Result<std::string_view> piece = pieces_.next();
    if (!piece) return piece.error();
    if (piece->empty()) break;
    scanner_.Feed(*piece);
    if (!HandOver() || !Drain()) return kOk;
    if (pieces_.on_done) pieces_.on_done(*piece);
  }
  scanner_.Finish();
  HandOver();
  return kOk;
}

bool ReadAhead::Drain() {
  flushing_ = true;
  if (taker_sleeps_) Wake();
  const auto drained = [this] { return filled_ == taken_ || stopped_; };
  WaitUntil(&scanner_sleeps_, drained, drained);
  flushing_ = false;
  return !stopped_;
}

bool ReadAhead::HandOver() {
  TraceEvent event;
  for (;;) {
    WaitUntil(
        &scanner_sleeps_, [this] { return filled_ - taken_ < kBlocks || stopped_; },
        [this] { return filled_ - taken_ <= kBlocks - kWorth || stopped_; });
    if (stopped_) return false;
    EventBlock& block = ring_[filled_ % kBlocks];
    block.Clear();
    bool more = true;
    while (block.has_room() && (more = scanner_.Next(&event) == EventScanner::Step::kEvent)) block.Add(event);
    if (block.empty()) return true;
    block.top = scanner_.top_level();
    ++filled_;
    if (taker_sleeps_ && filled_ - taken_ >= kWorth) Wake();
    if (!more) return true;
  }
}

}  // namespace tfprof::chrome
