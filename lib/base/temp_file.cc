#include "base/temp_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tfprof {

Error NoRoom(const std::string& dir) {
  return {DiagCode::kUnreadableInput,
          fmt::format("no room for what has to wait in the temporary directory {}: {}; set TMPDIR to a directory with more "
                      "room",
                      dir, std::strerror(errno))};
}

Result<TempFile> TempFile::Open(const std::string& dir) {
  TempFile file;
  file.fd_ = open(dir.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file.fd_ < 0) {  // file systems without O_TMPFILE
    std::string name = dir + "/tfprof-analyze-XXXXXX";
    file.fd_ = mkostemp(name.data(), O_CLOEXEC);
    if (file.fd_ >= 0) unlink(name.c_str());
  }
  if (file.fd_ < 0) return NoRoom(dir);
  return file;
}

TempFile::TempFile(TempFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), size_(std::exchange(other.size_, 0)) {}

TempFile& TempFile::operator=(TempFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  return *this;
}

TempFile::~TempFile() {
  if (fd_ >= 0) close(fd_);
}

bool TempFile::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
    size_ += static_cast<uint64_t>(n);
  }
  return true;
}

bool TempFile::ReadAt(uint64_t offset, void* to, size_t size) const {
  char* p = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t n = pread(fd_, p, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    offset += static_cast<uint64_t>(n);
    size -= static_cast<size_t>(n);
  }
  return true;
}

}  // namespace tfprof
