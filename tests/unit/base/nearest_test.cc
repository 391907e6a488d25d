#include "base/nearest.h"

#include <catch2/catch.hpp>

namespace tfprof {
namespace {

TEST_CASE("The nearest name is the one a slip of the finger away") {
  const std::vector<std::string_view> names = {"self", "total", "occurrences", "--limit", "p99"};
  CHECK(NearestName("sefl", names) == "self");
  CHECK(NearestName("totl", names) == "total");
  CHECK(NearestName("occurences", names) == "occurrences");
  CHECK(NearestName("--limits", names) == "--limit");
  CHECK(NearestName("occ", names) == "occurrences");  // begun
  CHECK(NearestName("p9", names) == "p99");
}

TEST_CASE("What is like no name has none near") {
  const std::vector<std::string_view> names = {"self", "total"};
  CHECK(NearestName("duration", names).empty());
  CHECK(NearestName("", names).empty());
  CHECK(NearestName("x", names).empty());
  CHECK(NearestName(std::string(1000, 's'), names).empty());
  CHECK(NearestName("self", {}).empty());
}

}  // namespace
}  // namespace tfprof
