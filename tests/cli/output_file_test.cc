// Files of -o: whole or not there.
#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tfprof::cli {
namespace {

namespace fs = std::filesystem;

class TempDir {
 public:
  TempDir() {
    std::string name = fs::temp_directory_path() / "output-test-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  size_t Entries() const { return static_cast<size_t>(std::distance(fs::directory_iterator(path_), {})); }

 private:
  std::string path_;
};

std::string Text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void Put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("a file appears when it is whole") {
  TempDir dir;
  TemporaryFiles temporary;
  Result<OutputFile> file = OutputFile::Create(dir.Path("a.csv"), &temporary);
  REQUIRE(file);
  file->stream()->Append("x,y\n");
  CHECK_FALSE(fs::exists(dir.Path("a.csv")));
  CHECK(dir.Entries() == 1);  // beside the target: a rename must not cross file systems
  REQUIRE_FALSE(file->Commit());
  CHECK(Text(dir.Path("a.csv")) == "x,y\n");
  CHECK(dir.Entries() == 1);
}

TEST_CASE("a new file has the permissions of a new file, a replaced one keeps its own") {
  TempDir dir;
  TemporaryFiles temporary;
  const mode_t mask = umask(027);
  Result<OutputFile> file = OutputFile::Create(dir.Path("new"), &temporary);
  REQUIRE(file);
  REQUIRE_FALSE(file->Commit());
  umask(mask);
  CHECK(fs::status(dir.Path("new")).permissions() == static_cast<fs::perms>(0640));
  fs::permissions(dir.Path("new"), static_cast<fs::perms>(0604));
  Result<OutputFile> again = OutputFile::Create(dir.Path("new"), &temporary);
  REQUIRE(again);
  REQUIRE_FALSE(again->Commit());
  CHECK(fs::status(dir.Path("new")).permissions() == static_cast<fs::perms>(0604));
}

TEST_CASE("what isn't committed leaves the old file and nothing else") {
  TempDir dir;
  TemporaryFiles temporary;
  Put(dir.Path("a"), "old");
  {
    Result<OutputFile> file = OutputFile::Create(dir.Path("a"), &temporary);
    REQUIRE(file);
    file->stream()->Append("new");
    CHECK(file->replaced().has_value());
    OutputFile moved = std::move(*file);
  }
  CHECK(Text(dir.Path("a")) == "old");
  CHECK(dir.Entries() == 1);
}

TEST_CASE("an interrupt removes what is not whole") {
  TempDir dir;
  TemporaryFiles temporary;
  Result<OutputFile> done = OutputFile::Create(dir.Path("done"), &temporary);
  REQUIRE(done);
  REQUIRE_FALSE(done->Commit());
  Result<OutputFile> half = OutputFile::Create(dir.Path("half"), &temporary);
  REQUIRE(half);
  temporary.RemoveAll();
  CHECK(dir.Entries() == 1);
  CHECK(fs::exists(dir.Path("done")));
}

TEST_CASE("a link is followed, what is no regular file is written to") {
  TempDir dir;
  TemporaryFiles temporary;
  Put(dir.Path("target"), "old");
  fs::create_symlink("target", dir.Path("link"));
  Result<OutputFile> file = OutputFile::Create(dir.Path("link"), &temporary);
  REQUIRE(file);
  file->stream()->Append("new");
  REQUIRE_FALSE(file->Commit());
  CHECK(fs::is_symlink(dir.Path("link")));
  CHECK(Text(dir.Path("target")) == "new");

  REQUIRE(mkfifo(dir.Path("fifo").c_str(), 0600) == 0);
  const int reader = open(dir.Path("fifo").c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  Result<OutputFile> fifo = OutputFile::Create(dir.Path("fifo"), &temporary);
  REQUIRE(fifo);
  fifo->stream()->Append("through");
  REQUIRE_FALSE(fifo->Commit());
  char text[16] = {};
  CHECK(read(reader, text, sizeof text) == 7);
  close(reader);
  CHECK(fs::is_fifo(dir.Path("fifo")));
}

TEST_CASE("what can't be written is told at once, by name") {
  TempDir dir;
  TemporaryFiles temporary;
  const Result<OutputFile> nowhere = OutputFile::Create(dir.Path("no/such.csv"), &temporary);
  REQUIRE_FALSE(nowhere);
  CHECK_THAT(nowhere.error().message, Catch::Contains("no/such.csv: cannot be written: No such file or directory"));
  const Result<OutputFile> directory = OutputFile::Create(dir.Path("."), &temporary);
  REQUIRE_FALSE(directory);
  CHECK_THAT(directory.error().message, Catch::Contains("Is a directory"));
  CHECK(dir.Entries() == 0);
}

TEST_CASE("no file is begun after the last ones were removed") {
  TempDir dir;
  TemporaryFiles temporary;
  Result<OutputFile> begun = OutputFile::Create(dir.Path("a.csv"), &temporary);
  REQUIRE(begun);
  temporary.RemoveAll();
  const Result<OutputFile> late = OutputFile::Create(dir.Path("b.csv"), &temporary);
  REQUIRE_FALSE(late);
  CHECK_THAT(late.error().message, Catch::Contains("b.csv: cannot be written: Interrupted"));
  CHECK(dir.Entries() == 0);
}

TEST_CASE("a full disk is told and leaves nothing") {
  TempDir dir;
  TemporaryFiles temporary;
  Result<OutputFile> full = OutputFile::Create("/dev/full", &temporary);
  REQUIRE(full);
  full->stream()->Append("x");
  const Status bad = full->Commit();
  REQUIRE(bad);
  CHECK_THAT(bad->message, Catch::Contains("No space left on device"));
}

}  // namespace tfprof::cli
