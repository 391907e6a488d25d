#include "cli/term/interrupts.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"

namespace tfprof::cli {
namespace {

constexpr int kExitOfSignal = 128;  // as shells count
static_assert(kExitOfSignal + SIGHUP == static_cast<int>(ExitCode::kHangup));
static_assert(kExitOfSignal + SIGINT == static_cast<int>(ExitCode::kInterrupted));
static_assert(kExitOfSignal + SIGTERM == static_cast<int>(ExitCode::kTerminated));

}  // namespace

Interrupts::Interrupts(std::function<void()> clean_up, std::function<bool(uintptr_t)> tell_lost_input)
    : clean_up_(std::move(clean_up)), tell_lost_input_(std::move(tell_lost_input)) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  signal_fd_ = signalfd(-1, &signals, SFD_CLOEXEC);
  end_fd_ = eventfd(0, EFD_CLOEXEC);
  if (signal_fd_ < 0 || end_fd_ < 0) return;  // no descriptor left: signals do what they do by default
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  bus_errors_.emplace();
  try {
    thread_ = std::thread([this] { Loop(); });
  } catch (const std::system_error&) {  // no thread left: likewise
    bus_errors_.reset();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
}

Interrupts::~Interrupts() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    while (write(end_fd_, &one, sizeof one) < 0) {
    }
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  if (signal_fd_ >= 0) close(signal_fd_);
  if (end_fd_ >= 0) close(end_fd_);
}

void Interrupts::Loop() {
  pollfd ready[3] = {{signal_fd_, POLLIN, 0}, {end_fd_, POLLIN, 0}, {bus_errors_->fd(), POLLIN, 0}};
  while (poll(ready, 3, -1) < 0) {
  }
  if ((ready[2].revents & POLLIN) != 0) {
    const std::optional<uintptr_t> address = bus_errors_->Take();
    clean_up_();
    if (!address || !tell_lost_input_(*address)) BusErrors::Die();
    _exit(static_cast<int>(ExitCode::kDamaged));
  }
  signalfd_siginfo info = {};
  if ((ready[0].revents & POLLIN) == 0 || read(signal_fd_, &info, sizeof info) != sizeof info) return;
  clean_up_();
  _exit(kExitOfSignal + static_cast<int>(info.ssi_signo));
}

}  // namespace tfprof::cli
