// An opened input: its bytes as a whole (mapped) or as a stream, gzip already taken off.
//
// A regular file is mapped, and pages are given back as they are read. A pipe or a gzip file is a stream; a reader that
// has to jump about in it (XSpace: names come after the events) spools it into memory or, beyond `kSpoolBytes`, into an
// unlinked file in the temporary directory, never beside the input: memory stays bounded, disk doesn't.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/status.h"
#include "input/stream.h"

namespace tfprof::input {

inline constexpr size_t kSpoolBytes = size_t{4} << 20;

// Owns a mapping, or the memory of a small spooled stream.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept { *this = std::move(other); }
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  static Result<Mapping> OfFile(int fd, uint64_t size, const std::string& path);
  static Mapping OfMemory(std::string bytes);

  std::string_view bytes() const { return bytes_; }
  // The reader is done with this part: its pages may go (they come back from the file if they are needed again).
  void Release(std::string_view part) const;

 private:
  std::string_view bytes_;
  std::unique_ptr<std::string> memory_;
  bool mapped_ = false;
};

struct Content {
  std::string path;
  uint64_t disk_bytes = 0;  // 0 for a pipe
  bool gzip = false;
  std::string_view head;     // first bytes after gunzip (up to a chunk; all of it when mapped)
  std::string head_storage;
  Mapping mapping;                       // a plain regular file
  std::unique_ptr<ByteStream> stream;    // anything else; starts with `head`, which it reads from head_storage

  bool mapped() const { return stream == nullptr; }
};

// Opens `path` ("-": standard input). Errors: unreadable-input, with what the system says.
Result<std::unique_ptr<Content>> OpenContent(const std::string& path);

// The whole of a stream as a mapping (see above); what was wrong with the stream goes to `diagnostics`.
Result<Mapping> Spool(Content* content, const std::string& temp_dir, Diagnostics* diagnostics);

}  // namespace tfprof::input
