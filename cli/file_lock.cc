#include "cli/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tfprof::cli {
namespace {

// For writing, which some network file systems ask of who locks alone; a file that can only be read can be locked too,
// and who writes it says why that can't be done.
int OpenForLock(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  return fd < 0 && (errno == EACCES || errno == EROFS) ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : fd;
}

int Flock(int fd, int operation) {
  int result = 0;
  do {
    result = flock(fd, operation);
  } while (result != 0 && errno == EINTR);
  return result;
}

bool Means(const std::string& path, int fd) {
  struct stat named = {}, locked = {};
  return stat(path.c_str(), &named) == 0 && fstat(fd, &locked) == 0 && named.st_dev == locked.st_dev &&
         named.st_ino == locked.st_ino;
}

}  // namespace

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

Status FileLock::Take(const std::string& path, const std::function<void()>& on_wait) {
  bool told = false;
  while (true) {
    struct stat info = {};
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return kOk;
    fd_ = OpenForLock(path);
    if (fd_ < 0 && errno == ENOENT) continue;  // it has just gone: stat tells
    bool taken = fd_ >= 0 && Flock(fd_, LOCK_EX | LOCK_NB) == 0;
    if (fd_ >= 0 && !taken && errno == EWOULDBLOCK) {
      if (!told) on_wait();
      told = true;
      taken = Flock(fd_, LOCK_EX) == 0;
    }
    if (!taken) {
      return Error{DiagCode::kUnreadableInput, fmt::format("{}: cannot be locked: {}", path, std::strerror(errno))};
    }
    if (Means(path, fd_)) return kOk;
    close(fd_);
    fd_ = -1;
  }
}

}  // namespace tfprof::cli
