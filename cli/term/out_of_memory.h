// Ends the process in order when memory runs out, on whichever thread: an exception could not leave a reading thread.
//
// While it lives, a failed allocation calls `clean_up`, says so and exits with the status of docs/exit-codes.md. One at
// a time in a process.
#pragma once

#include <functional>
#include <new>

namespace tfprof::cli {

class OutOfMemory {
 public:
  explicit OutOfMemory(std::function<void()> clean_up);
  ~OutOfMemory();
  OutOfMemory(const OutOfMemory&) = delete;
  OutOfMemory& operator=(const OutOfMemory&) = delete;

 private:
  std::new_handler before_;
};

}  // namespace tfprof::cli
