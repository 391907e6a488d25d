#include "cli/term/lost_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>

namespace tfprof::cli {
namespace {

// A signal handler sees nothing but globals.
std::atomic<int> report_fd{-1};

void OnBusError(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  // A pipe takes so few bytes whole. If it can't be told, the default takes its course when the read is tried again.
  if (write(report_fd, &address, sizeof address) != static_cast<ssize_t>(sizeof address)) {
    std::signal(SIGBUS, SIG_DFL);
    return;
  }
  for (;;) pause();
}

}  // namespace

void MappedInputs::Add(std::string_view bytes, const std::string& path) {
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  const std::lock_guard lock(mutex_);
  ranges_.push_back({begin, begin + bytes.size(), path});
}

std::optional<MappedInputs::Place> MappedInputs::Find(uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(ranges_.rbegin(), ranges_.rend(),
                               [&](const Range& range) { return address >= range.begin && address < range.end; });
  if (at == ranges_.rend()) return std::nullopt;
  return Place{at->path, address - at->begin};
}

BusErrors::BusErrors() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  read_fd_ = ends[0];
  write_fd_ = ends[1];
  report_fd = write_fd_;
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

BusErrors::~BusErrors() {
  if (read_fd_ < 0) return;
  std::signal(SIGBUS, SIG_DFL);
  report_fd = -1;
  close(read_fd_);
  close(write_fd_);
}

std::optional<uintptr_t> BusErrors::Take() const {
  uintptr_t address = 0;
  if (read(read_fd_, &address, sizeof address) != static_cast<ssize_t>(sizeof address)) return std::nullopt;
  return address;
}

void BusErrors::Die() {
  std::signal(SIGBUS, SIG_DFL);
  raise(SIGBUS);
  std::abort();  // the signal is blocked
}

}  // namespace tfprof::cli
