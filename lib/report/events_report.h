// The document of `events`: rows that pass from the reader to the writer and are never all in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyze/event_rows.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/number.h"

namespace tfprof::report {

// What a reading came to; known when the last row was given.
struct EventsSummary {
  uint64_t returned = 0, total = 0;  // rows given; events that match
  Diagnostics diagnostics;
};

// Reads the input and gives each row until `take` answers false.
using EventsReader = std::function<void(const std::function<bool(const analyze::EventRow&)>& take)>;

// For machines: `read` runs while the document is written, `summary` after that.
Document StreamedEventsDocument(const ReportContext& context, EventsReader read, std::function<EventsSummary()> summary);

// A row that outlives the reading.
struct StoredEvent {
  explicit StoredEvent(const analyze::EventRow& row);
  analyze::EventRow View() const;

  analyze::EventRow row;  // its texts are those below
  std::string file, host, plane, lane, lane_id, name, op_type, op_name, step_name;
};

// For people: of rows that were read before.
Document StoredEventsDocument(const ReportContext& context, std::shared_ptr<const std::vector<StoredEvent>> rows,
                              const EventsSummary& summary);

}  // namespace tfprof::report
