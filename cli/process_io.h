// The Io of this process.
#pragma once

#include <string_view>

#include "cli/io.h"

namespace tfprof::cli {

// Writes to a descriptor, unbuffered (writers pass on large pieces); doesn't close it.
class DescriptorStream : public OutputStream {
 public:
  explicit DescriptorStream(int fd) : fd_(fd) {}
  void Append(std::string_view bytes) override;
  int error() const override { return error_; }

 private:
  int fd_;
  int error_ = 0;
};

// Looks at the process's terminal and environment. SIGPIPE is ignored from here on: a closed pipe is seen by the
// writer.
Io ProcessIo(OutputStream* out, OutputStream* err);

}  // namespace tfprof::cli
