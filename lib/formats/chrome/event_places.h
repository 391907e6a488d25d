// On which lane and of which op an event is: found by its raw texts, worked out (placement.h) once for each combination.
#pragma once

#include <cstdint>
#include <string>

#include "formats/chrome/dialect.h"
#include "formats/chrome/event.h"
#include "formats/chrome/key_table.h"
#include "formats/chrome/lanes.h"
#include "formats/chrome/placement.h"

namespace tfprof::chrome {

// "7" and 7 are one id; an absent one is 0.
std::string IdText(const JsonValue& value);

class EventPlaces {
 public:
  // `names` and `lanes` outlive it.
  EventPlaces(Dialect dialect, const Names& names, Lanes* lanes);

  // Null: the event is on no lane.
  Lane* LaneOf(const TraceEvent& event);
  // The number in the dictionary of the lane's side, or Op::kNone.
  uint32_t OpOf(const TraceEvent& event, const Lane& lane);

 private:
  uint32_t NewLane(const TraceEvent& event);

  Dialect dialect_;
  const Names& names_;
  Lanes& lanes_;
  Placer placer_;
  KeyTable lane_of_, op_of_;
};

}  // namespace tfprof::chrome
