#include "compare/matching.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

namespace tfprof::compare {
namespace {

OpKey Op(std::string name, std::string type = "Conv2D", trace::Side side = trace::Side::kHost) {
  return {side, std::move(type), std::move(name)};
}

// "a", "a > b" (renamed), "-a" (gone), "+b" (new), in the order given back.
std::vector<std::string> Matched(std::vector<OpKey> base, std::vector<OpKey> next) {
  std::sort(base.begin(), base.end());
  std::sort(next.begin(), next.end());
  std::vector<std::string> texts;
  for (const MatchedKeys& match : MatchKeys(base, next)) {
    if (!match.next) {
      texts.push_back("-" + match.base->op_name);
    } else if (!match.base) {
      texts.push_back("+" + match.next->op_name);
    } else {
      const bool same = match.base->op_name == match.next->op_name;
      texts.push_back(same ? match.next->op_name : match.base->op_name + " > " + match.next->op_name);
    }
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("a normal name has no counters at the end of its parts") {
  CHECK(NormalName("conv2d_3/Conv2D_1") == "conv2d/Conv2D");
  CHECK(NormalName("loop_add_fusion.12.clone") == "loop_add_fusion");
  CHECK(NormalName("fusion.1.remat.2") == "fusion");
  CHECK(NormalName("model/up0_conv1/Conv2D") == "model/up0_conv1/Conv2D");  // a number without a mark is a name's own
  CHECK(NormalName("resnet50/conv2") == "resnet50/conv2");
  CHECK(NormalName("_12") == "_12");  // never emptied
  CHECK(NormalName("Iterator::Root::ForeverRepeat[5]::Map") == "Iterator::Root::ForeverRepeat::Map");
  CHECK(NormalName("Iterator::Root::Map[x]::[") == "Iterator::Root::Map[x]::[");
  CHECK(NormalName("while[5]/MatMul") == "while[5]/MatMul");
  CHECK(NormalName(".clone") == ".clone");
  CHECK(NormalName("a//b_1/") == "a//b/");
  CHECK(NormalName("") == "");
}

TEST_CASE("equal keys are matched first, then the rest of one normal name in the order of their numbers") {
  CHECK(Matched({Op("conv")}, {Op("conv")}) == Texts{"conv"});
  CHECK(Matched({Op("conv_1/C")}, {Op("conv_7/C")}) == Texts{"conv_1/C > conv_7/C"});
  CHECK(Matched({Op("d_9"), Op("d_10")}, {Op("d_19"), Op("d_20")}) == Texts{"d_9 > d_19", "d_10 > d_20"});
  CHECK(Matched({Op("d_9"), Op("d_10")}, {Op("d_99"), Op("d_100")}) == Texts{"d_10 > d_100", "d_9 > d_99"});
  // What is equal stays out of it: only d_2 is new.
  CHECK(Matched({Op("d"), Op("d_1")}, {Op("d"), Op("d_1"), Op("d_2")}) == Texts{"d", "d_1", "+d_2"});
}

TEST_CASE("another number of them is no rename") {
  CHECK(Matched({Op("d_1"), Op("d_2")}, {Op("d_3")}) == Texts{"-d_1", "-d_2", "+d_3"});
  CHECK(Matched({}, {Op("d_3")}) == Texts{"+d_3"});
  CHECK(Matched({Op("d_3")}, {}) == Texts{"-d_3"});
  CHECK(Matched({}, {}).empty());
}

TEST_CASE("another type or side is never a rename") {
  CHECK(Matched({Op("d_1", "Conv2D")}, {Op("d_2", "MatMul")}) == Texts{"-d_1", "+d_2"});
  CHECK(Matched({Op("d_1")}, {Op("d_2", "Conv2D", trace::Side::kDevice)}).size() == 2);
}

TEST_CASE("every key is in exactly one match, whatever the names") {
  std::mt19937 random(7);
  const auto draw = [&](uint32_t below) { return static_cast<uint32_t>(random()) % below; };
  for (int round = 0; round < 300; ++round) {
    const auto keys = [&] {
      std::vector<OpKey> made;
      for (uint32_t i = draw(8); i > 0; --i) {
        made.push_back(Op(std::string(1, static_cast<char>('a' + draw(2))) + "_" + std::to_string(draw(12))));
      }
      std::sort(made.begin(), made.end());
      made.erase(std::unique(made.begin(), made.end()), made.end());
      return made;
    };
    const std::vector<OpKey> base = keys(), next = keys();
    std::vector<OpKey> seen_base, seen_next;
    for (const MatchedKeys& match : MatchKeys(base, next)) {
      REQUIRE((match.base || match.next));
      if (match.base) seen_base.push_back(*match.base);
      if (match.next) seen_next.push_back(*match.next);
    }
    std::sort(seen_base.begin(), seen_base.end());
    std::sort(seen_next.begin(), seen_next.end());
    CHECK(seen_base == base);
    CHECK(seen_next == next);
  }
}

}  // namespace
}  // namespace tfprof::compare
