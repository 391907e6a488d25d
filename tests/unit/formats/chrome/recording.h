// What the reader of Chrome traces makes of a text, kept for the tests: lanes with their events, diagnostics, facts.
//
// Tests of lib/formats/chrome go through `Read` alone, so that they say what a user gets and not how the parser is
// built. Times are picoseconds from the first event's time. An event is shown as `name:type@start+duration`, without
// the op `-`; behind it `!` unattributed by its op or flag, `e` eager, `?` out of time.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/chrome/reader.h"
#include "trace/lane.h"

namespace tfprof::chrome {

struct RecordedLane {
  trace::Side side = trace::Side::kHost;
  trace::Role role = trace::Role::kHostOps;
  std::string plane, name, device, idle_group;
  int64_t id = 0;
  std::vector<std::string> events;  // in the order in which the reader gave them
  bool closed = false;

  bool operator==(const RecordedLane&) const = default;
};

class RecordingSink : public trace::Sink {
 public:
  trace::LaneConsumer* Open(const trace::LaneInfo& info) override {
    consumers_.push_back(std::make_unique<Consumer>(info));
    return consumers_.back().get();
  }
  void EndPlane(const trace::OpDictionary&) override {}

  std::vector<RecordedLane> lanes() const {
    std::vector<RecordedLane> out;
    for (const auto& consumer : consumers_) out.push_back(consumer->lane);
    return out;
  }

 private:
  struct Consumer : trace::LaneConsumer {
    explicit Consumer(const trace::LaneInfo& info)
        : lane{info.side,
               info.role,
               std::string(info.plane),
               std::string(info.name),
               std::string(info.device),
               std::string(info.idle_group),
               info.id,
               {},
               false},
          ops(*info.ops) {}

    void Add(const trace::EventBatch& batch) override {
      for (size_t i = 0; i < batch.size; ++i) lane.events.push_back(Shown(batch, i));
    }
    void Close() override { lane.closed = true; }

    std::string Shown(const trace::EventBatch& batch, size_t i) const {
      std::string text = "-";
      bool unattributed = (batch.flags[i] & trace::EventBatch::kUnattributed) != 0;
      if (batch.op[i] != trace::Op::kNone) {
        const trace::Op& op = ops[batch.op[i]];
        text = op.name + ":" + op.type;
        unattributed |= !op.attributed;
      }
      text += "@" + std::to_string(batch.start_ps[i]) + "+" + std::to_string(batch.duration_ps[i]);
      if (unattributed) text += "!";
      if ((batch.flags[i] & trace::EventBatch::kEager) != 0) text += "e";
      if ((batch.flags[i] & trace::EventBatch::kOutOfTime) != 0) {
        text.replace(text.find_last_of('@'), text.find_last_of('+') - text.find_last_of('@'),
                     "@?");  // its place says nothing
      }
      return text;
    }

    RecordedLane lane;
    const trace::OpDictionary& ops;
  };

  std::vector<std::unique_ptr<Consumer>> consumers_;
};

struct Recorded {
  std::vector<RecordedLane> lanes;
  std::vector<Diagnostic> diagnostics;
  FileFacts facts;
  int readings = 0;
  std::string error;  // of a reading that failed

  // How often a diagnostic was counted; 0: not at all.
  uint64_t Count(DiagCode code) const {
    uint64_t count = 0;
    for (const Diagnostic& diagnostic : diagnostics) count += diagnostic.code == code ? diagnostic.count : 0;
    return count;
  }
  // The events of all lanes, lane after lane.
  std::vector<std::string> Events() const {
    std::vector<std::string> out;
    for (const RecordedLane& lane : lanes) out.insert(out.end(), lane.events.begin(), lane.events.end());
    return out;
  }
  // What must be the same however the text was cut into pieces.
  bool SameAs(const Recorded& other) const {
    return lanes == other.lanes && diagnostics == other.diagnostics && facts.phases == other.facts.phases &&
           facts.rank == other.facts.rank && facts.is_trace == other.facts.is_trace && error == other.error &&
           facts.dialect.dialect == other.facts.dialect.dialect && facts.dialect.reason == other.facts.dialect.reason;
  }
};

// Reads the text in pieces of at most `piece_size` bytes, the first ending at `first_cut`, as often as the reader asks
// for.
inline Recorded ReadText(std::string_view text, size_t piece_size = SIZE_MAX, size_t first_cut = SIZE_MAX,
                         std::optional<Dialect> forced = std::nullopt) {
  Recorded out;
  ReadPlan plan;
  plan.forced = forced;
  for (;;) {
    ++out.readings;
    size_t at = 0;
    std::unique_ptr<char[]> piece;  // of exactly its size and freed at the next call: a sanitizer sees what outlives it
    ReadOptions options;
    options.path = "t.json";
    options.host = "h";
    options.temp_dir = std::filesystem::temp_directory_path();
    options.text.next = [&]() -> Result<std::string_view> {
      const size_t most = at == 0 ? std::min(first_cut, piece_size) : piece_size;
      const std::string_view next = text.substr(at, most);
      at += next.size();
      piece = std::make_unique<char[]>(next.size() + 1);
      std::copy(next.begin(), next.end(), piece.get());
      return std::string_view(piece.get(), next.size());
    };
    RecordingSink sink;
    Diagnostics diagnostics;
    const Result<ReadOutcome> outcome = Read(options, &sink, &plan, &out.facts, &diagnostics);
    if (!outcome) {
      out.error = outcome.error().message;
      return out;
    }
    if (outcome.value() == ReadOutcome::kAgain) continue;
    out.lanes = sink.lanes();
    out.diagnostics = diagnostics.items();
    return out;
  }
}

inline Recorded ReadAs(Dialect dialect, std::string_view text) { return ReadText(text, SIZE_MAX, SIZE_MAX, dialect); }

}  // namespace tfprof::chrome
