#include "formats/detect.h"

#include <catch2/catch.hpp>

#include "support/xspace_builder.h"

namespace tfprof::formats {
namespace {

using namespace tfprof::testing;

TEST_CASE("content decides what a file is") {
  CHECK(Detect("").kind == FileKind::kEmpty);
  CHECK(Detect("{\"traceEvents\":[]}").kind == FileKind::kChromeJson);
  CHECK(Detect("\xef\xbb\xbf [ {").kind == FileKind::kChromeJson);
  CHECK(Detect("PK\x03\x04").kind == FileKind::kUnsupported);
  CHECK(Detect("\xff\xfe{").kind == FileKind::kUnsupported);
  CHECK(Detect({"[\0{\0", 4}).kind == FileKind::kUnsupported);  // UTF-16 without its mark
  CHECK(Detect({"\0{\0\"", 4}).kind == FileKind::kUnsupported);
  CHECK(Detect("BZh91AY&SY\x10").kind == FileKind::kUnsupported);
  CHECK(Detect("\xfd\x37zXZ").kind == FileKind::kUnsupported);
  CHECK(Detect("\x28\xb5\x2f\xfd\x04").kind == FileKind::kUnsupported);
  CHECK(Detect("\x1f\x8b\x08").kind == FileKind::kUnsupported);  // inside of another
  CHECK(Detect(std::string(257, 'n') + "ustar").kind == FileKind::kUnsupported);
  CHECK(Detect("<html>").kind == FileKind::kUnknown);
  CHECK(Detect("hello").kind == FileKind::kUnknown);
  CHECK(Detect(EncodePlane("/host:CPU", EncodeLine(1, "t", ""))).kind == FileKind::kXSpace);
  CHECK(Detect(Bytes(100, "unknown first") + EncodePlane("/host:CPU", "")).kind == FileKind::kXSpace);
}

TEST_CASE("an XSpace whose first plane is as long as a bracket's code is no JSON") {
  for (const size_t length : {size_t{'['}, size_t{'{'}}) {
    std::string plane = Int(1, 0) + Bytes(2, std::string(length - 4, 'n'));
    REQUIRE(plane.size() == length);
    CHECK(Detect(Bytes(1, plane)).kind == FileKind::kXSpace);
  }
}

}  // namespace
}  // namespace tfprof::formats
