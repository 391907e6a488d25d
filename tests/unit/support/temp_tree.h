// Directories of files, made for a test.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace tfprof::testing {

// A directory that goes away with the test.
class TempTree {
 public:
  TempTree() {
    std::string name = std::filesystem::temp_directory_path() / "tfprof-test-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  ~TempTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  std::string Path(const std::string& below) const { return below.empty() ? root_ : root_ + "/" + below; }
  // Makes a file with its directories. `age_s`: how long ago it was written.
  std::string File(const std::string& below, const std::string& bytes = "x", int age_s = 0) const {
    const std::string path = Path(below);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << bytes;
    timespec times[2] = {};
    times[0].tv_sec = times[1].tv_sec = 1'700'000'000 - age_s;
    REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    return path;
  }

 private:
  std::string root_;
};

}  // namespace tfprof::testing
