// Files without a name: what is written can be read back, and nothing is left in the directory.
#include "base/temp_file.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <utility>

#include "support/temp_tree.h"

namespace tfprof {
namespace {

using tfprof::testing::TempTree;

TEST_CASE("a temporary file has no name, and gives back what was appended") {
  const TempTree dir;
  Result<TempFile> opened = TempFile::Open(dir.Path(""));
  REQUIRE(opened.ok());
  TempFile& file = *opened;
  CHECK(file.is_open());
  CHECK(std::filesystem::is_empty(dir.Path("")));
  CHECK(file.size() == 0);
  const std::string big(1 << 20, 'x');
  REQUIRE(file.Append("head"));
  REQUIRE(file.Append(""));
  REQUIRE(file.Append(big));
  REQUIRE(file.Append("tail"));
  CHECK(file.size() == 4 + big.size() + 4);
  std::string read(6, '\0');
  REQUIRE(file.ReadAt(4 + big.size() - 2, read.data(), read.size()));
  CHECK(read == "xxtail");
  REQUIRE(file.Append("more"));  // reading doesn't move the end
  REQUIRE(file.ReadAt(file.size() - 6, read.data(), 6));
  CHECK(read == "ilmore");
}

TEST_CASE("bytes beyond the end are not there") {
  const TempTree dir;
  Result<TempFile> file = TempFile::Open(dir.Path(""));
  REQUIRE(file.ok());
  REQUIRE(file->Append("abc"));
  char read[4] = {};
  CHECK(file->ReadAt(3, read, 0));
  CHECK_FALSE(file->ReadAt(0, read, 4));
  CHECK_FALSE(file->ReadAt(3, read, 1));
  CHECK_FALSE(file->ReadAt(1'000'000, read, 1));
}

TEST_CASE("a temporary file moves, and is closed once") {
  const TempTree dir;
  Result<TempFile> opened = TempFile::Open(dir.Path(""));
  REQUIRE(opened.ok());
  const int fd = opened->fd();
  REQUIRE(opened->Append("abc"));
  TempFile moved(std::move(*opened));
  CHECK_FALSE(opened->is_open());
  CHECK(opened->size() == 0);
  CHECK(moved.fd() == fd);
  CHECK(moved.size() == 3);
  {
    TempFile assigned;
    CHECK_FALSE(assigned.is_open());
    assigned = std::move(moved);
    CHECK(assigned.fd() == fd);
    CHECK(lseek(fd, 0, SEEK_END) == 3);
  }
  CHECK(lseek(fd, 0, SEEK_END) == -1);
}

TEST_CASE("a directory that isn't there is told of, with what to do") {
  const TempTree dir;
  const Result<TempFile> opened = TempFile::Open(dir.Path("nowhere"));
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().code == DiagCode::kUnreadableInput);
  CHECK_THAT(opened.error().message, Catch::Contains(dir.Path("") + "/nowhere: No such file or directory") &&
                                         Catch::Contains("set TMPDIR"));
}

TEST_CASE("a file that was never opened takes nothing") {
  TempFile none;
  char read = 0;
  CHECK_FALSE(none.Append("a"));
  CHECK_FALSE(none.ReadAt(0, &read, 1));
  CHECK(none.size() == 0);
}

}  // namespace
}  // namespace tfprof
