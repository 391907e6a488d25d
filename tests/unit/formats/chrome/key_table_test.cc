#include "formats/chrome/key_table.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace tfprof::chrome {
namespace {

TEST_CASE("keys differ in any byte, length, tag, head or number of parts") {
  KeyTable table;
  using Part = KeyTable::Part;
  std::vector<std::pair<uint32_t, std::vector<Part>>> keys = {
      {0, {}}, {1, {}}, {0, {{"", 0}}}, {0, {{"", 1}}}, {0, {{"", 0}, {"", 0}}}, {0, {{"ab"}, {"c"}}}, {0, {{"a"}, {"bc"}}},
      {0, {{"abc"}}}};
  std::vector<std::string> texts;
  for (const size_t size : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 100'000}) {
    texts.emplace_back(size, 'x');
    for (size_t at = 0; at < size; at += size < 100 ? 1 : 9'999) {
      texts.emplace_back(size, 'x');
      texts.back()[at] = 'y';
    }
  }
  for (const std::string& text : texts) keys.push_back({3, {{text, 4}}});
  for (size_t i = 0; i < keys.size(); ++i) {
    uint32_t* number = table.Find(keys[i].first, keys[i].second);
    REQUIRE(*number == KeyTable::kNew);
    *number = static_cast<uint32_t>(i);
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    CHECK(*table.Find(keys[i].first, keys[i].second) == i);
    CHECK(*table.Find(keys[i].first, keys[i].second) == i);
  }
  CHECK(table.size() == keys.size());
}

TEST_CASE("a table of any size is a map") {
  KeyTable table;
  std::map<std::tuple<uint32_t, std::string, std::string>, uint32_t> map;
  std::mt19937_64 random(9);
  for (int i = 0; i < 200'000; ++i) {
    const auto head = static_cast<uint32_t>(random() % 3);
    const std::string a = std::to_string(random() % 50'000), b = std::string(random() % 3, 'b');
    const KeyTable::Part parts[] = {{a, 1}, {b, 2}};
    const auto [at, is_new] = map.try_emplace({head, a, b}, static_cast<uint32_t>(map.size()));
    uint32_t* number = table.Find(head, parts);
    REQUIRE((*number == KeyTable::kNew) == is_new);
    if (is_new) *number = at->second;
    REQUIRE(*number == at->second);
  }
  CHECK(table.size() == map.size());
}

}  // namespace
}  // namespace tfprof::chrome
