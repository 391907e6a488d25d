// verdicts [CHECKS]: the tables of docs/statistics.md, by as many checks a cell (2,000 if it isn't said).

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "bench/verdicts/simulation.h"

int main(int argc, char** argv) {
  size_t checks = 2000;
  if (argc > 2 || (argc == 2 && (std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), checks).ec != std::errc() ||
                                 checks == 0))) {
    std::fprintf(stderr, "usage: verdicts [CHECKS]\n");
    return 2;
  }
  using tfprof::verdicts::MarkdownTable;
  constexpr uint64_t kSeed = 20240607;
  std::printf("The rule:\n\n%s\n", MarkdownTable(tfprof::verdicts::RuleCells(), checks, kSeed).c_str());
  std::printf("A two-sided test instead (alpha 0.025 each way):\n\n%s",
              MarkdownTable(tfprof::verdicts::TwoSidedCells(), checks, kSeed).c_str());
  return 0;
}
