#include "fuzz/run_on_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/memory_io.h"
#include "cli/run.h"

namespace tfprof::fuzz {
namespace {

constexpr const char* kFormats[] = {"json", "csv", "table", "tsv", "jsonl", "markdown"};
constexpr const char* kGroupings[] = {"op", "type", "scope", "host", "device", "lane"};

// Two bytes choose among commands, formats and flags; every combination is one that the program accepts.
std::vector<std::string> Arguments(uint8_t first, uint8_t second) {
  std::vector<std::string> args;
  const int command = first & 7;
  const std::string format = kFormats[(first >> 3) % 6];
  if (command == 0) args = {"info"};
  if (command > 1) args = {"ops"};
  args.insert(args.end(), {"--format", command > 1 || format == "json" || format == "table" ? format : "json"});
  args.insert(args.end(), {"--threads", second & 1 ? "2" : "1"});
  if (command > 1) {
    if (second & 2) args.push_back("--no-idle");
    if (second & 4) {
      args.insert(args.end(), {"--compat", second & 8 ? "xprof" : "legacy"});
    } else {
      args.insert(args.end(), {"--by", kGroupings[(second >> 3) % 6]});
      if (second & 128) args.insert(args.end(), {"--time", "1us:5ms"});
    }
    if (second & 64) args.insert(args.end(), {"--limit", "2"});
  }
  return args;
}

[[noreturn]] void Fail(const std::vector<std::string>& args, const char* what, const std::string& text) {
  std::fprintf(stderr, "%s:", what);
  for (const std::string& arg : args) std::fprintf(stderr, " %s", arg.c_str());
  std::fprintf(stderr, "\n%.2000s\n", text.c_str());
  std::abort();
}

}  // namespace

void RunOnBytes(const uint8_t* data, size_t size, const char* head) {
  if (size < 2) return;
  std::vector<std::string> args = Arguments(data[0], data[1]);
  const int fd = memfd_create("input", 0);
  const size_t head_size = std::strlen(head);
  if (fd < 0 || write(fd, head, head_size) != static_cast<ssize_t>(head_size) ||
      write(fd, data + 2, size - 2) != static_cast<ssize_t>(size - 2)) {
    std::abort();
  }
  lseek(fd, 0, SEEK_SET);
  args.push_back("/proc/self/fd/" + std::to_string(fd));
  cli::MemoryRun run;
  const int exit = cli::Run(args, run.io);
  close(fd);
  // Bytes that are read as a timeline have no rules to be compatible with: a usage error.
  const bool may_be_refused = std::find(args.begin(), args.end(), "--compat") != args.end();
  if (exit != 0 && exit != 3 && exit != 4 && !(exit == 2 && may_be_refused)) Fail(args, "exit status", run.err.text);
  if (run.out.text.empty() || args.size() < 3 || run.out.text[0] != '{' || run.out.text.find("\"schema\"") > 80) return;
  if (!nlohmann::json::accept(run.out.text)) Fail(args, "no JSON", run.out.text);
}

}  // namespace tfprof::fuzz
