// Scans a trace's text on a thread of its own, ahead of who takes the events.
//
// Events go over in blocks through a small ring. They point into the text: so the scanner waits at the end of each piece
// until all of them were taken, and pieces should be large. The order of events is that of the text, and what the top level
// told comes along with them, so that nothing depends on how far ahead the scanner is.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "base/status.h"
#include "formats/chrome/event.h"
#include "formats/chrome/scanner.h"

namespace tfprof::chrome {

struct EventBlock {
  static constexpr size_t kMostEvents = 128;

  std::array<TraceEvent, kMostEvents> events;
  size_t size = 0;
  TopLevel top;  // what was known of it behind the last of the events
};

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

  // The next events, valid until the next call. Null: the text is over, or could not be read (see status).
  const EventBlock* Next();
  const Status& status() const { return status_; }

 private:
  static constexpr size_t kBlocks = 8;

  void Run();
  Status ScanPieces();
  // Hands over all events of what the scanner was fed. False: stopped.
  bool HandOver();
  bool WaitForFree(size_t blocks);

  const TextPieces& pieces_;
  EventScanner& scanner_;
  std::vector<EventBlock> ring_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t filled_ = 0, taken_ = 0;  // blocks ever; under the mutex
  bool holding_ = false;             // the taker still uses block `taken_`
  bool over_ = false, stopped_ = false;
  Status status_;
  std::thread thread_;
};

}  // namespace tfprof::chrome
