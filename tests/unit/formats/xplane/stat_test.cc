// XStat: slots, accessors, and the fast parse against the plain one (reference: xspace.md §1).
#include "formats/xplane/stat.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;
using Slot = Stat::Slot;

constexpr int64_t kHugeId = INT64_MIN;  // 2^63 as a file's uint64

TEST_CASE("each slot keeps what was written") {
  CHECK(ParseStat(DoubleValue(7, 1.5)) == Stat{7, Slot::kDouble, false, std::bit_cast<uint64_t>(1.5), {}});
  CHECK(ParseStat(UintValue(7, UINT64_MAX)) == Stat{7, Slot::kUint64, false, UINT64_MAX, {}});
  CHECK(ParseStat(IntValue(7, -1)) == Stat{7, Slot::kInt64, false, UINT64_MAX, {}});
  CHECK(ParseStat(RefValue(kHugeId, 9)) == Stat{kHugeId, Slot::kRef, false, 9, {}});
  const std::string text = TextValue(7, "text"), bytes = BytesValue(7, std::string("\0\xff", 2));
  CHECK(ParseStat(text) == Stat{7, Slot::kString, false, 0, "text"});
  CHECK(ParseStat(bytes).slot == Slot::kBytes);
  CHECK(ParseStat(bytes).text == std::string_view("\0\xff", 2));
}

TEST_CASE("a stat without id or value, and zero values, which are values") {
  CHECK(ParseStat("") == Stat());
  CHECK(ParseStat(Int(1, 5)) == Stat{5, Slot::kNone, false, 0, {}});
  CHECK(ParseStat(Int(4, 0)) == Stat{0, Slot::kInt64, false, 0, {}});
  CHECK(ParseStat(TextValue(1, "")).slot == Slot::kString);
}

TEST_CASE("of several values the last one counts, unknown fields and wrong wire types are passed over") {
  CHECK(ParseStat(Int(4, 1) + Int(1, 5) + Int(3, 2)).slot == Slot::kUint64);
  CHECK(ParseStat(Int(4, 1) + Int(1, 5) + Int(3, 2)).bits == 2);
  const std::string odd =
      Group(9, Int(1, 3)) + IntValue(5, 6) + Fixed32(4, 1) + testing::Bytes(3, "x") + Int(2, 1) + Int(77, 1);
  CHECK(ParseStat(odd) == Stat{5, Slot::kInt64, false, 6, {}});
}

TEST_CASE("what is broken reads as unset") {
  const std::string whole = IntValue(5, 1 << 20);
  CHECK(ParseStat(whole.substr(0, whole.size() - 1)) == Stat{5, Slot::kNone, true, 0, {}});
  const std::string text = TextValue(5, "long");
  CHECK(ParseStat(text.substr(0, text.size() - 1)) == Stat{5, Slot::kNone, true, 0, {}});
}

TEST_CASE("typed accessors see their own slot only; others any number") {
  const Stat i{1, Slot::kInt64, false, static_cast<uint64_t>(-5), {}}, u{1, Slot::kUint64, false, UINT64_MAX, {}};
  const Stat d{1, Slot::kDouble, false, std::bit_cast<uint64_t>(-2.9), {}}, text{1, Slot::kString, false, 0, "8"},
      ref{1, Slot::kRef, false, 8, {}};
  CHECK(i.int64_only() == -5);
  CHECK(i.uint64_only() == 0);
  CHECK(i.double_only() == 0);
  CHECK(i.any_int() == -5);
  CHECK(i.any_number() == -5.0);
  CHECK(u.int64_only() == 0);
  CHECK(u.uint64_only() == UINT64_MAX);
  CHECK(u.int_or_uint() == UINT64_MAX);
  CHECK(u.any_number() == 18446744073709551616.0);
  CHECK(d.int64_only() == 0);
  CHECK(d.int_or_uint() == 0);
  CHECK(d.double_only() == -2.9);
  CHECK(d.any_int() == -2);
  for (const Stat& none : {text, ref, Stat()}) {
    CHECK(none.any_int() == 0);
    CHECK(none.any_number() == 0);
    CHECK(none.int_or_uint() == 0);
    CHECK(none.double_only() == 0);
  }
}

TEST_CASE("doubles that are no int64 are 0 as integers") {
  for (const double value : {1e19, -1e19, std::numeric_limits<double>::infinity(), std::nan("")}) {
    CHECK(Stat{1, Slot::kDouble, false, std::bit_cast<uint64_t>(value), {}}.any_int() == 0);
  }
}

TEST_CASE("the fast parse agrees with the plain one wherever it gives an answer") {
  std::vector<std::string> messages = {"",
                                       Int(1, 1),
                                       Int(4, 1),
                                       Int(1, 1) + Int(1, 2) + Int(4, 3),
                                       TextValue(1, std::string(200, 'x')),
                                       IntValue(1, 1) + Int(9, 9),
                                       Int(4, 1) + Int(1, 1),
                                       std::string("\x08\x81\x00\x20\x05", 5),
                                       std::string("\x08\x81\x80\x00\x20\x05", 6),
                                       Int(1, 1) + Fixed64(4, 1)};
  for (const int64_t id :
       {int64_t{0}, int64_t{1}, int64_t{127}, int64_t{128}, int64_t{16'383}, int64_t{16'384}, int64_t{-1}}) {
    for (const std::string& message :
         {DoubleValue(id, 2.5), UintValue(id, 300), IntValue(id, -3), RefValue(id, 1 << 20), TextValue(id, "abc"),
          TextValue(id, ""), BytesValue(id, "xyz")}) {
      messages.push_back(message);
      for (size_t size = 0; size < message.size(); ++size) messages.push_back(message.substr(0, size));
    }
  }
  int fast = 0;
  for (const std::string& message : messages) {
    Stat stat;
    if (!ParseUsualStat(wire::Begin(message), wire::End(message), &stat)) continue;
    ++fast;
    CHECK(stat == ParseStat(message));
  }
  CHECK(fast >= 5 * 7);  // every whole one with an id of one or two bytes
}

TEST_CASE("a filter passes what is wanted, however its id is spelled") {
  StatFilter filter;
  filter.Want(5);
  filter.Want(300);
  filter.Want(-1);
  filter.Want(kHugeId);
  for (const int64_t id : {int64_t{5}, int64_t{300}, int64_t{-1}, kHugeId}) CHECK(filter.MayWant(IntValue(id, 1)));
  CHECK(filter.MayWant(std::string("\x08\x85\x00\x20\x01", 5)));  // 5 in two bytes
  for (const int64_t id : {0, 4, 6, 44, 127}) CHECK_FALSE(filter.MayWant(IntValue(id, 1)));
  CHECK(filter.MayWant(Int(4, 1) + Int(1, 6)));  // the id isn't first: who knows
  CHECK(filter.MayWant(""));
}

TEST_CASE("filters of all stats, of none, and of both of two") {
  StatFilter none, one;
  CHECK_FALSE(none.MayWant(IntValue(1, 1)));
  for (const int64_t id : {0, 1, 127, 128, 99'999}) CHECK(StatFilter::All().MayWant(IntValue(id, 1)));
  one.Want(1);
  none.Merge(one);
  CHECK(none.MayWant(IntValue(1, 1)));
  CHECK_FALSE(none.MayWant(IntValue(2, 1)));
}

std::vector<int64_t> Ids(const std::string& message, uint32_t field, const StatFilter* wanted = nullptr) {
  std::vector<int64_t> ids;
  StatCursor cursor(message, field, wanted);
  for (Stat stat; cursor.Next(&stat);) ids.push_back(stat.metadata_id);
  return ids;
}

TEST_CASE("the stats of a message, among other fields, short and long") {
  const std::string message = Int(1, 9) + IntStat(1, 2) + Int(2, 5) + TextStat(2, std::string(300, 'x')) +
                              Group(4, Int(1, 8)) + testing::Bytes(5, IntValue(7, 7)) + IntStat(3, -1) + EventStat("");
  CHECK(Ids(message, kEventStats) == std::vector<int64_t>{1, 2, 3, 0});
  CHECK(Ids(message, kMetadataStats) == std::vector<int64_t>{7});
  CHECK(Ids("", kEventStats).empty());
}

TEST_CASE("a broken tail ends the stats, what came before it counts") {
  const std::string message = IntStat(1, 2) + IntStat(2, 3) + TextStat(3, "text");
  const size_t before_last = (IntStat(1, 2) + IntStat(2, 3)).size();
  for (size_t size = before_last; size < message.size(); ++size) {
    CHECK(Ids(message.substr(0, size), kEventStats) == std::vector<int64_t>{1, 2});
  }
}

TEST_CASE("a stat is not that of the one before it: unset slots are unset") {
  const std::string message = TextStat(1, "text") + IntStat(2, 3);
  StatCursor cursor(message, kEventStats);
  Stat stat;
  REQUIRE(cursor.Next(&stat));
  REQUIRE(cursor.Next(&stat));
  CHECK(stat == Stat{2, Slot::kInt64, false, 3, {}});
  CHECK_FALSE(cursor.Next(&stat));
  CHECK_FALSE(cursor.Next(&stat));
}

TEST_CASE("with a filter the wanted ones are all there") {
  StatFilter filter;
  filter.Want(2);
  filter.Want(300);
  const std::string message = IntStat(1, 1) + IntStat(2, 1) + IntStat(3, 1) + IntStat(300, 1) + IntStat(2, 2);
  CHECK(Ids(message, kEventStats, &filter) == std::vector<int64_t>{2, 300, 2});
}

}  // namespace
}  // namespace tfprof::xplane
