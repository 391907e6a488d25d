// The progress of a long read: one line on standard error that is redrawn in place and taken away at the end.
//
// It appears after half a second and changes at most ten times a second: bytes, rate, time left.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "cli/io.h"
#include "cli/pipeline.h"

namespace tfprof::cli {

// `reading 1.2 GB of 3.4 GB (35%), 812 MB/s, 3 s left`, in fewer words if it doesn't fit into `width` columns. A total
// of 0 is unknown (a pipe): bytes and rate only.
std::string ProgressText(uint64_t bytes_done, uint64_t bytes_total, double seconds, size_t width);

// A line of a terminal that is drawn over. Thread-safe.
class StatusLine {
 public:
  explicit StatusLine(OutputStream* err) : err_(err) {}
  void Draw(std::string_view text);
  // Takes the line away; with `for_good` nothing is drawn any more.
  void Erase(bool for_good = false);

 private:
  std::mutex mutex_;
  OutputStream* err_;
  bool drawn_ = false;
  bool ended_ = false;
};

// Draws on a thread of its own as long as it lives.
class ProgressDisplay {
 public:
  ProgressDisplay(const Progress& progress, const Io& io, StatusLine* line);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

 private:
  void Loop();

  const Progress& progress_;
  const Io& io_;
  StatusLine* line_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace tfprof::cli
