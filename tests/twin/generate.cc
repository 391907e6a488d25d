#include "generate.h"

#include "xplane.pb.h"

namespace tfprof::twin {

namespace {

// Keys that count up, keys with gaps, and keys that are hashes, as writers use them side by side.
int64_t RandomKey(Random& random) {
  switch (random() % 4) {
    case 0:
      return static_cast<int64_t>(random());
    case 1:
      return static_cast<int64_t>(random() % 100'000);
    default:
      return static_cast<int64_t>(random() % 6000);
  }
}

void AddStat(Random& random, XStat* stat) {
  stat->set_metadata_id(RandomKey(random));
  switch (random() % 7) {
    case 0:
      stat->set_double_value(static_cast<double>(random()) / 3);
      break;
    case 1:
      stat->set_uint64_value(random());
      break;
    case 2:
      stat->set_int64_value(static_cast<int64_t>(random()));
      break;
    case 3:
      stat->set_str_value(std::string(random() % 200, 's'));
      break;
    case 4:
      stat->set_bytes_value(std::string(random() % 20, '\0'));
      break;
    case 5:
      stat->set_ref_value(static_cast<uint64_t>(RandomKey(random)));
      break;
    default:
      break;  // a stat without a value
  }
}

void AddEvent(Random& random, XEvent* event) {
  event->set_metadata_id(RandomKey(random));
  if (random() % 10 == 0) {
    event->set_num_occurrences(static_cast<int64_t>(random() % 1000));
  } else if (random() % 10 != 0) {
    event->set_offset_ps(static_cast<int64_t>(random() >> (random() % 64)));
  }
  event->set_duration_ps(static_cast<int64_t>(random() >> (random() % 64)));
  for (uint64_t n = random() % 5; n > 0; --n) AddStat(random, event->add_stats());
}

void FillPlane(Random& random, XPlane* plane) {
  plane->set_id(static_cast<int64_t>(random() % 3));
  plane->set_name("/device:GPU:" + std::to_string(random() % 3));
  for (uint64_t n = random() % 4000; n > 0; --n) {
    const int64_t key = RandomKey(random);
    XEventMetadata& entry = (*plane->mutable_event_metadata())[key];
    entry.set_id(key);
    entry.set_name("event " + std::to_string(key));
    if (random() % 8 == 0) entry.set_display_name("shown");
    if (random() % 8 == 0) AddStat(random, entry.add_stats());
  }
  for (uint64_t n = random() % 2000; n > 0; --n) {
    const int64_t key = RandomKey(random);
    XStatMetadata& entry = (*plane->mutable_stat_metadata())[key];
    if (random() % 8 != 0) entry.set_id(key);
    entry.set_name("stat " + std::to_string(key));
  }
  for (uint64_t n = random() % 4; n > 0; --n) {
    XLine* line = plane->add_lines();
    line->set_id(static_cast<int64_t>(random()));
    line->set_name("line");
    line->set_timestamp_ns(static_cast<int64_t>(random() >> 20));
    for (uint64_t events = random() % 600; events > 0; --events) AddEvent(random, line->add_events());
  }
  for (uint64_t n = random() % 4; n > 0; --n) AddStat(random, plane->add_stats());
}

}  // namespace

std::string Generate(Random* random) {
  XSpace space;
  for (uint64_t n = 1 + (*random)() % 3; n > 0; --n) FillPlane(*random, space.add_planes());
  if ((*random)() % 2 == 0) space.add_errors("error");
  if ((*random)() % 2 == 0) space.add_warnings("warning");
  space.add_hostnames("host");
  return space.SerializeAsString();
}

}  // namespace tfprof::twin
