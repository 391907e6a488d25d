// The two ways in which XProf finds a stat (reference: xspace.md §1, "Typed accessors").
#include "formats/xplane/xprof_stats.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

// A stat metadata whose inner id isn't its key.
std::string NamedStat(int64_t key, int64_t inner_id, std::string_view name) {
  return testing::Bytes(5, Int(1, key) + testing::Bytes(2, Int(1, inner_id) + testing::Bytes(2, name)));
}

// Reads one event's stats both ways: "get 1, last 2", "-" where there is none.
std::string Both(const std::string& names, const std::string& event_stats) {
  const std::string bytes = EncodePlane("p", names);
  const Layout layout = ReadLayout(bytes);
  XprofStats stats(layout.planes.at(0), {XprofStat::kTfOp}, {XprofStat::kTfOp});
  stats.Read(event_stats, kEventStats);
  const auto text = [](const Stat* stat) { return stat == nullptr ? "-" : std::to_string(stat->int64_only()); };
  return "get " + text(stats.Get(XprofStat::kTfOp)) + ", last " + text(stats.Last(XprofStat::kTfOp));
}

TEST_CASE("of a stat that is there twice, get takes the first and for each the last") {
  CHECK(Both(StatName(5, "tf_op"), IntStat(5, 1) + IntStat(6, 9) + IntStat(5, 2)) == "get 1, last 2");
  CHECK(Both(StatName(5, "tf_op"), IntStat(6, 1)) == "get -, last -");
  CHECK(Both(StatName(5, "tf_op"), "") == "get -, last -");
}

TEST_CASE("get goes by the inner id, for each by the key") {
  CHECK(Both(NamedStat(5, 7, "tf_op"), IntStat(5, 1) + IntStat(7, 2)) == "get 2, last 1");
  CHECK(Both(NamedStat(5, 0, "tf_op"), IntStat(5, 1)) == "get -, last 1");
}

TEST_CASE("of several metadata of one name all count for each") {
  const std::string names = StatName(5, "tf_op") + StatName(70'000, "tf_op") + StatName(INT64_MIN, "tf_op");
  CHECK(Both(names, IntStat(5, 1)).ends_with("last 1"));
  CHECK(Both(names, IntStat(70'000, 2)).ends_with("last 2"));
  CHECK(Both(names, IntStat(INT64_MIN, 3)) == "get 3, last 3");
}

TEST_CASE("each message is read anew, from the field that is asked for") {
  const std::string bytes = EncodePlane("p", StatName(5, "tf_op"));
  const Layout layout = ReadLayout(bytes);
  XprofStats stats(layout.planes.at(0), {XprofStat::kTfOp, XprofStat::kHloOp}, {});
  const std::string message = MetadataStat(IntValue(5, 1));
  stats.Read(message, kMetadataStats);
  REQUIRE(stats.Get(XprofStat::kTfOp) != nullptr);
  CHECK(stats.Last(XprofStat::kTfOp) == nullptr);  // wasn't asked for
  stats.Read(message, kEventStats);
  CHECK(stats.Get(XprofStat::kTfOp) == nullptr);
  CHECK(stats.Knows(XprofStat::kTfOp));
  CHECK_FALSE(stats.Knows(XprofStat::kHloOp));
  CHECK_FALSE(stats.Knows(XprofStat::kGroupId));
  CHECK(stats.filter().MayWant(IntValue(5, 1)));
  CHECK_FALSE(stats.filter().MayWant(IntValue(6, 1)));
}

TEST_CASE("every stat has a name of its own") {
  std::set<std::string_view> names;
  for (int i = 0; i < static_cast<int>(XprofStat::kCount); ++i) {
    CHECK(names.insert(trace::EventStatName(static_cast<XprofStat>(i))).second);
  }
  CHECK(trace::EventStatName(XprofStat::kTfOp) == "tf_op");
  CHECK(trace::EventStatName(XprofStat::kStageId) == "_ipl_stage_id");
  CHECK(trace::EventStatName(XprofStat::kProcess) == "_pid");
  CHECK(trace::EventStatName(XprofStat::kRunId) == "run_id");
}

TEST_CASE("stats of the plane itself, both ways") {
  const std::string bytes =
      EncodePlane("p", NamedStat(5, 7, "x") + StatName(8, "y") + PlaneStat(IntValue(5, 1)) + PlaneStat(IntValue(7, 2)) +
                           PlaneStat(IntValue(7, 3)) + PlaneStat(IntValue(5, 4)));
  const Layout layout = ReadLayout(bytes);
  const Plane& plane = layout.planes.at(0);
  CHECK(GetPlaneStat(plane, "x")->int64_only() == 2);
  CHECK(LastPlaneStat(plane, "x")->int64_only() == 4);
  for (const char* name : {"y", "z"}) {
    CHECK_FALSE(GetPlaneStat(plane, name));
    CHECK_FALSE(LastPlaneStat(plane, name));
  }
}

TEST_CASE("numbers of texts: referred to, in the stat itself, none") {
  const std::string bytes = EncodePlane("p", StatName(3, "text"));
  const Layout layout = ReadLayout(bytes);
  TextIds ids(layout.planes.at(0));
  const auto text = [](int64_t id, std::string_view own) {
    return Stat{.metadata_id = id, .slot = Stat::Slot::kString, .text = own};
  };
  const auto reference = [](uint64_t to) { return Stat{.metadata_id = 1, .slot = Stat::Slot::kRef, .bits = to}; };
  const Stat ref = reference(3), own = text(1, "own"), same = text(2, "own"), other = text(1, "other");
  const Stat huge = reference(UINT64_MAX);
  CHECK(ids.Of(nullptr) == TextIds::kNone);
  CHECK(ids.Text(TextIds::kNone).empty());
  CHECK(ids.Text(ids.Of(&ref)) == "text");
  CHECK(ids.Of(&own) == ids.Of(&same));
  CHECK(ids.Of(&own) != ids.Of(&other));
  CHECK(ids.Text(ids.Of(&own)) == "own");
  CHECK(ids.Text(ids.Of(&other)) == "other");
  CHECK(ids.Of(&huge) != TextIds::kNone);  // a reference that no id can be: its text is empty
  CHECK(ids.Text(ids.Of(&huge)).empty());
}

// A correlation id in the strict reading: "missing", or its slot and value.
std::string AnySlot(const std::string& event_stat) {
  const std::string bytes = EncodePlane("p", StatName(5, "correlation_id") + StatName(6, "12") + StatName(7, "tf_op"));
  const Layout layout = ReadLayout(bytes);
  XprofStats stats(layout.planes.at(0), {XprofStat::kCorrelationId}, {XprofStat::kCorrelationId}, trace::NumberSlots::kAny);
  stats.Read(event_stat, kEventStats);
  const Stat* first = stats.Get(XprofStat::kCorrelationId);
  const Stat* last = stats.Last(XprofStat::kCorrelationId);
  CHECK((first == nullptr) == (last == nullptr));
  if (first == nullptr || last == nullptr) return "missing";
  CHECK(*first == *last);
  return (first->slot == Stat::Slot::kUint64 ? "uint64 " : first->slot == Stat::Slot::kInt64 ? "int64 " : "other ") +
         std::to_string(first->int_or_uint());
}

TEST_CASE("strictly a number is read from any slot, and what is no number is missing, not 0") {
  CHECK(AnySlot(testing::EventStat(IntValue(5, 12))) == "int64 12");
  CHECK(AnySlot(testing::EventStat(UintValue(5, 12))) == "int64 12");
  CHECK(AnySlot(testing::EventStat(UintValue(5, UINT64_MAX))) == "uint64 18446744073709551615");
  CHECK(AnySlot(testing::EventStat(DoubleValue(5, 12.0))) == "int64 12");
  CHECK(AnySlot(testing::EventStat(DoubleValue(5, 0x1p63))) == "uint64 9223372036854775808");
  CHECK(AnySlot(testing::EventStat(TextValue(5, "12"))) == "int64 12");
  CHECK(AnySlot(testing::EventStat(TextValue(5, "0xff"))) == "int64 255");
  CHECK(AnySlot(testing::EventStat(RefValue(5, 6))) == "int64 12");
  for (const std::string& none : {DoubleValue(5, 1e30), DoubleValue(5, -1e30), TextValue(5, "twelve"), TextValue(5, "12 "),
                                  TextValue(5, ""), RefValue(5, 7), RefValue(5, 99)}) {
    CHECK(AnySlot(testing::EventStat(none)) == "missing");
  }
}

}  // namespace
}  // namespace tfprof::xplane
