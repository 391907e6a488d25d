// A file without a name: for what has to wait longer than memory should hold it. Gone when it is closed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tfprof {

class TempFile {
 public:
  // In `dir`, never beside the input. The error says what to do.
  static Result<TempFile> Open(const std::string& dir);
  TempFile() = default;
  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&& other) noexcept;
  ~TempFile();

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  uint64_t size() const { return size_; }
  // Appends. False: no room (errno tells).
  bool Append(std::string_view bytes);
  // Reads `size` bytes at `offset`; false when they aren't there.
  bool ReadAt(uint64_t offset, void* to, size_t size) const;

 private:
  int fd_ = -1;
  uint64_t size_ = 0;
};

Error NoRoom(const std::string& dir);

}  // namespace tfprof
