// The fast reader against the slow twin: on every XSpace file below the given paths, on what becomes of the small ones
// when they are written differently or damaged, and on generated ones.
//
//   twin_test [--variants N] [--seed N] PATH...
//
// A path that is not there is skipped, and that is said. The last line is `N passed, N failed`, one check a file.
#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compare.h"
#include "generate.h"
#include "scramble.h"

namespace tfprof::twin {

namespace fs = std::filesystem;

struct Options {
  uint64_t variants = 100;  // of each small file, of both kinds
  uint64_t seed = 1;
  std::vector<std::string> paths;
};

// Files up to this size get variants; with bigger ones there is less new for more time.
constexpr size_t kSmallBytes = 40'000;

// Generated files.
constexpr uint64_t kGenerated = 30;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> FilesBelow(const std::string& path) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file() && entry.path().string().ends_with(".xplane.pb")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Compares a copy that is not one byte longer than its contents, so that a sanitizer sees a read behind the end.
Comparison CompareExact(const std::string& bytes) {
  const std::unique_ptr<char[]> copy(new char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), copy.get());
  return CompareReaders({copy.get(), bytes.size()});
}

// What differs first, or "". Variants are numbered, so that one that fails can be made again.
std::string CheckFile(const std::string& bytes, const Options& options) {
  Comparison comparison = CompareExact(bytes);
  if (comparison.verdict == Verdict::kDiffers) return comparison.what;
  if (bytes.size() > kSmallBytes) return "";
  for (uint64_t i = 0; i < options.variants; ++i) {
    Random random(options.seed * 1'000'003 + i);
    const std::string scrambled = Scramble(bytes, &random);
    comparison = CompareExact(scrambled);
    if (comparison.verdict == Verdict::kDiffers) return fmt::format("variant {}, scrambled: {}", i, comparison.what);
    comparison = CompareExact(Damage(i % 2 == 0 ? bytes : scrambled, &random));
    if (comparison.verdict == Verdict::kDiffers) return fmt::format("variant {}, damaged: {}", i, comparison.what);
  }
  return "";
}

int Main(const Options& options) {
  int passed = 0, failed = 0;
  for (const std::string& path : options.paths) {
    if (!fs::exists(path)) {
      fmt::print("skipped: {} is not here\n", path);
      continue;
    }
    for (const fs::path& file : FilesBelow(path)) {
      const std::string what = CheckFile(ReadFile(file), options);
      ++(what.empty() ? passed : failed);
      if (!what.empty()) fmt::print("FAIL {}: {}\n", file.string(), what);
    }
  }
  for (uint64_t i = 0; i < kGenerated; ++i) {
    Random random(options.seed * 7'000'003 + i);
    const std::string what = CheckFile(Generate(&random), options);
    ++(what.empty() ? passed : failed);
    if (!what.empty()) fmt::print("FAIL generated file {}: {}\n", i, what);
  }
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed != 0 || passed == 0 ? 1 : 0;
}

}  // namespace tfprof::twin

int main(int argc, char** argv) {
  google::protobuf::SetLogHandler(nullptr);  // it would tell of every damaged variant
  tfprof::twin::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if ((arg == "--variants" || arg == "--seed") && i + 1 < argc) {
      (arg == "--seed" ? options.seed : options.variants) = std::strtoull(argv[++i], nullptr, 10);
    } else {
      options.paths.emplace_back(arg);
    }
  }
  return tfprof::twin::Main(options);
}
