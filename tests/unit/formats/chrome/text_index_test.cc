#include "formats/chrome/text_index.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

namespace tfprof::chrome {
namespace {

// Many marks, many bytes that differ from one in a single bit.
std::string RandomText(std::mt19937_64* random, size_t size) {
  const std::string marks = "\"\\{}[]";
  std::string text(size, '\0');
  for (char& c : text) {
    c = (*random)() % 3 == 0 ? static_cast<char>((*random)()) : marks[(*random)() % marks.size()];
    if ((*random)() % 3 == 0) c = static_cast<char>(c ^ (1 << (*random)() % 8));
  }
  return text;
}

TEST_CASE("every kernel marks the same bytes") {
  std::mt19937_64 random(7);
  REQUIRE(MarkKernels().back().name == "plain");
  for (int round = 0; round < 50; ++round) {
    const std::string text = RandomText(&random, 64 * 20);
    for (const MarkKernel& kernel : MarkKernels()) {
      INFO(kernel.name);
      std::vector<BlockMarks> marks(20);
      kernel.mark(text.data(), marks.size(), marks.data());
      for (size_t i = 0; i < text.size(); ++i) {
        const bool quote = (marks[i / 64].quotes >> (i % 64) & 1) != 0, bracket = (marks[i / 64].brackets >> (i % 64) & 1) != 0;
        CHECK(quote == (text[i] == '"' || text[i] == '\\'));
        CHECK(bracket == (text[i] == '{' || text[i] == '}' || text[i] == '[' || text[i] == ']'));
      }
    }
  }
}

TEST_CASE("the next mark from any place on, in texts of any length") {
  std::mt19937_64 random(8);
  TextIndex index;
  for (const size_t size : {0, 1, 63, 64, 65, 4095, 4096, 4097, 10'000}) {
    std::string text(size, 'x');
    for (size_t i = 0; i < size; i += 1 + random() % 200) text[i] = i % 2 == 0 ? '"' : '{';
    index.Reset();
    const char* const end = text.data() + size;
    for (size_t i = 0; i <= size; ++i) {
      const size_t quote = std::min(text.find_first_of("\"\\", i), size);
      const size_t structure = std::min(text.find_first_of("\"\\{}[]", i), size);
      CHECK(index.FindQuote(text.data() + i, end) == text.data() + quote);
      CHECK(index.FindStructure(text.data() + i, end) == text.data() + structure);
    }
    for (int i = 0; i < 200 && size > 0; ++i) {  // back and forth
      const size_t at = random() % size;
      CHECK(index.FindQuote(text.data() + at, end) == text.data() + std::min(text.find_first_of("\"\\", at), size));
    }
  }
}

}  // namespace
}  // namespace tfprof::chrome
