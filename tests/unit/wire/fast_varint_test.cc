// The branchless varint against the plain one.
#include "wire/fast_varint.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace tfprof::wire {
namespace {

std::string Varint(uint64_t value, int padding = 0) {
  std::string text;
  for (; value > 127; value >>= 7) text.push_back(static_cast<char>(value | 128));
  text.push_back(static_cast<char>(value));
  for (; padding > 0; --padding) {
    text.back() = static_cast<char>(text.back() | 128);
    text.push_back('\0');
  }
  return text;
}

template <bool kPext>
void CheckAll() {
  std::vector<uint64_t> values = {0};
  for (int bit = 0; bit < 64; ++bit) {
    for (const int64_t near : {-1, 0, 1}) values.push_back((uint64_t{1} << bit) + static_cast<uint64_t>(near));
  }
  for (const uint64_t value : values) {
    for (int padding = 0; padding < 3; ++padding) {
      const std::string text = Varint(value, padding);
      if (text.size() > static_cast<size_t>(kMaxVarintBytes)) continue;
      for (const char behind : {'\0', '\x7f', '\x80', '\xff'}) {
        const std::string bytes = text + std::string(kSlopBytes, behind);
        const FastVarint fast = ReadFastVarint<kPext>(Begin(bytes));
        CAPTURE(value, padding, text.size());
        if (kPext && text.size() > 8) {
          CHECK(fast.next == nullptr);
          continue;
        }
        CHECK(fast.value == value);
        CHECK(fast.next == Begin(bytes) + text.size());
      }
    }
  }
  const std::string endless(kSlopBytes, '\xff');
  CHECK(ReadFastVarint<kPext>(Begin(endless)).next == nullptr);
}

TEST_CASE("varint by a loop") { CheckAll<false>(); }

TEST_CASE("varint by PEXT") {
  if (!HasFastPext()) {
    WARN("skipped: this CPU has no fast PEXT");
    return;
  }
  CheckAll<true>();
}

}  // namespace
}  // namespace tfprof::wire
