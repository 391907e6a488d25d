#include "cli/term/out_of_memory.h"

#include <unistd.h>

#include <atomic>
#include <string_view>
#include <utility>

#include "cli/exit_code.h"

namespace tfprof::cli {
namespace {

// A new-handler sees nothing but globals.
std::function<void()> clean_up_now;
std::atomic<bool> ending{false};

void End() {
  if (ending.exchange(true)) {  // another thread is at it
    for (;;) pause();
  }
  clean_up_now();
  constexpr std::string_view kMessage = "tfprof-analyze: error: out of memory\n";
  // Where that can't be written either, the status is all there is.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(static_cast<int>(ExitCode::kUsage));
}

}  // namespace

OutOfMemory::OutOfMemory(std::function<void()> clean_up) {
  clean_up_now = std::move(clean_up);
  before_ = std::set_new_handler(End);
}

OutOfMemory::~OutOfMemory() {
  std::set_new_handler(before_);
  clean_up_now = nullptr;
}

}  // namespace tfprof::cli
