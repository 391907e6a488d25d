#include "base/utf8.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

namespace tfprof {
namespace {

std::string Valid(std::string_view text) {
  std::string out;
  AppendValidUtf8(text, &out);
  return out;
}

TEST_CASE("Valid UTF-8 stays as it is") {
  for (const std::string text :
       {"", "plain", "ünïcode", "日本語", "emoji 🚀", "U+0800 \xe0\xa0\x80, U+10FFFF \xf4\x8f\xbf\xbf"}) {
    CHECK(IsValidUtf8(text));
    CHECK(Valid(text) == text);
  }
}

TEST_CASE("Each byte that is not UTF-8 becomes one U+FFFD") {
  CHECK(Valid("k\xff\xfe"
              "1") == "k\uFFFD\uFFFD1");
  CHECK(Valid("\xe2\x82") == "\uFFFD\uFFFD");                      // cut character
  CHECK(Valid("\xc0\xaf") == "\uFFFD\uFFFD");                      // overlong
  CHECK(Valid("\xed\xa0\x80") == "\uFFFD\uFFFD\uFFFD");            // surrogate
  CHECK(Valid("\xf4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond U+10FFFF
  CHECK(Valid("abcdefgh\x80ijklmnop") == "abcdefgh\uFFFDijklmnop");
  CHECK_FALSE(IsValidUtf8("abcdefgh\x80"));
  CHECK_FALSE(IsValidUtf8("\xe2\x82"));
}

TEST_CASE("Whatever the bytes, the result is valid, and valid text is untouched") {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 24, ' ');
    for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? 0x80 + random() % 128 : random() % 128);
    const std::string valid = Valid(text);
    CHECK(IsValidUtf8(valid));
    CHECK((valid == text) == IsValidUtf8(text));
  }
}

}  // namespace
}  // namespace tfprof
