// The steps of a timeline, and which of its events belong to which.
//
// Where TensorFlow's writer told groups (`group_id`), those count. Else a step is what a marker spans: `step_num` of
// Trace("train", step_num=…) and JAX's StepTraceAnnotation, or Kineto's `ProfilerStep#N`. An event belongs to the last
// marker around its start, whatever its thread; work of a device to that of the call that launched it, if the file
// tells which that was. TF1's timelines hold one step a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/chrome/event_index.h"

namespace tfprof::chrome {

struct StepMark {
  int64_t start_ps = 0, end_ps = 0;
  uint64_t offset = 0;
  std::string name;
};

class TimelineSteps {
 public:
  TimelineSteps() = default;
  // `text`: of the whole timeline.
  TimelineSteps(std::string_view text, const EventIndex& index, Dialect dialect);

  // The number of the step at that moment, by order of their starts; none: -1.
  int64_t At(int64_t at_ps) const;
  // The name of the step that the event at `offset` marks; "" if it marks none.
  std::string_view MarkedBy(uint64_t offset) const;

 private:
  struct Piece {
    int64_t from_ps = 0;  // up to the next one's
    int64_t step = -1;
  };
  void CutIntoPieces();

  std::vector<StepMark> marks_;  // by start
  std::vector<Piece> pieces_;    // in order
  std::unordered_map<uint64_t, size_t> by_offset_;
};

// The number in the name of a TF1 timeline (`timeline-200.json`: 200), the last one if there are several.
std::optional<int64_t> StepOfFileName(std::string_view path);

}  // namespace tfprof::chrome
