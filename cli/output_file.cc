#include "cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tfprof::cli {
namespace {

Error CannotWrite(const std::string& path, int error) {
  return {DiagCode::kUnreadableInput, fmt::format("{}: cannot be written: {}", path, std::strerror(error))};
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

}  // namespace

int TemporaryFiles::Create(const std::string& path) {
  std::list<std::string> known{path};  // no memory is asked for under the lock: who runs out of it calls RemoveAll
  const std::lock_guard lock(mutex_);
  if (ended_) {
    errno = EINTR;
    return -1;
  }
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd >= 0) paths_.splice(paths_.end(), known);
  return fd;
}

int TemporaryFiles::Rename(const std::string& path, const std::string& target) {
  const std::lock_guard lock(mutex_);
  if (std::rename(path.c_str(), target.c_str()) != 0) return errno;
  std::erase(paths_, path);
  return 0;
}

void TemporaryFiles::Remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (std::erase(paths_, path) > 0) unlink(path.c_str());
}

void TemporaryFiles::RemoveAll() {
  const std::lock_guard lock(mutex_);
  for (const std::string& path : paths_) unlink(path.c_str());
  paths_.clear();
  ended_ = true;
}

Result<OutputFile> OutputFile::Create(const std::string& path, TemporaryFiles* temporary) {
  OutputFile file;
  file.files_ = temporary;
  if (Status bad = file.Open(path)) return *bad;
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, "")),
      replaced_(other.replaced_),
      fd_(std::exchange(other.fd_, -1)),
      stream_(std::move(other.stream_)),
      files_(other.files_) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) files_->Remove(temporary_);
}

Status OutputFile::Open(const std::string& path) {
  path_ = target_ = path;
  if (char* resolved = realpath(path.c_str(), nullptr)) {
    target_ = resolved;
    std::free(resolved);
  }
  struct stat info = {};
  const bool exists = stat(target_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return CannotWrite(path, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    fd_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    if (exists) replaced_ = {info.st_dev, info.st_ino};
    if (exists && access(target_.c_str(), W_OK) != 0) return CannotWrite(path, errno);
    // Unique by the process id and a count; the mode is the one that open gives any new file.
    const std::string stem = fmt::format("{}.tfprof-analyze-{}", DirectoryOf(target_), getpid());
    for (int i = 0; fd_ < 0 && i < INT_MAX; ++i) {
      temporary_ = fmt::format("{}-{}.tmp", stem, i);
      fd_ = files_->Create(temporary_);
      if (fd_ < 0 && errno != EEXIST) break;
    }
  }
  if (fd_ < 0) {
    const int error = errno;
    temporary_.clear();
    return CannotWrite(path, error);
  }
  // Where this isn't allowed the new file has the permissions of any new file, which is no loss.
  if (exists && !temporary_.empty() && fchmod(fd_, info.st_mode & 07777) != 0) errno = 0;
  stream_ = std::make_unique<DescriptorStream>(fd_);
  return kOk;
}

Status OutputFile::Commit() {
  int error = stream_->error();
  if (error == EPIPE && temporary_.empty()) error = 0;  // the reader of a FIFO has seen enough
  if (close(std::exchange(fd_, -1)) != 0 && error == 0) error = errno;
  if (error == 0 && !temporary_.empty()) {
    error = files_->Rename(temporary_, target_);
    if (error == 0) temporary_.clear();
  }
  if (error != 0) return CannotWrite(path_, error);
  return kOk;
}

}  // namespace tfprof::cli
