#include "input/stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tfprof::input {
namespace {

class FdStream : public ByteStream {
 public:
  FdStream(int fd, std::string path, std::string head) : fd_(fd), path_(std::move(path)), head_(std::move(head)) {
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  ~FdStream() override { close(fd_); }
  FdStream(const FdStream&) = delete;
  FdStream& operator=(const FdStream&) = delete;

  Result<std::string_view> Next() override {
    if (!head_.empty()) {
      buffer_.assign(head_.begin(), head_.end());
      head_.clear();
      return std::string_view(buffer_.data(), buffer_.size());
    }
    buffer_.resize(kChunkBytes);
    for (;;) {
      const ssize_t n = read(fd_, buffer_.data(), buffer_.size());
      if (n >= 0) return std::string_view(buffer_.data(), static_cast<size_t>(n));
      if (errno != EINTR) {
        return Error{DiagCode::kUnreadableInput, fmt::format("{}: cannot be read: {}", path_, std::strerror(errno))};
      }
    }
  }
  const Diagnostics& diagnostics() const override { return diagnostics_; }

 private:
  int fd_;
  std::string path_;
  std::string head_;
  std::vector<char> buffer_;
  Diagnostics diagnostics_;
};

class GzipStream : public ByteStream {
 public:
  GzipStream(std::unique_ptr<ByteStream> compressed, std::string path)
      : compressed_(std::move(compressed)), path_(std::move(path)), state_(std::make_unique<inflate_state>()),
        buffer_(kChunkBytes) {
    StartMember();
  }

  Result<std::string_view> Next() override {
    state_->next_out = buffer_.data();
    state_->avail_out = static_cast<uint32_t>(buffer_.size());
    while (!done_ && state_->avail_out > 0) {
      if (in_.empty()) {
        Result<std::string_view> more = compressed_->Next();
        if (!more) return more.error();
        in_ = *more;
        if (in_.empty()) {
          AtEndOfInput();
          break;
        }
      }
      if (between_members_) {
        if (!FindMember()) continue;
      }
      Inflate();
    }
    return std::string_view(reinterpret_cast<const char*>(buffer_.data()), buffer_.size() - state_->avail_out);
  }
  const Diagnostics& diagnostics() const override { return diagnostics_; }

 private:
  void StartMember() {
    uint8_t* out = state_->next_out;
    const uint32_t avail = state_->avail_out;
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_GZIP;
    state_->next_out = out;
    state_->avail_out = avail;
  }

  // Skips padding up to the next member. False: more input is needed, or none follows.
  bool FindMember() {
    while (!in_.empty() && in_[0] == '\0') Consume(1);
    if (in_.empty()) return false;
    if (static_cast<uint8_t>(in_[0]) != 0x1f) {
      diagnostics_.Add(DiagCode::kBadChecksum,
                       fmt::format("{}: what follows the gzip data at byte {} is no gzip data and was not read", path_,
                                   consumed_));
      done_ = true;
      return false;
    }
    between_members_ = false;
    StartMember();
    return true;
  }

  void Inflate() {
    state_->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in_.data()));
    state_->avail_in = static_cast<uint32_t>(std::min<size_t>(in_.size(), UINT32_MAX));
    const uint32_t offered = state_->avail_in;
    const int error = isal_inflate(state_.get());
    Consume(offered - state_->avail_in);
    if (error == ISAL_INCORRECT_CHECKSUM) {
      diagnostics_.Add(DiagCode::kBadChecksum,
                       fmt::format("{}: the gzip checksum or length at byte {} is wrong: all data were read, but they may "
                                   "be damaged; copy the file anew",
                                   path_, consumed_));
      between_members_ = true;
    } else if (error != ISAL_DECOMP_OK && error != ISAL_END_INPUT) {
      diagnostics_.Add(DiagCode::kTruncatedInput,
                       fmt::format("{}: the gzip data are damaged near byte {}: what came before was read; copy the file "
                                   "anew or write the profile again",
                                   path_, consumed_));
      done_ = true;
    } else if (state_->block_state == ISAL_BLOCK_FINISH) {
      between_members_ = true;
    }
  }

  void AtEndOfInput() {
    done_ = true;
    if (between_members_) return;
    diagnostics_.Add(DiagCode::kTruncatedInput,
                     fmt::format("{}: the gzip stream ends early, at byte {}: what came before was read; copy the file "
                                 "anew or write the profile again",
                                 path_, consumed_));
  }

  void Consume(size_t n) {
    in_.remove_prefix(n);
    consumed_ += n;
  }

  std::unique_ptr<ByteStream> compressed_;
  std::string path_;
  std::unique_ptr<inflate_state> state_;
  std::vector<uint8_t> buffer_;
  std::string_view in_;       // compressed bytes not yet taken
  uint64_t consumed_ = 0;     // compressed bytes taken
  bool between_members_ = false;
  bool done_ = false;
  Diagnostics diagnostics_;
};

}  // namespace

std::unique_ptr<ByteStream> MakeFdStream(int fd, std::string path, std::string head) {
  return std::make_unique<FdStream>(fd, std::move(path), std::move(head));
}

std::unique_ptr<ByteStream> MakeGzipStream(std::unique_ptr<ByteStream> compressed, std::string path) {
  return std::make_unique<GzipStream>(std::move(compressed), std::move(path));
}

}  // namespace tfprof::input
