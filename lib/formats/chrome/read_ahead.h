// Scans a trace's text on a thread of its own, ahead of who takes the events.
//
// Events go over in blocks through a small ring. They point into the text: so the scanner waits at the end of each piece
// until all of them were taken, and pieces should be large. The order of events is that of the text, and what the top level
// told comes along with them, so that nothing depends on how far ahead the scanner is.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "base/status.h"
#include "formats/chrome/event_block.h"
#include "formats/chrome/scanner.h"

namespace tfprof::chrome {

// Where the text comes from; both functions are called on one thread only.
struct TextPieces {
  // The next piece; empty at the end. Valid until the next call.
  std::function<Result<std::string_view>()> next;
  std::function<void(std::string_view)> on_done;  // pieces that are done with; may be null
};

class ReadAhead {
 public:
  // Both outlive it; nobody else may use the scanner until Next answered null.
  ReadAhead(const TextPieces& pieces, EventScanner* scanner);
  // Stops scanning, wherever it is.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // The next events (never none), valid until the next call. Null: the text is over, or could not be read (see status).
  const EventBlock* Next();
  const Status& status() const { return status_; }

 private:
  static constexpr size_t kBlocks = 32;
  static constexpr size_t kWorth = kBlocks / 2;  // who sleeps is woken for that many: waking costs more than a block

  void Run();
  Status ScanPieces();
  // Hands over all events of what the scanner was fed. False: stopped.
  bool HandOver();
  // Waits until all blocks were taken. False: stopped.
  bool Drain();
  template <typename Ready, typename Worth>
  void WaitUntil(std::atomic<bool>* sleeps, Ready ready, Worth worth);
  void Wake();

  const TextPieces& pieces_;
  EventScanner& scanner_;
  std::vector<EventBlock> ring_;
  bool holding_ = false;  // the taker still uses block `taken_`
  Status status_;         // set before over_
  // Blocks ever filled, by the scanner, and taken; each on a cache line of its own.
  alignas(64) std::atomic<uint64_t> filled_ = 0;
  alignas(64) std::atomic<uint64_t> taken_ = 0;
  alignas(64) std::atomic<bool> scanner_sleeps_ = false, taker_sleeps_ = false;
  std::atomic<bool> flushing_ = false;  // no more blocks come before these are taken
  std::atomic<bool> over_ = false, stopped_ = false;
  std::mutex mutex_;  // for sleeping only
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace tfprof::chrome
