// What was odd about the events of a Chrome trace, counted while it is read and told at the end.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "base/diagnostics.h"
#include "formats/chrome/event.h"
#include "formats/chrome/scanner.h"

namespace tfprof::chrome {

// How many of a kind, and the byte where the first stood.
struct Counted {
  uint64_t count = 0;
  uint64_t first = 0;
  void Add(uint64_t offset) {
    if (count++ == 0) first = offset;
  }
};

struct EventFindings {
  Counted missing_field, bad_number, untimed, outliers, unknown_phase;
  uint64_t unfinished = 0, stray_ends = 0;
  uint64_t capped_at = 0;  // events, where the exporter stopped; 0: it didn't
};

// Whether the text is a trace: an array of objects without a phase among them is none.
bool IsTrace(const TopLevel& top, const std::map<char, uint64_t>& phases);

// What its phase alone tells of an event: it has none, or one that nobody knows.
void NotePhase(const TraceEvent& event, EventFindings* found);

// One diagnostic for each kind that was met. `path` names the file.
void TellFindings(std::string_view path, const ScanFindings& text, const EventFindings& events,
                  Diagnostics* diagnostics);

}  // namespace tfprof::chrome
