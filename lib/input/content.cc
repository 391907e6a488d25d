#include "input/content.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/temp_file.h"

namespace tfprof::input {
namespace {

// Hands out `first` before the rest of `inner`: puts back what was read to find out what an input is.
class PrefixedStream : public ByteStream {
 public:
  PrefixedStream(std::string_view first, std::unique_ptr<ByteStream> inner) : first_(first), inner_(std::move(inner)) {}
  Result<std::string_view> Next() override {
    if (first_.empty()) return inner_->Next();
    return std::exchange(first_, {});
  }
  const Diagnostics& diagnostics() const override { return inner_->diagnostics(); }

 private:
  std::string_view first_;
  std::unique_ptr<ByteStream> inner_;
};

Error Unreadable(const std::string& path, int error) {
  return {DiagCode::kUnreadableInput, fmt::format("{}: cannot be read: {}", path, std::strerror(error))};
}

// Reads up to `size` bytes, fewer only at the end.
ssize_t ReadHead(int fd, char* to, size_t size) {
  size_t have = 0;
  while (have < size) {
    const ssize_t n = read(fd, to + have, size - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    have += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(have);
}

}  // namespace

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(memory_, other.memory_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

Mapping::~Mapping() {
  if (mapped_) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

Result<Mapping> Mapping::OfFile(int fd, uint64_t size, const std::string& path) {
  Mapping mapping;
  if (size == 0) return mapping;
  void* at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) return Unreadable(path, errno);
  mapping.bytes_ = {static_cast<const char*>(at), size};
  mapping.mapped_ = true;
  return mapping;
}

Mapping Mapping::OfMemory(std::string bytes) {
  Mapping mapping;
  mapping.memory_ = std::make_unique<std::string>(std::move(bytes));
  mapping.bytes_ = *mapping.memory_;
  return mapping;
}

void Mapping::Release(std::string_view part) const {
  if (!mapped_) return;
  static const auto kPage = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(part.data()) + kPage - 1) & ~(kPage - 1);
  const uintptr_t end = (reinterpret_cast<uintptr_t>(part.data()) + part.size()) & ~(kPage - 1);
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

Result<std::unique_ptr<Content>> OpenContent(const std::string& path) {
  const int fd = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Unreadable(path, errno);
  struct stat info = {};
  if (fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
    const int error = S_ISDIR(info.st_mode) ? EISDIR : errno;
    close(fd);
    return Unreadable(path, error);
  }
  auto content = std::make_unique<Content>();
  content->path = path;
  char magic[2] = {};
  // A regular file at its start can be mapped; whatever else is read once, front to back.
  const bool regular = S_ISREG(info.st_mode) && info.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0;
  if (regular) {
    content->disk_bytes = static_cast<uint64_t>(info.st_size);
    const ssize_t n = pread(fd, magic, sizeof magic, 0);
    content->gzip = LooksLikeGzip({magic, n < 0 ? 0 : static_cast<size_t>(n)});
    if (!content->gzip) {
      Result<Mapping> mapping = Mapping::OfFile(fd, content->disk_bytes, path);
      close(fd);
      if (!mapping) return mapping.error();
      content->mapping = std::move(*mapping);
      content->head = content->mapping.bytes();
      return content;
    }
  }
  std::string start(regular ? 0 : sizeof magic, '\0');
  if (!regular) {
    const ssize_t n = ReadHead(fd, start.data(), start.size());
    if (n < 0) {
      const Error error = Unreadable(path, errno);
      close(fd);
      return error;
    }
    start.resize(static_cast<size_t>(n));
    content->gzip = LooksLikeGzip(start);
  }
  std::unique_ptr<ByteStream> stream = MakeFdStream(fd, path, std::move(start));
  if (content->gzip) stream = MakeGzipStream(std::move(stream), path);
  // Enough to tell what it is: several short reads of a pipe are put together.
  while (content->head_storage.size() < 4096) {
    Result<std::string_view> more = stream->Next();
    if (!more) return more.error();
    if (more->empty()) break;
    content->head_storage += *more;
  }
  content->head = content->head_storage;
  content->stream = std::make_unique<PrefixedStream>(content->head, std::move(stream));
  return content;
}

Result<Mapping> Spool(Content* content, const std::string& temp_dir, Diagnostics* diagnostics) {
  std::string memory;
  TempFile file;
  for (;;) {
    Result<std::string_view> more = content->stream->Next();
    if (!more) return more.error();
    if (more->empty()) break;
    if (!file.is_open() && memory.size() + more->size() <= kSpoolBytes) {
      memory += *more;
      continue;
    }
    if (!file.is_open()) {
      Result<TempFile> opened = TempFile::Open(temp_dir);
      if (!opened) return opened.error();
      file = std::move(*opened);
    }
    if (!file.Append(memory) || !file.Append(*more)) return NoRoom(temp_dir);
    memory.clear();
  }
  diagnostics->Merge(content->stream->diagnostics());
  if (!file.is_open()) return Mapping::OfMemory(std::move(memory));
  return Mapping::OfFile(file.fd(), file.size(), content->path);
}

}  // namespace tfprof::input
