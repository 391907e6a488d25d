#include "trace/owner.h"

#include <catch2/catch.hpp>

namespace tfprof::trace {
namespace {

TEST_CASE("the first text that is there owns a device event") {
  DeviceTexts texts{.hlo_framework_name = "jit(f)/dot_general:",
                    .tf_op = "a:A",
                    .annotation = "b:B",
                    .scope_name = "c/d",
                    .hlo_op = "fusion.1",
                    .hlo_type = "fusion",
                    .kernel = "k"};
  CHECK(ResolveOwner(texts).name == "jit(f)/dot_general");
  texts.hlo_framework_name = {};
  CHECK(ResolveOwner(texts).name == "a");
  texts.tf_op = "XlaModule:jit_f";
  CHECK(ResolveOwner(texts).name == "b");
  texts.annotation = {};
  CHECK(ResolveOwner(texts).name == "c/d");
  texts.scope_name = {};
  CHECK(ResolveOwner(texts).name == "fusion.1");
  CHECK(ResolveOwner(texts).type == "fusion");
  CHECK(ResolveOwner(texts).attributed);
  texts.hlo_op = {};
  const Op op = ResolveOwner(texts);
  CHECK(op.name == "k");
  CHECK(op.type == "Unknown");
  CHECK_FALSE(op.attributed);
}

TEST_CASE("the outermost annotation ends at # and at ::") {
  CHECK(OutermostAnnotation("Conv:Conv2D") == "Conv:Conv2D");
  CHECK(OutermostAnnotation("a:B#k=v#::c:D#e=f#") == "a:B");
  CHECK(OutermostAnnotation("a:B::c:D") == "a:B");
  CHECK(OutermostAnnotation("#edge_name=copy#").empty());
  CHECK(LastHloOp("while::fusion.3") == "fusion.3");
}

}  // namespace
}  // namespace tfprof::trace
