// The wire format, field by field: what is whole is read, what is broken is said and read no further.
#include "wire/reader.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/xspace_builder.h"

namespace tfprof::wire {
namespace {

using namespace tfprof::testing;
using testing::Bytes;  // the builder's, not the view

// Ends the fields of a message: "end", or "broken at <offset>".
std::string Ending(const std::string& message) {
  FieldReader reader(message);
  Field field;
  for (;;) {
    const Next next = reader.Read(&field);
    if (next == Next::kEnd) return "end";
    if (next == Next::kBroken) return "broken at " + std::to_string(reader.position() - Begin(message));
  }
}

Field ReadOne(const std::string& message) {
  FieldReader reader(message);
  Field field;
  REQUIRE(reader.Read(&field) == Next::kField);
  CHECK(reader.position() == End(message));
  return field;
}

TEST_CASE("varints of every length, padded ones too, checked and unchecked") {
  std::vector<uint64_t> values = {0, std::numeric_limits<uint64_t>::max(), uint64_t{1} << 63};
  for (int bits = 7; bits < 64; bits += 7) {
    values.push_back((uint64_t{1} << bits) - 1);
    values.push_back(uint64_t{1} << bits);
  }
  for (const uint64_t value : values) {
    std::string text = Varint(value);
    if (text.size() < 9) {  // 0x80 … 0x00: the same number, spelled longer
      text.back() = static_cast<char>(text.back() | 128);
      text += '\0';
    }
    const std::string padded = text + std::string(kSlopBytes, '\xff');
    CAPTURE(value);
    uint64_t checked = 1, unchecked = 1;
    CHECK(ReadVarint(Begin(text), End(text), &checked) == End(text));
    CHECK(checked == value);
    CHECK(ReadVarintUnchecked(Begin(padded), &unchecked) == Begin(padded) + text.size());
    CHECK(unchecked == value);
  }
}

TEST_CASE("a varint that is cut off or longer than ten bytes is none") {
  uint64_t value = 0;
  const std::string whole = Varint(std::numeric_limits<uint64_t>::max());
  REQUIRE(whole.size() == 10);
  for (size_t size = 0; size < whole.size(); ++size) {
    CHECK(ReadVarint(Begin(whole), Begin(whole) + size, &value) == nullptr);
  }
  const std::string endless = std::string(10, '\x80') + '\x01' + std::string(kSlopBytes, '\0');
  CHECK(ReadVarint(Begin(endless), End(endless), &value) == nullptr);
  CHECK(ReadVarintUnchecked(Begin(endless), &value) == nullptr);
}

TEST_CASE("bits beyond the 64th are dropped, as protobuf does") {
  const std::string text = std::string(9, '\x80') + '\x7f';
  uint64_t value = 0;
  CHECK(ReadVarint(Begin(text), End(text), &value) == End(text));
  CHECK(value == uint64_t{1} << 63);
}

TEST_CASE("a field of each wire type") {
  const Field varint = ReadOne(Int(1, -5));
  CHECK(varint.Is(1, WireType::kVarint));
  CHECK(varint.as_int64() == -5);
  CHECK_FALSE(varint.Is(2, WireType::kVarint));
  CHECK_FALSE(varint.Is(1, WireType::kBytes));
  const Field fixed64 = ReadOne(Fixed64(2, 0x8877665544332211));
  CHECK(fixed64.Is(2, WireType::kFixed64));
  CHECK(fixed64.bits == 0x8877665544332211);
  const Field fixed32 = ReadOne(Fixed32(3, 0x88776655));
  CHECK(fixed32.Is(3, WireType::kFixed32));
  CHECK(fixed32.bits == 0x88776655);  // the upper half is clear
  const std::string text_field = Bytes(4, "text"), group_field = Group(6, Int(1, 2));
  const Field text = ReadOne(text_field);
  CHECK(text.Is(4, WireType::kBytes));
  CHECK(text.bytes == "text");
  CHECK(ReadOne(Bytes(5, "")).bytes.size() == 0);
  const Field group = ReadOne(group_field);
  CHECK(group.Is(6, WireType::kGroup));
  CHECK(group.bytes == Int(1, 2));
}

TEST_CASE("field numbers go up to 2^29 - 1 and begin at 1") {
  CHECK(ReadOne(Int(0x1fffffff, 1)).number == 0x1fffffff);
  CHECK(Ending(Varint(uint64_t{0x20000000} << 3) + Varint(1)) == "broken at 0");
  CHECK(Ending(Varint(uint64_t{1} << 61 | 1 << 3) + Varint(1)) == "broken at 0");
  CHECK(Ending(Int(0, 1)) == "broken at 0");
}

TEST_CASE("fields follow each other to the end") {
  const std::string message = Int(1, 1) + Bytes(2, "b") + Fixed32(3, 3);
  FieldReader reader(Begin(message), End(message));
  std::string numbers;
  Field field;
  while (reader.Read(&field) == Next::kField) numbers += std::to_string(field.number);
  CHECK(numbers == "123");
  CHECK(reader.position() == End(message));
  CHECK(reader.Read(&field) == Next::kEnd);
  CHECK(Ending("") == "end");
}

TEST_CASE("a message cut inside a field is broken where that field begins") {
  const std::string first = Int(1, 1);
  for (const std::string& second : {Int(2, 300), Fixed64(2, 1), Fixed32(2, 1), Bytes(2, "text"),
                                    Group(2, Bytes(1, "x") + Fixed64(2, 1) + Fixed32(3, 1) + Int(4, 1))}) {
    for (size_t size = 1; size < second.size(); ++size) {
      CAPTURE(size);
      CHECK(Ending(first + second.substr(0, size)) == "broken at 2");
    }
    CHECK(Ending(first + second) == "end");
  }
}

TEST_CASE("lengths of 64 bits that lead out of the message are broken, not followed") {
  for (const uint64_t size : {uint64_t{5}, uint64_t{1} << 31, uint64_t{1} << 32, uint64_t{1} << 63,
                              std::numeric_limits<uint64_t>::max()}) {
    CHECK(Ending(Varint(1 << 3 | 2) + Varint(size) + "four") == "broken at 0");
    CHECK(Ending(Varint(1 << 3 | 3) + Varint(1 << 3 | 2) + Varint(size) + "four") == "broken at 0");
  }
}

TEST_CASE("wire types 6 and 7, and an end without a group, are broken") {
  CHECK(Ending(Int(1, 1) + Varint(1 << 3 | 6) + Varint(1)) == "broken at 2");
  CHECK(Ending(Int(1, 1) + Varint(1 << 3 | 7) + Varint(1)) == "broken at 2");
  CHECK(Ending(Int(1, 1) + Varint(1 << 3 | 4)) == "broken at 2");
  CHECK(Ending(Varint(1 << 3 | 3) + Varint(1 << 3 | 7) + Varint(1 << 3 | 4)) == "broken at 0");
}

TEST_CASE("groups hold groups, however deep, and everything else") {
  const std::string content = Int(1, -1) + Fixed64(2, 0x24242424'24242424) + Fixed32(3, 0x24242424) + Bytes(4, "\x24\x24");
  const std::string inner = content + Group(4, content) + Group(7, ""), outer = Group(4, inner);
  CHECK(ReadOne(outer).bytes == inner);
  constexpr int kDeep = 200'000;  // deeper than a call stack
  std::string deep;
  for (int i = 0; i < kDeep; ++i) deep += Varint(1 << 3 | 3);
  CHECK(Ending(deep) == "broken at 0");
  for (int i = 0; i < kDeep; ++i) deep += Varint(1 << 3 | 4);
  CHECK(Ending(deep + Int(2, 1)) == "end");
}

}  // namespace
}  // namespace tfprof::wire
