// Bytes as they come: a file, a pipe, or what a gzip stream inflates to, in chunks of a reused buffer.
//
// Memory is bounded by the chunk size whatever the length of the input (also for a gzip bomb). Damage of a gzip stream
// doesn't lose what could be inflated: the bytes are given first, the diagnostic is there at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/status.h"

namespace tfprof::input {

inline constexpr size_t kChunkBytes = size_t{1} << 20;

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // The next bytes, valid until the next call; empty at the end. An Error: the input could not be read further.
  virtual Result<std::string_view> Next() = 0;
  // What was wrong with the bytes so far (truncated-input, bad-checksum).
  virtual const Diagnostics& diagnostics() const = 0;
};

// Reads a descriptor to its end; closes it. `head` are bytes that were read from it already.
std::unique_ptr<ByteStream> MakeFdStream(int fd, std::string path, std::string head = {});

// Inflates a gzip file: concatenated members, zero padding behind the last one; checksums are verified.
std::unique_ptr<ByteStream> MakeGzipStream(std::unique_ptr<ByteStream> compressed, std::string path);

// Reads a stream on a thread of its own, up to three chunks ahead, so that inflating and reading run side by side.
std::unique_ptr<ByteStream> MakeAheadStream(std::unique_ptr<ByteStream> stream);

inline bool LooksLikeGzip(std::string_view head) {
  return head.size() >= 2 && head[0] == '\x1f' && static_cast<uint8_t>(head[1]) == 0x8b;
}

}  // namespace tfprof::input
