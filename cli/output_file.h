// A file that -o names, written so that it is whole or not there.
//
// Bytes go to a temporary file in the target's directory, which takes the target's name when all is written; an
// existing file keeps its permissions, and a symbolic link is followed. What is no regular file (a FIFO, /dev/null) is
// written to directly. Whoever doesn't call Commit leaves nothing behind; an interrupt removes the temporary file
// through RemoveTemporaryFiles.
#pragma once

#include <sys/types.h>

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "cli/io.h"
#include "cli/process_io.h"

namespace tfprof::cli {

// The temporary files that are there now. Thread-safe: an interrupt comes on a thread of its own, and a file is made and
// known in one step, so that there is no moment at which it would be left behind.
class TemporaryFiles {
 public:
  // Makes a file that wasn't there. A descriptor for writing, or -1 and errno (EINTR once RemoveAll was called).
  int Create(const std::string& path);
  // Gives the file the name of the target. An errno, or 0.
  int Rename(const std::string& path, const std::string& target);
  void Remove(const std::string& path);
  // The last call: the process ends.
  void RemoveAll();

 private:
  std::mutex mutex_;
  bool ended_ = false;
  std::list<std::string> paths_;
};

class OutputFile {
 public:
  // An Error when the target can't be written there.
  static Result<OutputFile> Create(const std::string& path, TemporaryFiles* temporary);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  const std::string& path() const { return path_; }
  // The file that would be replaced, if there is one: it must not be an input.
  const std::optional<std::pair<dev_t, ino_t>>& replaced() const { return replaced_; }

  OutputStream* stream() { return stream_.get(); }
  // The file is whole.
  Status Commit();

 private:
  OutputFile() = default;
  Status Open(const std::string& path);

  std::string path_;       // as the user typed it
  std::string target_;     // links resolved
  std::string temporary_;  // "": written directly
  std::optional<std::pair<dev_t, ino_t>> replaced_;
  int fd_ = -1;
  std::unique_ptr<DescriptorStream> stream_;
  TemporaryFiles* files_ = nullptr;
};

}  // namespace tfprof::cli
