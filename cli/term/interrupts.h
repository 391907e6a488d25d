// Ends the process in order when it is interrupted (SIGINT, SIGTERM, SIGHUP), or when an input can't be read on
// (SIGBUS, lost_input.h).
//
// The signals are blocked and received by a thread of its own, so that a read which blocks can be interrupted too, and
// so that no code has to run in a signal handler: the thread cleans up and ends the process with 128 + the signal's
// number. A signal that was ignored when the program started (nohup) stays so. Must be made before other threads are,
// for these inherit which signals are blocked.
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>

#include "cli/term/lost_input.h"

namespace tfprof::cli {

class Interrupts {
 public:
  // `clean_up` is called on the thread, at most once, before the process ends.
  // `tell_lost_input`: says which input could not be read at that address; false: none is there.
  Interrupts(std::function<void()> clean_up, std::function<bool(uintptr_t)> tell_lost_input);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  void Loop();

  std::function<void()> clean_up_;
  std::function<bool(uintptr_t)> tell_lost_input_;
  std::optional<BusErrors> bus_errors_;
  sigset_t before_;
  int signal_fd_, end_fd_;
  std::thread thread_;
};

}  // namespace tfprof::cli
