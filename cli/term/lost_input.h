// What happens when a mapped input can't be read on: the file was cut while it was read, or its disk failed (SIGBUS).
//
// The signal hits the thread that reads, which can do nothing but wait; a thread that watches (interrupts.h) then tells
// and ends the process in order. So reading costs nothing, and nothing is done in a signal handler but a write.
// Addresses that are of no input are a fault of the program: they end it as they would have.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::cli {

// Which file stands where in memory. Thread-safe.
class MappedInputs {
 public:
  void Add(std::string_view bytes, const std::string& path);

  struct Place {
    std::string path;
    uint64_t offset = 0;  // in the file
  };
  // The input that was last mapped to where `address` lies.
  std::optional<Place> Find(uintptr_t address) const;

 private:
  struct Range {
    uintptr_t begin, end;
    std::string path;
  };
  mutable std::mutex mutex_;
  std::vector<Range> ranges_;
};

// While it lives, a SIGBUS makes fd() readable and stops the thread that it hit. One at a time in a process.
class BusErrors {
 public:
  BusErrors();
  ~BusErrors();
  BusErrors(const BusErrors&) = delete;
  BusErrors& operator=(const BusErrors&) = delete;

  int fd() const { return read_fd_; }  // < 0: not to be had
  // The address that could not be read, once fd() is readable.
  std::optional<uintptr_t> Take() const;
  // Lets the signal end the process.
  [[noreturn]] static void Die();

 private:
  int read_fd_ = -1, write_fd_ = -1;
};

}  // namespace tfprof::cli
