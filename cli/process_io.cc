#include "cli/process_io.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace tfprof::cli {
namespace {

double MonotonicSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::optional<size_t> TerminalWidth() {
  winsize size = {};
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  }
  return std::nullopt;
}

// A stream that was closed for us (`>&-`) must not become the descriptor of a file that is opened later: what takes its
// place can't be used in the stream's direction.
void OccupyStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    const int got = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (got >= 0 && got != fd) {
      dup2(got, fd);
      close(got);
    }
  }
}

}  // namespace

void DescriptorStream::Append(std::string_view bytes) {
  while (!bytes.empty() && error_ == 0) {
    const ssize_t n = write(fd_, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {  // somebody made the pipe or terminal non-blocking
      pollfd ready = {fd_, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

Io ProcessIo(OutputStream* out, OutputStream* err) {
  OccupyStandardDescriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of that write
  std::signal(SIGPIPE, SIG_IGN);
  Io io;
  io.out = out;
  io.err = err;
  io.out_is_terminal = isatty(STDOUT_FILENO) != 0;
  io.err_is_terminal = isatty(STDERR_FILENO) != 0;
  io.terminal_width = TerminalWidth();
  io.env = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  };
  io.clock_s = MonotonicSeconds;
  io.handles_signals = true;
  return io;
}

}  // namespace tfprof::cli
