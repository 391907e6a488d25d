// The floor of the benchmark: the least work that tells self times apart in an XSpace file.
//
//   wire_walk FILE [THREADS]
//
// A loop over the wire format of a mapped file: a stack of open events for each line, self time added up by metadata id
// in a dense array of its plane, and for lines of device planes (which do not nest) the id and value of every stat,
// folded into a checksum so that no compiler may leave them out. No names, no rows, no diagnostics, no care for odd
// files beyond not crashing on valid ones. Lines go to the threads largest first. It uses nothing of lib/: it is the
// yardstick. Prints one line of key=value pairs. Times are picoseconds. Format: XSpace.planes = 1; XPlane.name = 2,
// lines = 3, event_metadata = 4; XLine.events = 4; XEvent.metadata_id = 1, offset_ps = 2, duration_ps = 3, stats = 4.

#include <fcntl.h>
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
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#define ALWAYS_INLINE [[gnu::always_inline]] inline

namespace {

constexpr uint64_t kContinuationBits = 0x8080808080808080;
constexpr size_t kPage = 4096;
constexpr size_t kPrefetch = 1024;                     // bytes ahead: the hardware prefetcher stops at every page
constexpr uint64_t kMaxTableSize = uint64_t{1} << 24;  // ids beyond share one slot

// A file with readable bytes behind its end: varints are loaded eight bytes at a time without looking.
class PaddedMap {
 public:
  explicit PaddedMap(const char* path) {
    const int fd = open(path, O_RDONLY);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) return;
    size_ = static_cast<size_t>(info.st_size);
    reserved_ = (size_ + 2 * kPage - 1) / kPage * kPage;
    void* at = mmap(nullptr, reserved_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return;
    if (size_ != 0 && mmap(at, size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) return;
    close(fd);
    data_ = static_cast<const uint8_t*>(at);
  }
  PaddedMap(const PaddedMap&) = delete;
  PaddedMap& operator=(const PaddedMap&) = delete;

  const uint8_t* begin() const { return data_; }
  const uint8_t* end() const { return data_ + size_; }
  size_t size() const { return size_; }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  size_t reserved_ = 0;
};

ALWAYS_INLINE uint64_t Load64(const uint8_t* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

// Joins the low seven bits of each byte. The instruction is written as assembly, so that one source serves both CPUs.
template <bool kBmi2>
ALWAYS_INLINE uint64_t JoinGroups(uint64_t word) {
#ifdef __x86_64__
  if constexpr (kBmi2) {
    uint64_t joined;
    asm("pext %2, %1, %0" : "=r"(joined) : "r"(word), "r"(~kContinuationBits));
    return joined;
  }
#endif
  word = (word & 0x007f007f007f007f) | ((word & 0x7f007f007f007f00) >> 1);
  word = (word & 0x00003fff00003fff) | ((word & 0x3fff00003fff0000) >> 2);
  return (word & 0x000000000fffffff) | ((word & 0x0fffffff00000000) >> 4);
}

// A number and the byte behind it: returned in two registers, so that nothing in the loops needs an address.
struct Varint {
  uint64_t value;
  const uint8_t* next;
};

Varint ReadLongVarint(const uint8_t* p) {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const uint64_t byte = *p++;
    if (shift < 64) value |= (byte & 127) << shift;
    if (byte < 128) break;
  }
  return {value, p};
}

// Without a branch for up to eight bytes: the first clear top bit tells the length.
template <bool kBmi2>
ALWAYS_INLINE Varint ReadVarint(const uint8_t* p) {
  const uint64_t word = Load64(p);
  const uint64_t stops = ~word & kContinuationBits;
  if (__builtin_expect(stops == 0, 0)) return ReadLongVarint(p);
  return {JoinGroups<kBmi2>(word & (stops ^ (stops - 1))), p + (__builtin_ctzll(stops) >> 3) + 1};
}

struct Field {
  uint32_t tag = 0;
  uint64_t bits = 0;                 // value, or length
  const uint8_t* content = nullptr;  // of a length-delimited field
};

// Any field but groups, for everything that is not an event in the usual order. false when it does not fit.
bool ReadField(const uint8_t** at, const uint8_t* end, Field* field) {
  const Varint tag = ReadLongVarint(*at);
  field->tag = static_cast<uint32_t>(tag.value);
  const uint8_t* p = tag.next;
  switch (tag.value & 7) {
    case 0:
    case 2: {
      const Varint bits = ReadLongVarint(p);
      field->bits = bits.value;
      field->content = p = bits.next;
      if ((tag.value & 7) == 0) break;
      if (p > end || field->bits > static_cast<uint64_t>(end - p)) return false;
      p += field->bits;
      break;
    }
    case 1:
      p += 8;
      break;
    case 5:
      p += 4;
      break;
    default:
      return false;
  }
  *at = p;
  return p <= end;
}

struct LineSpan {
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
  uint32_t plane = 0;
};

struct PlaneInfo {
  bool device = false;
  uint64_t table_size = 1;  // ids below it have their own slot, the last slot is for all others
};

struct Index {
  std::vector<PlaneInfo> planes;
  std::vector<LineSpan> lines;
};

// The skip walk: by lengths over planes, lines and the keys of the event metadata.
void IndexPlane(const uint8_t* p, const uint8_t* end, Index* index) {
  const auto number = static_cast<uint32_t>(index->planes.size());
  PlaneInfo plane;
  for (Field field; p < end && ReadField(&p, end, &field);) {
    if (field.tag == 0x12) {
      plane.device = std::string_view(reinterpret_cast<const char*>(field.content), field.bits).starts_with("/device:");
    } else if (field.tag == 0x1a) {
      index->lines.push_back({field.content, p, number});
    } else if (field.tag == 0x22 && field.bits > 1 && field.content[0] == 0x08) {
      const uint64_t key = ReadLongVarint(field.content + 1).value;
      if (key < kMaxTableSize) plane.table_size = std::max(plane.table_size, key + 2);
    }
  }
  index->planes.push_back(plane);
}

Index IndexFile(const PaddedMap& file) {
  Index index;
  const uint8_t* p = file.begin();
  for (Field field; p < file.end() && ReadField(&p, file.end(), &field);) {
    if (field.tag == 0x0a) IndexPlane(field.content, p, &index);
  }
  std::stable_sort(index.lines.begin(), index.lines.end(),
                   [](const LineSpan& a, const LineSpan& b) { return a.end - a.begin > b.end - b.begin; });
  return index;
}

// `next` is where the line goes on, nullptr when it makes no sense; `stats` is nullptr for a field that is no event.
struct Event {
  uint64_t id = 0;
  int64_t start = 0;
  int64_t duration = 0;
  const uint8_t* stats = nullptr;  // where the fields behind the duration begin
  const uint8_t* next = nullptr;
};

// An event whose fields are in no usual order, or a field of the line that is no event.
Event ReadOddEvent(const uint8_t* p, const uint8_t* line_end) {
  Field field;
  Event event;
  if (!ReadField(&p, line_end, &field)) return event;
  event.next = p;
  if (field.tag != 0x22) return event;
  event.stats = event.next;
  for (p = field.content; p < event.next;) {
    const uint8_t* at = p;
    if (!ReadField(&p, event.next, &field)) break;
    if (field.tag == 0x08) event.id = field.bits;
    if (field.tag == 0x10) event.start = static_cast<int64_t>(field.bits);
    if (field.tag == 0x18) event.duration = static_cast<int64_t>(field.bits);
    if (field.tag == 0x22) event.stats = std::min(event.stats, at);
  }
  return event;
}

// The usual event: its length in one byte, its id in one or two bytes (without a branch: both are common in one line),
// then the offset, then often the duration.
template <bool kBmi2>
ALWAYS_INLINE Event ReadEvent(const uint8_t* p, const uint8_t* line_end) {
  const uint64_t head = Load64(p);
  const uint64_t wide = (head >> 31) & 1;
  const uint64_t rest = head >> (32 + 8 * wide);  // behind the id
  const bool usual = (head & 0xff80ff) == 0x080022 && (rest & 255) == 0x10 && (head & 0x8080000000) != 0x8080000000;
  if (__builtin_expect(!usual, 0)) return ReadOddEvent(p, line_end);
  const uint8_t* next = p + 2 + ((head >> 8) & 127);
  const uint64_t id = ((head >> 24) & 127) | ((head >> 25) & (0x3f80 * wide));
  const Varint start = ReadVarint<kBmi2>(p + 5 + wide);
  Varint duration = {0, start.next};
  if (start.next < next && *start.next == 0x18) duration = ReadVarint<kBmi2>(start.next + 1);
  return {id, static_cast<int64_t>(start.value), static_cast<int64_t>(duration.value), duration.next, next};
}

// Id and value (of a text its length) of every stat of an event, folded into a number.
template <bool kBmi2>
ALWAYS_INLINE uint64_t ReadStats(const uint8_t* p, const uint8_t* end) {
  uint64_t sum = 0;
  while (p < end) {
    const uint64_t head = Load64(p);
    uint64_t id = (head >> 24) & 255;
    const uint8_t* tag = p + 4;
    if (__builtin_expect((head & 0x80ff80ff) != 0x00080022, 0)) {
      // An id of more than one byte; a long text; anything else is left out.
      if ((head & 0xff80ff) != 0x080022) {
        Field field;
        if (!ReadField(&p, end, &field)) break;
        sum += field.bits;
        continue;
      }
      const Varint wide = ReadVarint<kBmi2>(p + 3);
      id = wide.value;
      tag = wide.next;
    }
    sum += id << 32;
    sum += (*tag & 7) == 1 ? Load64(tag + 1) : ReadVarint<kBmi2>(tag + 1).value;
    p += 2 + ((head >> 8) & 127);
  }
  return sum;
}

// What one thread adds up; tables are made when the first line of a plane comes.
struct Tally {
  explicit Tally(size_t planes) : self_ps(planes) {}

  std::vector<std::unique_ptr<int64_t[]>> self_ps;  // by plane, then by metadata id
  uint64_t events = 0;
  uint64_t stats = 0;
};

struct Frame {
  int64_t end_ps;
  int64_t* self_ps;
};

template <bool kBmi2>
ALWAYS_INLINE void WalkHostLine(const LineSpan& line, int64_t* self_ps, uint64_t last_slot, std::vector<Frame>* stack,
                                Tally* tally) {
  int64_t outside = 0;
  stack->resize(std::max<size_t>(stack->size(), 64));
  (*stack)[0] = {INT64_MAX, &outside};
  Frame* top = stack->data();
  Frame* limit = stack->data() + stack->size() - 1;
  uint64_t events = 0;
  for (const uint8_t* p = line.begin; p < line.end;) {
    __builtin_prefetch(p + kPrefetch);
    const Event event = ReadEvent<kBmi2>(p, line.end);
    p = event.next;
    if (__builtin_expect(event.stats == nullptr, 0)) {
      if (p == nullptr) break;
      continue;
    }
    ++events;
    while (top->end_ps <= event.start) --top;
    int64_t* self = self_ps + std::min(event.id, last_slot);
    *self += event.duration;
    *top->self_ps -= event.duration;
    if (__builtin_expect(top == limit, 0)) {
      const size_t depth = stack->size();
      stack->resize(2 * depth);
      top = stack->data() + depth - 1;
      limit = stack->data() + 2 * depth - 1;
    }
    *++top = {event.start + event.duration, self};
  }
  tally->events += events;
}

template <bool kBmi2>
ALWAYS_INLINE void WalkDeviceLine(const LineSpan& line, int64_t* self_ps, uint64_t last_slot, Tally* tally) {
  uint64_t events = 0, stats = 0;
  for (const uint8_t* p = line.begin; p < line.end;) {
    __builtin_prefetch(p + kPrefetch);
    const Event event = ReadEvent<kBmi2>(p, line.end);
    p = event.next;
    if (__builtin_expect(event.stats == nullptr, 0)) {
      if (p == nullptr) break;
      continue;
    }
    ++events;
    self_ps[std::min(event.id, last_slot)] += event.duration;
    stats += ReadStats<kBmi2>(event.stats, event.next);
  }
  tally->events += events;
  tally->stats += stats;
}

template <bool kBmi2>
ALWAYS_INLINE void WalkLines(const Index& index, std::atomic<size_t>* next, Tally* tally) {
  std::vector<Frame> stack;
  for (size_t n; (n = next->fetch_add(1, std::memory_order_relaxed)) < index.lines.size();) {
    const LineSpan& line = index.lines[n];
    const PlaneInfo& plane = index.planes[line.plane];
    std::unique_ptr<int64_t[]>& table = tally->self_ps[line.plane];
    if (table == nullptr) table = std::make_unique<int64_t[]>(plane.table_size);
    if (plane.device) {
      WalkDeviceLine<kBmi2>(line, table.get(), plane.table_size - 1, tally);
    } else {
      WalkHostLine<kBmi2>(line, table.get(), plane.table_size - 1, &stack, tally);
    }
  }
}

#ifdef __x86_64__
[[gnu::target("bmi,bmi2")]] void WalkLinesBmi2(const Index& index, std::atomic<size_t>* next, Tally* tally) {
  WalkLines<true>(index, next, tally);
}
#endif

void WalkLinesAnywhere(const Index& index, std::atomic<size_t>* next, Tally* tally) {
  WalkLines<false>(index, next, tally);
}

using WalkFunction = void (*)(const Index&, std::atomic<size_t>*, Tally*);

WalkFunction FunctionForThisCpu() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) return WalkLinesBmi2;
#endif
  return WalkLinesAnywhere;
}

// Self time of the whole file: all threads, planes and ids.
int64_t SumSelf(const Index& index, const std::vector<Tally>& tallies) {
  int64_t total = 0;
  for (size_t plane = 0; plane < index.planes.size(); ++plane) {
    for (const Tally& tally : tallies) {
      if (tally.self_ps[plane] == nullptr) continue;
      for (uint64_t id = 0; id < index.planes[plane].table_size; ++id) total += tally.self_ps[plane][id];
    }
  }
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: wire_walk FILE [THREADS]\n");
    return 2;
  }
  const auto started = std::chrono::steady_clock::now();
  const PaddedMap file(argv[1]);
  if (file.begin() == nullptr) {
    std::perror(argv[1]);
    return 3;
  }
  const size_t threads = argc > 2 ? std::max(1, std::atoi(argv[2])) : 1;
  const Index index = IndexFile(file);
  const WalkFunction walk = FunctionForThisCpu();
  std::atomic<size_t> next = 0;
  std::vector<Tally> tallies;
  for (size_t n = 0; n < threads; ++n) tallies.emplace_back(index.planes.size());
  std::vector<std::thread> others;
  for (size_t n = 1; n < threads; ++n) others.emplace_back(walk, std::cref(index), &next, &tallies[n]);
  walk(index, &next, &tallies[0]);
  for (std::thread& other : others) other.join();

  uint64_t events = 0, stats = 0;
  for (const Tally& tally : tallies) {
    events += tally.events;
    stats += tally.stats;
  }
  const int64_t self_ps = SumSelf(index, tallies);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  std::printf("events=%llu seconds=%.6f gb_per_s=%.3f self_us=%.3f stats_checksum=%llx\n",
              static_cast<unsigned long long>(events), seconds.count(), file.size() / seconds.count() / 1e9,
              self_ps / 1e6, static_cast<unsigned long long>(stats));
  return 0;
}
