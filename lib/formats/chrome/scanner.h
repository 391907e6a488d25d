// Finds the events of a Chrome trace in its text, front to back, whatever state the text is in.
//
// Takes the array form, the object form (`traceEvents` at the top level only; other keys are passed over, a few are
// noted) and several documents one after the other; superfluous commas, a BOM, raw control characters in strings, NaN
// and Infinity, a missing closing bracket, 10,000-deep nesting, strings of any length. An element that cannot be parsed
// is counted and skipped: reading goes on at the next object that has a phase, so also inside an element that is cut or
// not closed up to the end. A `]` or `}` too many counts as such an element, and the array goes on behind it. What is
// parsed more than once because of that is bounded by a multiple of the text. Nothing is recursed into, no tree is
// built, nothing is allocated per event. Text comes in pieces of any size; what the pieces are cut at makes no
// difference.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "formats/chrome/event.h"
#include "formats/chrome/top_level.h"

namespace tfprof::chrome {

// What was wrong with the text; offsets are of the (decompressed) text.
struct ScanFindings {
  uint64_t broken_events = 0;
  uint64_t first_broken = 0;  // offset
  bool truncated = false;     // the text ends inside an event or another value
  uint64_t truncated_at = 0;
  bool unterminated_array = false;  // it ends right behind a whole event, without `]`
  bool trailing = false;            // something that is no JSON follows the last document
  uint64_t trailing_at = 0;
  bool not_json = false;        // what stands there is no JSON text at all (or not an object or array)
  uint64_t no_events = 0;       // elements that are neither objects nor null
  uint64_t first_no_event = 0;  // offset
  uint64_t elements = 0;        // array elements seen, whole ones, with `{}` and M events
  uint64_t parsed_in_vain = 0;  // bytes, all attempts that gave no element added up
};

class EventScanner {
 public:
  enum class Step {
    kEvent,     // *event is the next element
    kNeedMore,  // Feed more text, or Finish
    kEnd,       // after Finish: nothing is left
  };

  EventScanner();
  ~EventScanner();

  // The next piece of text; must stay readable until kNeedMore is returned again. Events are valid until the next call
  // of Feed, as long as the piece is readable. An unfinished element is copied (a string of it that is longer than
  // kLongestText may lose its middle).
  void Feed(std::string_view piece);
  // No more text comes.
  void Finish();
  Step Next(TraceEvent* event);

  const TopLevel& top_level() const;
  const ScanFindings& findings() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tfprof::chrome
