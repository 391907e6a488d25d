// Begin and end events (`B`, `E`) of one lane to spans.
//
// An `E` with a name closes the innermost open `B` of that name, and what is open inside ends with it; without a name
// it closes the innermost. Events are taken in file order; a lane whose times step back by more than 1 ns is sorted by
// time first (reference: chrome_trace.md (d), rule 2).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tfprof::chrome {

struct PairEvent {
  int64_t at_ps = 0;
  uint32_t op = 0;    // of a begin
  uint32_t name = 0;  // number of the name; 0: none
  bool end = false;
};

struct PairedSpan {
  int64_t start_ps = 0, end_ps = 0;
  uint32_t op = 0;
};

class Pairing {
 public:
  // Spans that the event closes are appended to `closed`.
  void Add(const PairEvent& event, std::vector<PairedSpan>* closed);

  uint64_t unfinished() const { return unfinished_; }           // begins that ended with another's end
  uint64_t stray_ends() const { return stray_ends_; }           // ends without a begin
  const std::vector<PairEvent>& open() const { return open_; }  // begins without an end, outermost first

 private:
  std::vector<PairEvent> open_;
  std::unordered_map<uint32_t, uint64_t> open_names_;  // how many begins of a name are open
  uint64_t unfinished_ = 0, stray_ends_ = 0;
};

// Ends the begins that are still open: with the innermost of `spans` around it, else at `lane_end_ps`. Appends to
// `spans`.
void CloseOpen(const std::vector<PairEvent>& open, int64_t lane_end_ps, std::vector<PairedSpan>* spans);

}  // namespace tfprof::chrome
