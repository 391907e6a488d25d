// The floor of the benchmark for Chrome timelines: a bare simdjson pass.
//
//   json_floor FILE [THREADS]
//
// Slices of 1 MiB, cut between events, are copied into a padded buffer that is used again and again (fresh memory costs
// more than parsing), indexed (stage 1) and walked with On-Demand: `ts` and `dur` as doubles, `name` as the bytes
// between its quotes; all else is skipped. No lanes, no names of lanes, no self time, no exact times: the yardstick,
// not a reader. Takes what benchmarks are made of: a well-formed trace with at least one event whose keys or event
// arrays hold no `}, {` of their own; anything else is exit 3. Stage 1 picks its kernel by itself; the walk is compiled
// for one CPU, so that this source is built twice, and the plain build hands over to `json_floor_haswell` beside it
// where the CPU can run that. Prints one line of key=value pairs; durations are summed in microseconds.

#include <fcntl.h>
#include <simdjson.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr size_t kSlice = size_t{1} << 20;
#define TEXT_OF(name) #name
#define EXPANDED_TEXT_OF(name) TEXT_OF(name)
constexpr char kWalk[] = EXPANDED_TEXT_OF(SIMDJSON_BUILTIN_IMPLEMENTATION);

std::string_view Map(const char* path) {
  const int fd = open(path, O_RDONLY);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0 || info.st_size == 0) return {};
  const auto size = static_cast<size_t>(info.st_size);
  void* at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  return at == MAP_FAILED ? std::string_view() : std::string_view(static_cast<const char*>(at), size);
}

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The events: what stands between the brackets of the array.
std::string_view EventsOf(std::string_view text) {
  size_t first = text.find_first_not_of(" \n\r\t");
  if (first != std::string_view::npos && text[first] == '{') {
    first = text.find("\"traceEvents\"");
    if (first != std::string_view::npos) first = text.find('[', first);
  }
  const size_t last = text.rfind(']');
  if (first == std::string_view::npos || last == std::string_view::npos || last <= first) return {};
  return text.substr(first + 1, last - first - 1);
}

// The first place at or behind `at` where an event begins after another one; the end if there is none.
size_t Boundary(std::string_view events, size_t at) {
  for (; (at = events.find('}', at)) != std::string_view::npos; ++at) {
    size_t p = at + 1;
    while (p < events.size() && IsSpace(events[p])) ++p;
    if (p == events.size() || events[p] != ',') continue;
    ++p;
    while (p < events.size() && IsSpace(events[p])) ++p;
    if (p < events.size() && events[p] == '{') return p;
  }
  return events.size();
}

struct Tally {
  uint64_t events = 0, name_bytes = 0;
  double duration_us = 0, last_us = 0;
  bool failed = false;
};

class Walker {
 public:
  // Parses one slice: whole events with commas between, perhaps a comma at the end.
  bool Take(std::string_view slice, Tally* tally) {
    while (!slice.empty() && (IsSpace(slice.back()) || slice.back() == ',')) slice.remove_suffix(1);
    const size_t size = slice.size() + 2;
    if (buffer_.size() < size + simdjson::SIMDJSON_PADDING) buffer_.resize(size + simdjson::SIMDJSON_PADDING);
    buffer_[0] = '[';
    std::memcpy(&buffer_[1], slice.data(), slice.size());
    buffer_[size - 1] = ']';
    return Walk(size, tally) == simdjson::SUCCESS;
  }

 private:
  simdjson::error_code Walk(size_t size, Tally* tally) {
    simdjson::ondemand::document document;
    if (auto error = parser_.iterate(buffer_.data(), size, buffer_.size()).get(document)) return error;
    simdjson::ondemand::array array;
    if (auto error = document.get_array().get(array)) return error;
    for (auto element : array) {
      simdjson::ondemand::object event;
      if (auto error = element.get_object().get(event)) return error;
      ++tally->events;
      for (auto field : event) {
        if (auto error = TakeField(field, tally)) return error;
      }
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code TakeField(simdjson::simdjson_result<simdjson::ondemand::field> field, Tally* tally) {
    simdjson::ondemand::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    const char* text = key.raw();
    double number = 0;
    if (std::memcmp(text, "ts\"", 3) == 0) {
      if (auto error = field.value().get_double().get(number)) return error;
      tally->last_us = std::max(tally->last_us, number);
    } else if (std::memcmp(text, "dur\"", 4) == 0) {
      if (auto error = field.value().get_double().get(number)) return error;
      tally->duration_us += number;
    } else if (std::memcmp(text, "name\"", 5) == 0) {
      tally->name_bytes += std::string_view(field.value().raw_json_token()).size();
    }
    return simdjson::SUCCESS;
  }

  simdjson::ondemand::parser parser_;
  std::string buffer_;
};

void Work(std::string_view events, std::atomic<size_t>* next, Tally* tally) {
  Walker walker;
  for (size_t at; (at = next->fetch_add(kSlice)) < events.size();) {
    const size_t begin = at == 0 ? 0 : Boundary(events, at),
                 end = Boundary(events, std::min(at + kSlice, events.size()));
    if (begin < end && !walker.Take(events.substr(begin, end - begin), tally)) {
      tally->failed = true;
      return;
    }
  }
}

// Replaces this process by the build for newer CPUs, where there is one beside it.
void HandOver([[maybe_unused]] char** argv) {
#if defined(__x86_64__) && !defined(__AVX2__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("pclmul")) return;
  const std::string better = std::string(argv[0]) + "_haswell";
  execv(better.c_str(), argv);  // returns only when it isn't there
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: json_floor FILE [THREADS]\n");
    return 2;
  }
  HandOver(argv);
  const auto started = std::chrono::steady_clock::now();
  const std::string_view text = Map(argv[1]), events = EventsOf(text);
  if (events.empty()) {
    std::fprintf(stderr, "%s: no trace, or not to be read\n", argv[1]);
    return 3;
  }
  const size_t threads = argc > 2 ? static_cast<size_t>(std::max(1, std::atoi(argv[2]))) : 1;
  std::atomic<size_t> next = 0;
  std::vector<Tally> tallies(threads);
  std::vector<std::thread> others;
  for (size_t n = 1; n < threads; ++n) others.emplace_back(Work, events, &next, &tallies[n]);
  Work(events, &next, &tallies[0]);
  for (std::thread& other : others) other.join();

  Tally all;
  for (const Tally& tally : tallies) {
    all.events += tally.events;
    all.name_bytes += tally.name_bytes;
    all.duration_us += tally.duration_us;
    all.last_us = std::max(all.last_us, tally.last_us);
    all.failed |= tally.failed;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  std::printf("events=%llu seconds=%.6f gb_per_s=%.3f dur_us=%.3f last_us=%.3f name_bytes=%llu kernel=%s walk=%s\n",
              static_cast<unsigned long long>(all.events), seconds.count(),
              static_cast<double>(text.size()) / seconds.count() / 1e9, all.duration_us, all.last_us,
              static_cast<unsigned long long>(all.name_bytes), simdjson::get_active_implementation()->name().c_str(),
              kWalk);
  return all.failed ? 3 : 0;
}
