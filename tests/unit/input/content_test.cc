// Inputs of every sort, opened: files are mapped, everything else is a stream that can be spooled.
#include "input/content.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "support/gzip.h"
#include "support/temp_tree.h"

namespace tfprof::input {
namespace {

using tfprof::testing::Gzip;
using tfprof::testing::TempTree;

std::unique_ptr<Content> Open(const std::string& path) {
  Result<std::unique_ptr<Content>> content = OpenContent(path);
  REQUIRE(content.ok());
  CHECK((*content)->path == path);
  return std::move(*content);
}

std::string SpoolAll(Content* content, const TempTree& temp, Diagnostics* diagnostics) {
  const Result<Mapping> spooled = Spool(content, temp.Path(""), diagnostics);
  REQUIRE(spooled.ok());
  CHECK(std::filesystem::is_empty(temp.Path("")));
  return std::string(spooled.value().bytes());
}

// Bytes that gzip cannot shorten much.
std::string Noise(size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

TEST_CASE("a regular file is mapped, whatever its name says") {
  const TempTree tree;
  const std::unique_ptr<Content> content = Open(tree.File("a.gz", "plain text"));
  CHECK(content->mapped());
  CHECK_FALSE(content->gzip);
  CHECK(content->disk_bytes == 10);
  CHECK(content->head == "plain text");
  CHECK(content->mapping.bytes() == "plain text");
}

TEST_CASE("pages that were given back come back when they are needed") {
  const TempTree tree;
  const std::string bytes = Noise(300'000);
  const std::unique_ptr<Content> content = Open(tree.File("a", bytes));
  const std::string_view all = content->mapping.bytes();
  content->mapping.Release(all);
  CHECK(all == bytes);
  content->mapping.Release(all.substr(5000, 100'000));
  content->mapping.Release(all.substr(1, 1));
  content->mapping.Release({});
  CHECK(all == bytes);
}

TEST_CASE("a gzip file is a stream that begins with its head") {
  const TempTree tree, temp;
  const std::string zipped = Gzip("inside");
  const std::unique_ptr<Content> content = Open(tree.File("a.pb", zipped));
  CHECK_FALSE(content->mapped());
  CHECK(content->gzip);
  CHECK(content->disk_bytes == zipped.size());
  CHECK(content->head == "inside");
  Diagnostics diagnostics;
  CHECK(SpoolAll(content.get(), temp, &diagnostics) == "inside");
  CHECK(diagnostics.Empty());
}

TEST_CASE("files too short to tell, and empty ones") {
  const TempTree tree, temp;
  const std::unique_ptr<Content> one = Open(tree.File("one", "\x1f"));
  CHECK(one->mapped());
  CHECK(one->head == "\x1f");
  const std::unique_ptr<Content> none = Open(tree.File("none", ""));
  CHECK(none->head.empty());
  CHECK(none->disk_bytes == 0);
  Diagnostics diagnostics;
  CHECK(SpoolAll(none.get(), temp, &diagnostics).empty());
  CHECK(diagnostics.Empty());
}

TEST_CASE("a pipe is put together from its pieces, zipped or not") {
  const TempTree tree, temp;
  const std::string bytes = Noise(200'000);
  for (const bool zip : {false, true}) {
    const std::string path = tree.Path(zip ? "zipped" : "plain");
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    std::thread writer([&] {
      const std::string sent = zip ? Gzip(bytes) : bytes;
      std::ofstream out(path, std::ios::binary);
      out << sent.substr(0, 1) << std::flush << sent.substr(1, 5) << std::flush << sent.substr(6);
    });
    const std::unique_ptr<Content> content = Open(path);
    CHECK(content->gzip == zip);
    CHECK_FALSE(content->mapped());
    CHECK(content->disk_bytes == 0);
    CHECK(content->head.size() >= 4096);
    CHECK(bytes.starts_with(content->head));
    Diagnostics diagnostics;
    CHECK(SpoolAll(content.get(), temp, &diagnostics) == bytes);
    writer.join();
  }
}

// Standard input from a file, back to what it was at the end.
class StdinFrom {
 public:
  explicit StdinFrom(const std::string& path, off_t offset) : before_(dup(STDIN_FILENO)) {
    const int fd = open(path.c_str(), O_RDONLY);
    REQUIRE(fd >= 0);
    lseek(fd, offset, SEEK_SET);
    dup2(fd, STDIN_FILENO);
    close(fd);
  }
  ~StdinFrom() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }

 private:
  int before_;
};

TEST_CASE("- is standard input: mapped where it is a file at its start, else read from where it stands") {
  const TempTree tree, temp;
  const std::string path = tree.File("a", "0123456789");
  {
    const StdinFrom from(path, 0);
    const std::unique_ptr<Content> content = Open("-");
    CHECK(content->mapped());
    CHECK(content->head == "0123456789");
  }
  const StdinFrom from(path, 4);
  const std::unique_ptr<Content> content = Open("-");
  CHECK_FALSE(content->mapped());
  CHECK(content->head == "456789");
  Diagnostics diagnostics;
  CHECK(SpoolAll(content.get(), temp, &diagnostics) == "456789");
}

TEST_CASE("what is longer than memory should hold is spooled into a file without a name") {
  const TempTree tree, temp;
  for (const size_t size : {kSpoolBytes - 1, kSpoolBytes, kSpoolBytes + 1, 2 * kSpoolBytes + 77}) {
    const std::string bytes = Noise(size);
    const std::unique_ptr<Content> content = Open(tree.File("a", Gzip(bytes)));
    Diagnostics diagnostics;
    CHECK(SpoolAll(content.get(), temp, &diagnostics) == bytes);
    CHECK(diagnostics.Empty());
  }
  const std::unique_ptr<Content> content = Open(tree.File("a", Gzip(Noise(kSpoolBytes + 1))));
  Diagnostics diagnostics;
  const Result<Mapping> failed = Spool(content.get(), temp.Path("nowhere"), &diagnostics);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code == DiagCode::kUnreadableInput);
}

TEST_CASE("a cut gzip file gives what could be inflated, and says that it is cut") {
  const TempTree tree, temp;
  const std::string bytes = Noise(100'000), zipped = Gzip(bytes);
  const std::unique_ptr<Content> content = Open(tree.File("a.gz", zipped.substr(0, zipped.size() / 2)));
  Diagnostics diagnostics;
  const std::string spooled = SpoolAll(content.get(), temp, &diagnostics);
  CHECK(spooled.size() > 10'000);
  CHECK(bytes.starts_with(spooled));
  CHECK(diagnostics.Has(DiagCode::kTruncatedInput));
}

TEST_CASE("what cannot be opened says so, with the system's reason") {
  const TempTree tree;
  const Result<std::unique_ptr<Content>> missing = OpenContent(tree.Path("missing"));
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == DiagCode::kUnreadableInput);
  CHECK(missing.error().message == tree.Path("missing") + ": cannot be read: No such file or directory");
  const Result<std::unique_ptr<Content>> directory = OpenContent(tree.Path(""));
  REQUIRE_FALSE(directory.ok());
  CHECK_THAT(directory.error().message, Catch::Contains("Is a directory"));
}

TEST_CASE("mappings move with their bytes, long or short") {
  for (const std::string& text : {std::string(), std::string("short"), Noise(10'000)}) {
    Mapping first = Mapping::OfMemory(text);
    Mapping second(std::move(first));
    Mapping third;
    third = std::move(second);
    CHECK(third.bytes() == text);
    third.Release(third.bytes());  // memory is no page of a file
    CHECK(third.bytes() == text);
  }
}

}  // namespace
}  // namespace tfprof::input
