// From a stat's id to its meaning.
#include "formats/xplane/stat_kinds.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

TEST_CASE("stats are found by name and map key, whatever the key; several of one name all count") {
  const std::string bytes =
      EncodePlane("p", StatName(3, "tf_op") + StatName(65'535, "hlo_op") + StatName(65'536, "program_id") +
                           StatName(-1, "tf_op") + StatName(INT64_MIN, "is_eager") + StatName(4, "tf_op2") +
                           testing::Bytes(5, Int(1, 77) + testing::Bytes(2, Int(1, 5) + testing::Bytes(2, "hlo_op"))));
  const Layout layout = ReadLayout(bytes);
  const StatKinds kinds(layout.planes.at(0), {{"tf_op", StatKind::kTfOp},
                                              {"hlo_op", StatKind::kHloOp},
                                              {"program_id", StatKind::kProgramId},
                                              {"is_eager", StatKind::kIsEager},
                                              {"level 0", StatKind::kLevel0}});
  CHECK(kinds.any());
  CHECK(kinds.Of(3) == StatKind::kTfOp);
  CHECK(kinds.Of(-1) == StatKind::kTfOp);
  CHECK(kinds.Of(65'535) == StatKind::kHloOp);
  CHECK(kinds.Of(65'536) == StatKind::kProgramId);
  CHECK(kinds.Of(INT64_MIN) == StatKind::kIsEager);
  CHECK(kinds.Of(77) == StatKind::kHloOp);  // by key
  CHECK(kinds.Of(5) == StatKind::kIgnored);  // not by inner id
  for (const int64_t id : {int64_t{0}, int64_t{4}, int64_t{65'537}, INT64_MAX}) CHECK(kinds.Of(id) == StatKind::kIgnored);
  CHECK(kinds.Has(StatKind::kTfOp));
  CHECK_FALSE(kinds.Has(StatKind::kLevel0));
  CHECK(kinds.filter().MayWant(IntValue(3, 1)));
  CHECK(kinds.filter().MayWant(IntValue(INT64_MIN, 1)));
  CHECK_FALSE(kinds.filter().MayWant(IntValue(4, 1)));
}

TEST_CASE("a name that is wanted as ignored, and a plane without names, want nothing") {
  const std::string bytes = EncodePlane("p", StatName(3, "is_eager")) + EncodePlane("q", "");
  const Layout layout = ReadLayout(bytes);
  for (const Plane& plane : layout.planes) {
    const StatKinds kinds(plane, {{"is_eager", StatKind::kIgnored}});
    CHECK_FALSE(kinds.any());
    CHECK(kinds.Of(3) == StatKind::kIgnored);
    CHECK_FALSE(kinds.filter().MayWant(IntValue(3, 1)));
  }
}

}  // namespace
}  // namespace tfprof::xplane
