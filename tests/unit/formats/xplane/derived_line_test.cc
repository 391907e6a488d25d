// The reserved line ids (reference: xspace.md §5).
#include "formats/xplane/derived_line.h"

#include <catch2/catch.hpp>

namespace tfprof::xplane {
namespace {

TEST_CASE("the low 32 bits decide, whatever the sign") {
  constexpr int64_t kFirst = 3'735'928'559;
  for (const int64_t id : {kFirst, kFirst + 405, int64_t{-559'038'737}, int64_t{-559'038'737} + 405, 5 * (int64_t{1} << 32) + kFirst,
                           static_cast<int64_t>(uint64_t{1} << 63 | static_cast<uint64_t>(kFirst))}) {
    CAPTURE(id);
    CHECK(IsDerivedLineId(id));
  }
  for (const int64_t id : {kFirst - 1, kFirst + 406, int64_t{-559'038'738}, int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX}) {
    CAPTURE(id);
    CHECK_FALSE(IsDerivedLineId(id));
  }
}

}  // namespace
}  // namespace tfprof::xplane
