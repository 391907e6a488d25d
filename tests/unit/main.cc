// Runs the Catch2 tests and ends with the line that all our suites end with: `N passed, N failed`, counted in test
// cases.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>

namespace {

Catch::Counts test_cases;

struct CountListener : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testRunEnded(const Catch::TestRunStats& stats) override { test_cases = stats.totals.testCases; }
};
CATCH_REGISTER_LISTENER(CountListener)

}  // namespace

int main(int argc, char** argv) {
  const int status = Catch::Session().run(argc, argv);
  std::fflush(stdout);
  std::printf("%zu passed, %zu failed\n", test_cases.passed, test_cases.failed + test_cases.failedButOk);
  return status != 0 || test_cases.passed == 0 ? 1 : 0;
}
