// Which ops ran eagerly, and the groups of device events (reference: op_stats.md §3, §6).
#include "formats/xplane/grouping.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/xplane/event.h"
#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

constexpr int64_t kEager = 1, kOp = 2, kOther = 3, kJax = 4;
constexpr int64_t kIsFunc = 10, kCorrelation = 11, kGroup = 12, kRoot = 13;

std::string Names() {
  return EventName(kEager, "EagerExecute") + EventName(kOp, "a:A") + EventName(kOther, "other") + EventName(kJax, "f:add") +
         StatName(kIsFunc, "is_func") + StatName(kCorrelation, "correlation_id") + StatName(kRoot, "_r");
}
std::string Host(const std::string& events, const std::string& more = "") {
  return EncodePlane("/host:CPU", EncodeLine(1, "t", events) + Names() + more);
}
std::string Gpu(const std::string& lines) { return EncodePlane("/device:GPU:0", lines + Names()); }

const std::string kEagerly = EncodeEvent(kEager, 0, 100, IntStat(kIsFunc, 0));

TEST_CASE("bits of any events, near and far") {
  EagerBits bits;
  CHECK_FALSE(bits.Get(0));
  for (const uint64_t ordinal : {0, 63, 64, 100'000}) bits.Set(ordinal);
  for (const uint64_t ordinal : {0, 63, 64, 100'000}) CHECK(bits.Get(ordinal));
  for (const uint64_t ordinal : {1, 62, 65, 99'999, 100'001, 1'000'000}) CHECK_FALSE(bits.Get(ordinal));
}

// Strict groups of the events of a host's lines, one after the other; "-": of none.
std::string StrictGroups(const std::string& bytes) {
  const Layout layout = ReadLayout(bytes);
  const Grouping grouping =
      ReadGrouping(layout, {.host_groups = true, .eager = false, .numbers = trace::NumberSlots::kAny});
  std::string text;
  for (uint32_t p = 0; p < layout.planes.size(); ++p) {
    for (uint32_t l = 0; l < layout.planes[p].lines.size(); ++l) {
      EventCursor cursor(layout.planes[p].lines[l].body);
      const std::vector<int64_t>* groups = grouping.GroupsOf(p, l);
      size_t ordinal = 0;
      for (Event event; cursor.Next(&event); ++ordinal) {
        const bool in = groups != nullptr && ordinal < groups->size() && (*groups)[ordinal] != kNoGroup;
        text += in ? std::to_string((*groups)[ordinal]) : "-";
      }
    }
  }
  return text;
}

TEST_CASE("strictly a step holds its ops, however the file is written") {
  const std::string first = EncodeEvent(kOther, 0, 100'000, IntStat(kRoot, 1));
  const std::string second = EncodeEvent(kOther, 200'000, 100'000, IntStat(kRoot, 1));
  const std::string op = EncodeEvent(kOp, 250'000, 10'000);
  CHECK(StrictGroups(Host(first + second + op)) == "011");
  // Before its marker in the file.
  CHECK(StrictGroups(Host(op + second + first)) == "110");
  // A line in two pieces, in one plane and in two.
  CHECK(StrictGroups(EncodePlane("/host:CPU", EncodeLine(1, "t", first + second) + EncodeLine(1, "t", op) + Names())) ==
        "011");
  CHECK(StrictGroups(Host(first + second) + Host(op)) == "011");
  // Another thread.
  CHECK(StrictGroups(EncodePlane("/host:CPU", EncodeLine(1, "t", first + second) + EncodeLine(2, "t", op) + Names())) ==
        "01-");
}

TEST_CASE("strictly an op may end a nanosecond behind its step") {
  const std::string step = EncodeEvent(kOther, 0, 100'000, IntStat(kRoot, 1));
  CHECK(StrictGroups(Host(step + EncodeEvent(kOp, 90'000, 11'000))) == "00");
  CHECK(StrictGroups(Host(step + EncodeEvent(kOp, 90'000, 11'001))) == "0-");
  CHECK(StrictGroups(Host(step + EncodeEvent(kOp, 100'000, 1'000))) == "0-");  // behind it
}

bool UsesStored(const std::string& bytes) { return ReadStoredEagerFlags(ReadLayout(bytes)).use_stored(); }

TEST_CASE("stored flags count where nothing is called EagerExecute, with loops, and in grouped files") {
  CHECK_FALSE(UsesStored(Host(kEagerly)));
  CHECK(UsesStored(EncodePlane("/host:CPU", EventName(kOp, "a:A"))));
  CHECK(UsesStored(""));
  for (const char* loop : {"WhileOp-EvalCond", "WhileOp-StartBody", "ForOp", "ParallelForOp", "ForeverOp"}) {
    CHECK(UsesStored(Host(kEagerly, EventName(9, loop))));
    CHECK(UsesStored(Host(kEagerly) + EncodePlane("any", EventName(9, loop))));
  }
  CHECK_FALSE(UsesStored(Host(kEagerly, EventName(9, "ForOp:ForOp"))));
}

TEST_CASE("a file is grouped when every host and device plane knows group_id, others don't matter") {
  const std::string grouped = Host(kEagerly, StatName(kGroup, "group_id"));
  CHECK(UsesStored(grouped));
  CHECK(UsesStored(grouped + EncodePlane("Task Environment", "")));
  CHECK_FALSE(UsesStored(grouped + Gpu("")));
  CHECK_FALSE(UsesStored(grouped + EncodePlane("/host:metadata", "")));
  CHECK_FALSE(UsesStored(grouped + EncodePlane("#Chip 0", "")));
  CHECK(UsesStored(grouped + EncodePlane("/device:GPU:0", StatName(1, "group_id"))));
}

// The eager events of the first line of a plane: "010".
std::string Eager(const std::string& bytes, uint32_t plane, size_t events) {
  const EagerFlags flags = ReadEagerFlags(ReadLayout(bytes));
  CHECK_FALSE(flags.use_stored());
  const EagerBits* bits = flags.BitsOf(plane, 0);
  std::string text;
  for (size_t i = 0; i < events; ++i) text += bits != nullptr && bits->Get(i) ? '1' : '0';
  return text;
}

TEST_CASE("TensorFlow ops below an eager call are eager, JAX ops get no flag") {
  const std::string bytes = Host(kEagerly + EncodeEvent(kOp, 10, 1) + EncodeEvent(kJax, 20, 1) + EncodeEvent(kOp, 200, 1));
  CHECK(Eager(bytes, 0, 4) == "0100");
  CHECK(ReadEagerFlags(ReadLayout(bytes)).BitsOf(0, 1) == nullptr);
  CHECK(ReadEagerFlags(ReadLayout(bytes)).BitsOf(1, 0) == nullptr);
}

TEST_CASE("kernels that an eager call launches are eager") {
  const std::string bytes = Host(kEagerly + EncodeEvent(kOther, 10, 1, IntStat(kCorrelation, 7))) +
                            Gpu(EncodeLine(1, "s", EncodeEvent(kOther, 50, 5, IntStat(kCorrelation, 7)) +
                                                       EncodeEvent(kOther, 60, 5, IntStat(kCorrelation, 8))));
  CHECK(Eager(bytes, 1, 2) == "10");
  CHECK(Eager(bytes, 0, 2) == "00");
}

TEST_CASE("grouping finds eager ops by itself where it has no hints yet") {
  const std::string eager = Host(kEagerly + EncodeEvent(kOp, 10, 1)), none = Host(kEagerly + EncodeEvent(kOp, 200, 1));
  const Grouping found = ReadGrouping(ReadLayout(eager), {});
  REQUIRE(found.eager.BitsOf(0, 0) != nullptr);
  CHECK(found.eager.BitsOf(0, 0)->Get(1));
  CHECK_FALSE(found.already_grouped);
  CHECK(found.groups.empty());
  CHECK(ReadGrouping(ReadLayout(none), {}).eager.BitsOf(0, 0) == nullptr);
  CHECK(ReadGrouping(ReadLayout(Host(kEagerly, StatName(kGroup, "group_id"))), {}).already_grouped);
}

// Groups of a plane's lines, "-" for none: "0 0 -".
std::string Groups(const std::string& bytes, uint32_t plane, uint32_t line, const GroupingNeeds& needs) {
  const Grouping grouping = ReadGrouping(ReadLayout(bytes), needs);
  const std::vector<int64_t>* groups = grouping.GroupsOf(plane, line);
  if (groups == nullptr) return "as stored";
  std::string text;
  for (const int64_t group : *groups) text += (text.empty() ? "" : " ") + (group == kNoGroup ? "-" : std::to_string(group));
  return text;
}

TEST_CASE("a kernel without a group takes that of the one before it, over all lines of its plane") {
  const std::string host = Host(EncodeEvent(kOther, 0, 50, IntStat(kRoot, 1)) + EncodeEvent(kOther, 10, 1, IntStat(kCorrelation, 7)) +
                                EncodeEvent(kOther, 60, 30, IntStat(kRoot, 1)) + EncodeEvent(kOther, 70, 1, IntStat(kCorrelation, 8)));
  const std::string first = EncodeLine(1, "s", EncodeEvent(kOther, 90, 1) + EncodeEvent(kOther, 100, 5, IntStat(kCorrelation, 7)) +
                                                   EncodeEvent(kOther, 300, 5));
  const std::string second = EncodeLine(2, "u", EncodeEvent(kOther, 150, 5) + EncodeEvent(kOther, 200, 5, IntStat(kCorrelation, 8)));
  const std::string derived = EncodeLine(-559'038'737, "Steps", EncodeEvent(kOther, 100, 5));
  const std::string bytes = host + Gpu(first + second + derived);
  CHECK(Groups(bytes, 1, 0, {.gpu_groups = true}) == "- 0 1");
  CHECK(Groups(bytes, 1, 1, {.gpu_groups = true}) == "0 1");
  CHECK(Groups(bytes, 1, 2, {.gpu_groups = true}) == "as stored");
  CHECK(Groups(bytes, 0, 0, {.gpu_groups = true}) == "as stored");
  CHECK(Groups(bytes, 1, 0, {}) == "as stored");
}

TEST_CASE("of kernels that begin together the shorter passes its group on first") {
  const std::string line = EncodeLine(1, "s", EncodeEvent(kOther, 100, 9) + EncodeEvent(kOther, 100, 5, IntStat(kGroup, 4)));
  const std::string bytes = Host("") + EncodePlane("/device:GPU:0", line + Names() + StatName(kGroup, "group_id"));
  CHECK(Groups(bytes, 1, 0, {.gpu_groups = true}) == "4 4");
}

TEST_CASE("with loops nothing is linked: only what is stored spreads, where the plane has any") {
  const std::string host = Host("", EventName(9, "ForOp"));
  const std::string line = EncodeLine(1, "s", EncodeEvent(kOther, 100, 5, IntStat(kGroup, 4)) + EncodeEvent(kOther, 110, 5));
  CHECK(Groups(host + EncodePlane("/device:GPU:0", line + Names() + StatName(kGroup, "group_id")), 1, 0, {.gpu_groups = true}) == "4 4");
  CHECK(Groups(host + Gpu(line), 1, 0, {.gpu_groups = true}) == "as stored");
}

TEST_CASE("the steps of TPU planes are groups") {
  const std::string steps = EncodeLine(1, "Steps", EncodeEvent(kOther, 0, 10) + EncodeEvent(kOther, 10, 10));
  const std::string bytes = Host("") + EncodePlane("/device:TPU:0", steps + EncodeLine(2, "XLA Ops", EncodeEvent(kOther, 1, 2)) + Names());
  CHECK(Groups(bytes, 1, 0, {.tpu_groups = true}) == "0 1");
  CHECK(Groups(bytes, 1, 1, {.tpu_groups = true}) == "as stored");
  CHECK(Groups(bytes, 1, 0, {.gpu_groups = true}) == "as stored");
}

}  // namespace
}  // namespace tfprof::xplane
