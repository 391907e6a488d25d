#include "compare.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <bit>
#include <vector>

#include "formats/xplane/event.h"
#include "formats/xplane/layout.h"
#include "xplane.pb.h"

namespace tfprof::twin {

namespace {

using xplane::Event;
using xplane::EventCursor;
using xplane::Layout;
using xplane::StatFilter;

// The first difference, with the path to it. Later ones are not looked for.
class Difference {
 public:
  bool found() const { return !text_.empty(); }
  const std::string& text() const { return text_; }

  template <typename Fast, typename Slow>
  void Expect(std::string_view where, const Fast& fast, const Slow& slow) {
    if (!found() && !(fast == slow)) text_ = fmt::format("{}: fast {}, slow {}", where, fast, slow);
  }

 private:
  std::string text_;
};

xplane::Stat::Slot SlotOf(const XStat& stat) { return static_cast<xplane::Stat::Slot>(stat.value_case()); }

uint64_t BitsOf(const XStat& stat) {
  switch (stat.value_case()) {
    case XStat::kDoubleValue:
      return std::bit_cast<uint64_t>(stat.double_value());
    case XStat::kUint64Value:
      return stat.uint64_value();
    case XStat::kInt64Value:
      return static_cast<uint64_t>(stat.int64_value());
    case XStat::kRefValue:
      return stat.ref_value();
    default:
      return 0;
  }
}

std::string_view TextOf(const XStat& stat) {
  if (stat.value_case() == XStat::kStrValue) return stat.str_value();
  return stat.value_case() == XStat::kBytesValue ? std::string_view(stat.bytes_value()) : std::string_view();
}

// Only what the slot says is the stat's value counts; the fast reader's other members may hold what was written before.
void CompareStat(const std::string& where, const xplane::Stat& fast, const XStat& slow, Difference* diff) {
  using Slot = xplane::Stat::Slot;
  diff->Expect(where + " id", fast.metadata_id, slow.metadata_id());
  diff->Expect(where + " slot", static_cast<int>(fast.slot), static_cast<int>(SlotOf(slow)));
  if (fast.slot == Slot::kString || fast.slot == Slot::kBytes) {
    diff->Expect(where + " text", fast.text, TextOf(slow));
  } else if (fast.slot != Slot::kNone) {
    diff->Expect(where + " bits", fast.bits, BitsOf(slow));
  }
}

// `stats` is a repeated field of XStat, `bytes` the message (or its tail) that the fast reader takes them from.
template <typename Stats>
void CompareStats(const std::string& where, wire::Bytes bytes, uint32_t field, const Stats& stats, Difference* diff) {
  xplane::StatCursor cursor(bytes, field);
  xplane::Stat fast;
  int i = 0;
  for (; cursor.Next(&fast); ++i) {
    if (i == stats.size()) break;
    CompareStat(fmt::format("{} stat {}", where, i), fast, stats.Get(i), diff);
  }
  diff->Expect(where + " number of stats", i, stats.size());
  diff->Expect(where + " stats left over", cursor.Next(&fast), false);
}

void CompareEvent(const std::string& where, const Event& fast, const XEvent& slow, Difference* diff) {
  diff->Expect(where + " metadata_id", fast.metadata_id, slow.metadata_id());
  diff->Expect(where + " offset_ps", fast.offset_ps, slow.offset_ps());
  diff->Expect(where + " duration_ps", fast.duration_ps, slow.duration_ps());
  diff->Expect(where + " num_occurrences", fast.num_occurrences,
               slow.has_num_occurrences() ? std::max<int64_t>(1, slow.num_occurrences()) : 0);
}

// Whether one of the stats names its id twice: StatFilter goes by the first, so that a filtered event may lack it.
bool HasDoubleId(wire::Bytes event_stats) {
  wire::FieldReader stats(event_stats);
  for (wire::Field stat; stats.Read(&stat) == wire::Next::kField;) {
    if (!stat.Is(xplane::kEventStats, wire::WireType::kBytes)) continue;
    int ids = 0;
    wire::FieldReader fields(stat.bytes);
    for (wire::Field field; fields.Read(&field) == wire::Next::kField;) ids += field.Is(1, wire::WireType::kVarint);
    if (ids > 1) return true;
  }
  return false;
}

// A filtered event shows its stats from the first wanted one on: all that have the wanted id are there.
void CompareWanted(const std::string& where, wire::Bytes bytes, int64_t wanted_id, const XEvent& slow,
                   Difference* diff) {
  std::vector<xplane::Stat> found;
  xplane::StatCursor cursor(bytes, xplane::kEventStats);
  for (xplane::Stat stat; cursor.Next(&stat);) {
    if (stat.metadata_id == wanted_id) found.push_back(stat);
  }
  size_t n = 0;
  for (const XStat& stat : slow.stats()) {
    if (stat.metadata_id() != wanted_id) continue;
    if (n < found.size()) CompareStat(fmt::format("{} wanted stat {}", where, n), found[n], stat, diff);
    ++n;
  }
  diff->Expect(where + " number of wanted stats", found.size(), n);
}

// All events of a line by one cursor, in blocks or one by one; the cursor must come to the line's end unbroken.
std::vector<Event> ReadEvents(EventCursor* cursor, bool in_blocks, const std::string& where, Difference* diff) {
  std::vector<Event> events;
  if (in_blocks) {
    for (xplane::EventBlock block; cursor->Read(&block);) {
      for (size_t i = 0; i < block.size; ++i) events.push_back(block[i]);
    }
  } else {
    for (Event event; cursor->Next(&event);) events.push_back(event);
  }
  diff->Expect(where + " broken", cursor->broken(), false);
  return events;
}

// Compares the events of one line; returns whether the line's head stands behind an event.
bool CompareEvents(const std::string& where, const Layout& layout, const xplane::Line& line, const XLine& slow,
                   Difference* diff) {
  EventCursor one_by_one(line.body);
  EventCursor in_blocks(line.body, nullptr, wire::End(layout.bytes));
  const int64_t wanted_id =
      slow.events_size() == 0 || slow.events(0).stats_size() == 0 ? 1 : slow.events(0).stats(0).metadata_id();
  StatFilter filter;
  filter.Want(wanted_id);
  EventCursor filtered(line.body, &filter, wire::End(layout.bytes));

  const std::vector<Event> singles = ReadEvents(&one_by_one, false, where, diff);
  const std::vector<Event> blocks = ReadEvents(&in_blocks, true, where, diff);
  const std::vector<Event> some = ReadEvents(&filtered, true, where, diff);
  const auto size = static_cast<size_t>(slow.events_size());
  diff->Expect(where + " number of events", singles.size(), size);
  diff->Expect(where + " number of events in blocks", blocks.size(), size);
  diff->Expect(where + " number of events with a filter", some.size(), size);
  for (size_t i = 0; i < size && !diff->found(); ++i) {
    const XEvent& event = slow.events(static_cast<int>(i));
    const std::string at = fmt::format("{} event {}", where, i);
    CompareEvent(at, singles[i], event, diff);
    CompareEvent(at + " in a block", blocks[i], event, diff);
    CompareEvent(at + " with a filter", some[i], event, diff);
    CompareStats(at, singles[i].stats, xplane::kEventStats, event.stats(), diff);
    CompareStats(at + " in a block", blocks[i].stats, xplane::kEventStats, event.stats(), diff);
    if (!HasDoubleId(singles[i].stats)) CompareWanted(at + " with a filter", some[i].stats, wanted_id, event, diff);
  }
  diff->Expect(where + " late header in blocks", in_blocks.late_header(), one_by_one.late_header());
  return one_by_one.late_header();
}

void CompareHead(const std::string& where, const xplane::Line& fast, const XLine& slow, Difference* diff) {
  diff->Expect(where + " id", fast.id, slow.id());
  diff->Expect(where + " name", fast.name, slow.name());
  diff->Expect(where + " timestamp_ns", fast.timestamp_ns, slow.timestamp_ns());
}

void CompareMaps(const std::string& where, const xplane::Plane& fast, const XPlane& slow, Difference* diff) {
  diff->Expect(where + " event metadata", fast.event_metadata.entries().size(), slow.event_metadata().size());
  for (const auto& [key, value] : slow.event_metadata()) {
    const std::string at = fmt::format("{} event metadata {}", where, key);
    const xplane::Metadata* entry = fast.event_metadata.Find(key);
    diff->Expect(at + " is there", entry != nullptr, true);
    if (diff->found()) return;
    diff->Expect(at + " id", entry->inner_id, value.id());
    diff->Expect(at + " name", entry->name, value.name());
    diff->Expect(at + " display_name", entry->display_name, value.display_name());
    CompareStats(at, entry->body, xplane::kMetadataStats, value.stats(), diff);
  }
  diff->Expect(where + " stat metadata", fast.stat_metadata.entries().size(), slow.stat_metadata().size());
  for (const auto& [key, value] : slow.stat_metadata()) {
    const std::string at = fmt::format("{} stat metadata {}", where, key);
    const xplane::Metadata* entry = fast.stat_metadata.Find(key);
    diff->Expect(at + " is there", entry != nullptr, true);
    if (diff->found()) return;
    diff->Expect(at + " id", entry->inner_id, value.id());
    diff->Expect(at + " name", entry->name, value.name());
  }
}

void ComparePlane(const std::string& where, const Layout& thorough, const xplane::Plane& fast,
                  const xplane::Plane& heads, const XPlane& slow, Difference* diff) {
  diff->Expect(where + " id", fast.id, slow.id());
  diff->Expect(where + " name", fast.name, slow.name());
  CompareMaps(where, fast, slow, diff);
  diff->Expect(where + " lines", fast.lines.size(), static_cast<size_t>(slow.lines_size()));
  diff->Expect(where + " lines without their ends", heads.lines.size(), fast.lines.size());
  for (size_t i = 0; i < fast.lines.size() && !diff->found(); ++i) {
    const std::string at = fmt::format("{} line {}", where, i);
    const XLine& line = slow.lines(static_cast<int>(i));
    CompareHead(at, fast.lines[i], line, diff);
    if (!CompareEvents(at, thorough, fast.lines[i], line, diff))
      CompareHead(at + " (head only)", heads.lines[i], line, diff);
  }
  diff->Expect(where + " stats", fast.stats.size(), static_cast<size_t>(slow.stats_size()));
  for (size_t i = 0; i < fast.stats.size() && !diff->found(); ++i) {
    CompareStat(fmt::format("{} own stat {}", where, i), xplane::ParseStat(fast.stats[i]),
                slow.stats(static_cast<int>(i)), diff);
  }
}

template <typename Texts>
void CompareTexts(std::string_view where, const std::vector<std::string_view>& fast, const Texts& slow,
                  Difference* diff) {
  diff->Expect(fmt::format("number of {}", where), fast.size(), static_cast<size_t>(slow.size()));
  for (size_t i = 0; i < fast.size() && !diff->found(); ++i) {
    diff->Expect(fmt::format("{} {}", where, i), fast[i], slow.Get(static_cast<int>(i)));
  }
}

}  // namespace

Comparison CompareReaders(std::string_view bytes) {
  const Layout thorough = xplane::ReadLayout(bytes, true);
  const Layout heads = xplane::ReadLayout(bytes, false);
  XSpace slow;
  if (!slow.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    for (const xplane::Plane& plane : thorough.planes) {
      for (const xplane::Line& line : plane.lines) {
        EventCursor cursor(line.body, nullptr, wire::End(bytes));
        for (Event event; cursor.Next(&event);) {
        }
      }
    }
    return {Verdict::kNoXSpace, ""};
  }

  Difference diff;
  diff.Expect("damage", thorough.damage ? thorough.damage->what : std::string(), std::string());
  diff.Expect("damage without line ends", heads.damage ? heads.damage->what : std::string(), std::string());
  diff.Expect("planes", thorough.planes.size(), static_cast<size_t>(slow.planes_size()));
  diff.Expect("planes without line ends", heads.planes.size(), thorough.planes.size());
  for (size_t i = 0; i < thorough.planes.size() && !diff.found(); ++i) {
    ComparePlane(fmt::format("plane {}", i), thorough, thorough.planes[i], heads.planes[i],
                 slow.planes(static_cast<int>(i)), &diff);
  }
  CompareTexts("errors", thorough.errors, slow.errors(), &diff);
  CompareTexts("warnings", thorough.warnings, slow.warnings(), &diff);
  CompareTexts("hostnames", thorough.hostnames, slow.hostnames(), &diff);
  return {diff.found() ? Verdict::kDiffers : Verdict::kEqual, diff.text()};
}

}  // namespace tfprof::twin
