#include "formats/chrome/beside_lanes.h"

#include <catch2/catch.hpp>

namespace tfprof::chrome {
namespace {

using Counts = std::vector<std::pair<std::string, uint64_t>>;

TEST_CASE("events beside lanes are counted by what they tell; X, B, E and M are on lanes") {
  CHECK(EventsBesideLanes({{'X', 5}, {'B', 1}, {'E', 1}, {'M', 3}}).empty());
  CHECK(EventsBesideLanes({{'s', 4}, {'t', 3}, {'f', 4}, {'C', 2}, {'N', 1}, {'O', 5}, {'D', 1}, {'b', 2}, {'e', 2}}) ==
        Counts{{"flow arrows", 7}, {"async events", 4}, {"counters", 2}, {"object snapshots", 7}});
}

TEST_CASE("phases that the format doesn't know are counted together; those of none are told elsewhere") {
  CHECK(EventsBesideLanes({{'v', 1}, {'V', 1}, {'(', 1}, {')', 1}, {'=', 4}, {'Z', 2}, {'\x01', 1}, {'\0', 9}}) ==
        Counts{{"memory dumps", 2}, {"contexts", 2}, {"linked ids", 4}, {"events of unknown phases", 3}});
}

}  // namespace
}  // namespace tfprof::chrome
