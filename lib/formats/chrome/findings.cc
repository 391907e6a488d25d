#include "formats/chrome/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/chrome/beside_lanes.h"

namespace tfprof::chrome {
namespace {

void TellText(std::string_view path, const ScanFindings& text, Diagnostics* diagnostics) {
  if (text.truncated) {
    diagnostics->Add(DiagCode::kTruncatedInput,
                     fmt::format("{}: the text ends inside an event or another value, at byte {}; what came before was "
                                 "read; copy the file anew or write the profile again",
                                 path, text.truncated_at));
  }
  if (text.trailing) {
    diagnostics->Add(
        DiagCode::kBrokenEvent,
        fmt::format("{}: what follows the events at byte {} is no JSON and was not read", path, text.trailing_at));
  }
  if (text.unterminated_array) {
    diagnostics->Add(DiagCode::kUnterminatedArray,
                     fmt::format("{}: the array of events has no closing bracket; nothing is missing else", path));
  }
}

}  // namespace

bool IsTrace(const TopLevel& top, const std::map<char, uint64_t>& phases) {
  if (!top.has_trace_events || !top.array_form) return top.has_trace_events;
  const bool any_phase = std::any_of(phases.begin(), phases.end(), [](const auto& phase) { return phase.first != 0; });
  return any_phase || phases.empty();
}

void NotePhase(const TraceEvent& event, EventFindings* found) {
  if (event.phase == 0) found->missing_field.Add(event.offset);
  if (event.phase != 0 && !IsKnownPhase(event.phase)) found->unknown_phase.Add(event.offset);
}

void TellFindings(std::string_view path, const ScanFindings& text, const EventFindings& events,
                  Diagnostics* diagnostics) {
  const auto tell = [&](DiagCode code, const Counted& counted, std::string_view what) {
    if (counted.count == 0) return;
    diagnostics->Add(code, fmt::format("{}: {}; first at byte {}", path, what, counted.first), counted.count);
  };
  TellText(path, text, diagnostics);
  tell(DiagCode::kBrokenEvent, {text.broken_events, text.first_broken},
       "elements of the array of events could not be parsed and were skipped");
  tell(DiagCode::kBrokenEvent, {text.no_events, text.first_no_event},
       "elements of the array of events are no events (numbers, texts or arrays) and were skipped");
  tell(DiagCode::kBrokenEvent, events.unknown_phase, "events of a phase (ph) that is not known were skipped");
  tell(DiagCode::kBadNumber, events.bad_number, "events whose ts or dur is no number were skipped");
  tell(DiagCode::kMissingField, events.missing_field,
       "events lack a field that they need (ph, ts, or dur: it counts as 0)");
  tell(DiagCode::kUntimedEvent, events.untimed,
       "events have time 0 and duration 0 among real times; they have no place in time");
  tell(DiagCode::kTimeOutlier, events.outliers,
       "events lie years away from the others; they keep their time in their rows but are left out of span, busy and "
       "idle");
  if (events.unfinished > 0) {
    diagnostics->Add(DiagCode::kUnfinishedEvent,
                     fmt::format("{}: events have no end of their own (begins that end with what is around them, and "
                                 "negative durations, which count as 0)",
                                 path),
                     events.unfinished);
  }
  if (events.stray_ends > 0) {
    diagnostics->Add(DiagCode::kStrayEnd, fmt::format("{}: ends without a begin were passed over", path),
                     events.stray_ends);
  }
  if (events.capped_at > 0) {
    diagnostics->Add(
        DiagCode::kEventLimit,
        fmt::format("{}: it holds exactly {} events, where the exporter stops: later events are most likely "
                    "missing; read the .xplane.pb of the run instead",
                    path, events.capped_at));
  }
}

}  // namespace tfprof::chrome
