// Tables of ops that were resolved before: what was remembered is found, nothing else is.
#include "formats/xplane/known_ops.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

// A stat as it stands in a file, with bytes before it.
class InFile {
 public:
  explicit InFile(std::string stats) : bytes_("12345678" + std::move(stats)) {}
  Bytes stats() const { return Bytes(bytes_).substr(8); }

 private:
  std::string bytes_;
};

KnownStats::Key KeyOf(uint64_t id, const std::string& stats) { return KnownStats::KeyOf(id, InFile(stats).stats()); }

TEST_CASE("events with one stat of up to seven bytes have a key, others have none") {
  for (uint64_t size = 1; size <= 7; ++size) {
    CHECK(KeyOf(1, testing::Bytes(4, std::string(size, 'x'))).stat >> 56 == size);
    CHECK(KeyOf(1, testing::Bytes(4, std::string(size, '\0'))).stat == size << 56);
  }
  CHECK(KeyOf(1, testing::Bytes(4, "")).stat == 0);
  CHECK(KeyOf(1, testing::Bytes(4, std::string(8, 'x'))).stat == 0);
  CHECK(KeyOf(1, IntStat(1, 1) + IntStat(2, 2)).stat == 0);
  CHECK(KeyOf(UINT64_MAX, IntStat(1, 1)).id == UINT64_MAX);
}

TEST_CASE("a key is of the metadata id and the stat's bytes, not of what stands before") {
  const std::string stat = IntStat(3, 5);
  const std::string other_before = "abcdefgh" + stat;
  const KnownStats::Key key = KeyOf(7, stat), moved = KnownStats::KeyOf(7, Bytes(other_before).substr(8));
  CHECK(key.stat == moved.stat);
  CHECK(key.id == moved.id);
  CHECK(KeyOf(7, IntStat(3, 6)).stat != key.stat);
  CHECK(KeyOf(8, stat).id != key.id);
}

TEST_CASE("what was remembered is found, with its flag; thousands of them") {
  KnownStats known;
  constexpr uint32_t kMany = 20'000;
  for (uint32_t i = 0; i < kMany; ++i) known.Remember(KeyOf(i, RefValue(1, i).insert(0, "\x22\x05")), 0, false);
  for (uint32_t i = 0; i < kMany; ++i) known.Remember(KeyOf(i, IntStat(1, i % 100)), i, i % 2 == 0);
  bool all = true;
  for (uint32_t i = 0; i < kMany; ++i) {
    const KnownStats::Slot& slot = known.Find(KeyOf(i, IntStat(1, i % 100)));
    all = all && slot.op == i && slot.eager == (i % 2 == 0);
  }
  CHECK(all);
  CHECK(known.Find(KeyOf(kMany, IntStat(1, 1))).op == kUnknownOp);
  CHECK(known.Find(KeyOf(1, IntStat(1, 2))).op == kUnknownOp);
}

TEST_CASE("an event without a key is never known, nor one whose op isn't") {
  KnownStats known;
  const KnownStats::Key none = KeyOf(1, IntStat(1, 1) + IntStat(2, 2)), some = KeyOf(1, IntStat(1, 1));
  known.Remember(none, 5, true);
  known.Remember(some, kUnknownOp, true);
  CHECK(known.Find(none).op == kUnknownOp);
  CHECK(known.Find(some).op == kUnknownOp);
  CHECK_FALSE(known.Find(some).eager);
  known.Remember(some, 5, true);
  known.Remember(some, 6, false);
  CHECK(known.Find(some).op == 6);
  CHECK_FALSE(known.Find(some).eager);
}

TEST_CASE("combinations of two words and more, told apart by every word and by their number") {
  Combinations combinations;
  const std::vector<std::vector<uint64_t>> keys = {{0, 0}, {0, 1}, {1, 0}, {1, 0, 0, 0}, {1, 0, 0, 1}, {1, 0, 1, 0},
                                                   {1, 0, 0, 1, 0, 0}, {UINT64_MAX, UINT64_MAX}};
  for (const auto& key : keys) CHECK(combinations.Find(key.data(), key.size()) == kUnknownOp);
  for (uint32_t i = 0; i < keys.size(); ++i) combinations.Remember(keys[i].data(), keys[i].size(), i);
  for (uint32_t i = 0; i < keys.size(); ++i) CHECK(combinations.Find(keys[i].data(), keys[i].size()) == i);
  const uint64_t shorter[] = {1, 0, 0};
  CHECK(combinations.Find(shorter, 3) == kUnknownOp);
}

TEST_CASE("the table of combinations grows") {
  Combinations combinations;
  bool all = true;
  for (uint32_t i = 0; i < 20'000; ++i) {
    const uint64_t words[] = {i % 7, i, i / 3, 5};
    combinations.Remember(words, i % 2 == 0 ? 2 : 4, i);
  }
  for (uint32_t i = 0; i < 20'000; ++i) {
    const uint64_t words[] = {i % 7, i, i / 3, 5};
    all = all && combinations.Find(words, i % 2 == 0 ? 2 : 4) == i;
  }
  CHECK(all);
}

}  // namespace
}  // namespace tfprof::xplane
