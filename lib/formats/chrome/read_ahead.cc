#include "formats/chrome/read_ahead.h"

namespace tfprof::chrome {

ReadAhead::ReadAhead(const TextPieces& pieces, EventScanner* scanner)
    : pieces_(pieces), scanner_(*scanner), ring_(kBlocks), thread_([this] { Run(); }) {}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

const EventBlock* ReadAhead::Next() {
  std::unique_lock lock(mutex_);
  if (holding_) {
    ++taken_;
    // A scanner that waits is woken when there is something to do for a while, not for every block.
    if (filled_ - taken_ <= kBlocks / 2) changed_.notify_all();
  }
  changed_.wait(lock, [this] { return filled_ > taken_ || over_; });
  holding_ = filled_ > taken_;
  return holding_ ? &ring_[taken_ % kBlocks] : nullptr;
}

void ReadAhead::Run() {
  Status status = ScanPieces();
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
  over_ = true;
  changed_.notify_all();
}

Status ReadAhead::ScanPieces() {
  for (;;) {
    Result<std::string_view> piece = pieces_.next();
    if (!piece) return piece.error();
    if (piece->empty()) break;
    scanner_.Feed(*piece);
    if (!HandOver() || !WaitForFree(kBlocks)) return kOk;
    if (pieces_.on_done) pieces_.on_done(*piece);
  }
  scanner_.Finish();
  HandOver();
  return kOk;
}

// Waits until that many blocks are free. False: stopped.
bool ReadAhead::WaitForFree(size_t blocks) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return kBlocks - (filled_ - taken_) >= blocks || stopped_; });
  return !stopped_;
}

bool ReadAhead::HandOver() {
  for (;;) {
    if (!WaitForFree(1)) return false;
    EventBlock& block = ring_[filled_ % kBlocks];  // only this thread changes filled_
    size_t size = 0;
    while (size < EventBlock::kMostEvents && scanner_.Next(&block.events[size]) == EventScanner::Step::kEvent) ++size;
    if (size == 0) return true;
    block.size = size;
    block.top = scanner_.top_level();
    {
      const std::lock_guard lock(mutex_);
      ++filled_;
    }
    changed_.notify_all();
    if (size < EventBlock::kMostEvents) return true;
  }
}

}  // namespace tfprof::chrome
