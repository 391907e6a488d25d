#include "fuzz/run_on_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/memory_io.h"
#include "cli/run.h"

namespace tfprof::fuzz {
namespace {

constexpr const char* kFormats[] = {"json", "csv", "table", "tsv", "jsonl", "markdown"};

// A command and flags that go together with each other and with it: each may be there or not.
struct Form {
  const char* command;
  std::vector<std::vector<const char*>> flags;  // at most 7
};

const std::vector<Form>& Forms() {
  static const std::vector<Form> forms = {
      {"", {{"--time", "1us:5ms"}}},
      {"info", {{"--wide"}}},
      {"ops", {{"--no-idle"}, {"--by", "type"}, {"--time", "1us:5ms"}, {"--limit", "2"}, {"--sort", "name"}}},
      {"ops", {{"--no-idle"}, {"--by", "scope"}, {"--columns", "+min_us,p90_us"}, {"--include", "a|b"}}},
      {"ops", {{"--no-idle"}, {"--by", "lane"}, {"--side", "host"}, {"--wide"}}},
      {"ops", {{"--no-idle"}, {"--compat", "xprof"}}},
      {"ops", {{"--no-idle"}, {"--compat", "legacy"}}},
      {"tree",
       {{"--by", "call"}, {"--idle"}, {"--depth", "2"}, {"--min", "1"}, {"--peek", "a"}, {"--time", "1us:5ms"}}},
      {"tree", {{"--by", "type"}, {"--idle"}, {"--invert"}, {"--focus", "a"}, {"--ignore", "b"}}},
      {"steps", {{"--compat", "xprof"}}},
      {"overview", {{"--compat", "xprof"}}},
      {"kernels", {{"--compat", "xprof"}, {"--limit", "2"}}},
      {"kernels", {{"--by", "op"}, {"--include", "a"}}},
      {"input", {{"--compat", "xprof"}}},
      {"memory", {{"--compat", "xprof"}, {"--limit", "2"}}},
      {"events", {{"--time", "1us:5ms"}, {"--limit", "2"}, {"--include", "a"}, {"--side", "device"}}},
  };
  return forms;
}

// Where the upper half of the first byte is 12 or more; the lower one is then the format.
const std::vector<Form>& MoreForms() {
  static const std::vector<Form> forms = {
      {"diff", {{"--no-idle"}, {"--by", "type"}, {"--limit", "2"}, {"--skip-steps", "1"}, {"--include", "a"}}},
      {"check", {{"--skip-steps", "1"}, {"--fail-if", "steps.median > 1%"}, {"--fail-if", "op_set changed"}}},
      {"ops", {{"--steps", "1:2"}, {"--by", "lane"}, {"--no-idle"}, {"--columns", "+self_per_step"}}},
      {"events", {{"--steps", "1:"}, {"--limit", "2"}, {"--side", "device"}}},
  };
  return forms;
}

// Two bytes choose among commands, formats and flags; every combination is one that the program accepts. `input` is
// held against itself where a command wants two sides.
std::vector<std::string> Arguments(uint8_t first, uint8_t second, const std::string& input) {
  const size_t upper = first >> 4, lower = first & 15;
  const bool more = upper >= 12;
  const Form& form = more ? MoreForms()[upper - 12] : Forms()[lower];
  std::vector<std::string> args;
  if (*form.command != 0) args.emplace_back(form.command);
  args.insert(args.end(), {"--format", kFormats[(more ? lower : upper) % 6], "--threads", second & 1 ? "2" : "1"});
  for (size_t i = 0; i < form.flags.size(); ++i) {
    if (second & (2 << i)) args.insert(args.end(), form.flags[i].begin(), form.flags[i].end());
  }
  const std::string_view command = form.command;
  if (command == "diff") args.insert(args.end(), {input, "--"});
  if (command == "check") args.insert(args.end(), {"--baseline", input});
  args.push_back(input);
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
  const int fd = memfd_create("input", 0);
  const size_t head_size = std::strlen(head);
  if (fd < 0 || write(fd, head, head_size) != static_cast<ssize_t>(head_size) ||
      write(fd, data + 2, size - 2) != static_cast<ssize_t>(size - 2)) {
    std::abort();
  }
  lseek(fd, 0, SEEK_SET);
  const std::vector<std::string> args = Arguments(data[0], data[1], "/proc/self/fd/" + std::to_string(fd));
  cli::MemoryRun run;
  const int exit = cli::Run(args, run.io);
  close(fd);
  // Bytes that are read as a timeline have no rules to be compatible with: a usage error.
  const bool may_be_refused = std::find(args.begin(), args.end(), "--compat") != args.end();
  const bool may_fail = args.front() == "check";
  if (exit != 0 && exit != 3 && exit != 4 && !(exit == 2 && may_be_refused) && !(exit == 1 && may_fail)) {
    Fail(args, "exit status", run.err.text);
  }
  if (run.out.text.empty() || run.out.text[0] != '{' || run.out.text.find("\"schema\"") > 80) return;
  if (!nlohmann::json::accept(run.out.text)) Fail(args, "no JSON", run.out.text);
}

}  // namespace tfprof::fuzz
