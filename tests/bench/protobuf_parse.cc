// What libprotobuf needs for a whole XSpace file: the message tree on an arena, and nothing done with it.
//
//   protobuf_parse FILE
//
// libprotobuf takes no message beyond 2 GiB. Prints one line of key=value pairs; peak_rss_bytes holds the file's pages.

#include <fcntl.h>
#include <google/protobuf/arena.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <climits>
#include <cstdio>

#include "xplane.pb.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: protobuf_parse FILE\n");
    return 2;
  }
  const auto started = std::chrono::steady_clock::now();
  const int fd = open(argv[1], O_RDONLY);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) {
    std::perror(argv[1]);
    return 3;
  }
  if (info.st_size == 0 || info.st_size > INT_MAX) {
    std::fprintf(stderr, "%s: libprotobuf reads 1 byte to 2 GiB\n", argv[1]);
    return 3;
  }
  const auto size = static_cast<size_t>(info.st_size);
  const void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) {
    std::perror(argv[1]);
    return 3;
  }
  google::protobuf::Arena arena;
  auto* space = google::protobuf::Arena::CreateMessage<tfprof::twin::XSpace>(&arena);
  if (!space->ParseFromArray(bytes, static_cast<int>(size))) {
    std::fprintf(stderr, "%s: libprotobuf cannot parse it\n", argv[1]);
    return 3;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  unsigned long long events = 0;
  for (const auto& plane : space->planes()) {
    for (const auto& line : plane.lines()) events += static_cast<unsigned long long>(line.events_size());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("events=%llu seconds=%.6f gb_per_s=%.3f peak_rss_bytes=%llu\n", events, seconds.count(),
              static_cast<double>(size) / seconds.count() / 1e9,
              static_cast<unsigned long long>(usage.ru_maxrss) * 1024);
  return 0;
}
