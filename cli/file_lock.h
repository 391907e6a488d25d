// The right to replace a file, held by one process at a time.
//
// The lock is flock's, on the file itself, so that nothing is left behind; the kernel drops it with the process. It is
// advice: who doesn't ask for it isn't kept off. Who replaces a file by rename leaves the others waiting at the old
// one, so a lock counts only if the name still means the file that was locked.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"

namespace tfprof::cli {

class FileLock {
 public:
  FileLock() = default;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  // Waits until no other process holds it, and calls `on_wait` first if one does. What is no regular file, or isn't
  // there, needs no lock. An Error when it can't be locked.
  Status Take(const std::string& path, const std::function<void()>& on_wait);

 private:
  int fd_ = -1;
};

}  // namespace tfprof::cli
