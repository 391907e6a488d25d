// Reads a Chrome trace in strict numbers: its lanes to a sink, in one pass where the file allows it.
//
// The first reading is optimistic: names (M events) come before the events that they are about, and every lane is in
// time order within a small window. Where a file turns out otherwise, `Read` answers kAgain, having put what it learned
// into `ReadPlan`: the second reading then knows all names, and sorts spans within bounded memory
// (trace/span_sorter.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/status.h"
#include "formats/chrome/dialect.h"
#include "formats/chrome/read_ahead.h"
#include "trace/lane.h"

namespace tfprof::chrome {

struct ReadPlan {
  std::optional<Dialect> forced;         // --format-in
  std::optional<DialectChoice> dialect;  // known from an earlier reading
  std::optional<Names> names;            // all of them, likewise
  std::optional<__int128> base_ps;       // most events lie near it
  bool sort_spans = false;
  std::set<std::string> sort_pairs;          // lanes (ThreadKey) whose begins and ends step back in time
  std::optional<std::vector<bool>> claimed;  // Kineto: device events, in file order, that a cpu_op claims
};

struct ReadOptions {
  std::string path, host, temp_dir;
  TextPieces text;
  unsigned threads =
      1;  // 2 or more: the text is scanned on one thread, its events are placed and pushed on the caller's
  const std::atomic<bool>* cancelled = nullptr;
};

// What a trace told beside its lanes.
struct FileFacts {
  DialectChoice dialect;
  std::map<char, uint64_t> phases;  // events by phase
  std::optional<std::string> rank;  // Kineto
  bool is_trace = false;            // it has an array of events, not of other things
};

enum class ReadOutcome { kDone, kAgain };

// An Error: the text could not be read, or there is no room for what has to wait.
Result<ReadOutcome> Read(const ReadOptions& options, trace::Sink* sink, ReadPlan* plan, FileFacts* facts,
                         Diagnostics* diagnostics);

}  // namespace tfprof::chrome
