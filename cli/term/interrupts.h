// Ends the process in order when it is interrupted (SIGINT, SIGTERM, SIGHUP).
//
// The signals are blocked and received by a thread of its own, so that a read which blocks can be interrupted too, and
// so that no code has to run in a signal handler: the thread cleans up and ends the process with 128 + the signal's
// number. A signal that was ignored when the program started (nohup) stays so. Must be made before other threads are,
// for these inherit which signals are blocked.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace tfprof::cli {

class Interrupts {
 public:
  // `clean_up` is called on the thread, at most once, before the process ends.
  explicit Interrupts(std::function<void()> clean_up);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  void Loop();

  std::function<void()> clean_up_;
  sigset_t before_;
  int signal_fd_, end_fd_;
  std::thread thread_;
};

}  // namespace tfprof::cli
