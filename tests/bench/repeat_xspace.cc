// Makes a big XSpace file from a real one, for measurements.
//
//   repeat_xspace IN OUT BYTES
//
// Every line gets its events again and again, each time later by one period: the span of the whole file and a gap of a
// tenth of it, so that the runs follow each other on all lines alike. Everything else stays as it is, in its order (the
// fields of a line's head stand before its events). As many repetitions as fit into BYTES are written, at least one.
// Only `offset_ps` is shifted: absolute times in stats (`device_offset_ps` of TPUs) and aggregated events repeat
// unshifted. The output is streamed: lengths are added up first, one repetition after the other. Prints one line of
// key=value pairs.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "wire/reader.h"

namespace {

using tfprof::wire::Begin;
using tfprof::wire::Bytes;
using tfprof::wire::Field;
using tfprof::wire::FieldReader;
using tfprof::wire::MakeBytes;
using tfprof::wire::Next;
using tfprof::wire::WireType;

constexpr uint8_t kPlaneTag = 0x0a, kLineTag = 0x1a, kEventTag = 0x22, kOffsetTag = 0x10;

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "repeat_xspace: %s\n", message.c_str());
  std::exit(3);
}

uint64_t VarintSize(uint64_t value) {
  uint64_t size = 1;
  for (; value > 127; value >>= 7) ++size;
  return size;
}

// A length-delimited field with a one-byte tag.
uint64_t FieldSize(uint64_t content) { return 1 + VarintSize(content) + content; }

// Calls take(field, bytes of the whole field) for every field of a message.
template <typename Take>
void ForEachField(Bytes message, Take take) {
  FieldReader reader(message);
  Field field;
  for (;;) {
    const uint8_t* at = reader.position();
    const Next next = reader.Read(&field);
    if (next == Next::kEnd) return;
    if (next == Next::kBroken) Fail("the input is damaged");
    take(field, MakeBytes(at, reader.position()));
  }
}

// An XEvent around its offset. An aggregate has no start: it is all `before`.
struct Event {
  Bytes before, after;
  int64_t offset_ps = 0;
  bool timed = true;

  uint64_t OffsetAt(int64_t shift_ps) const { return static_cast<uint64_t>(offset_ps + shift_ps); }
  uint64_t BodySize(int64_t shift_ps) const {
    return before.size() + after.size() + (timed ? 1 + VarintSize(OffsetAt(shift_ps)) : 0);
  }
};

struct Line {
  std::string head;  // all fields but the events
  std::vector<Event> events;
  uint64_t size = 0;  // of the message to be written
};

struct Plane {
  std::vector<Bytes> fields;  // whole, as they were; an empty one stands for the next line
  std::vector<Line> lines;
  uint64_t copied = 0;  // bytes in `fields`

  uint64_t Size() const {
    uint64_t size = copied;
    for (const Line& line : lines) size += FieldSize(line.size);
    return size;
  }
};

struct File {
  std::vector<Bytes> fields;  // likewise; an empty one stands for the next plane
  std::vector<Plane> planes;
  uint64_t copied = 0;
  __int128 first_ps = INT64_MAX, last_ps = INT64_MIN;  // of all events

  uint64_t Size() const {
    uint64_t size = copied;
    for (const Plane& plane : planes) size += FieldSize(plane.Size());
    return size;
  }
};

class Parser {
 public:
  File Parse(Bytes bytes) {
    ForEachField(bytes, [&](const Field& field, Bytes whole) {
      if (field.Is(1, WireType::kBytes)) {
        file_.planes.push_back(ParsePlane(field.bytes));
        whole = {};
      }
      file_.fields.push_back(whole);
      file_.copied += whole.size();
    });
    return std::move(file_);
  }

 private:
  Plane ParsePlane(Bytes bytes) {
    Plane plane;
    ForEachField(bytes, [&](const Field& field, Bytes whole) {
      if (field.Is(3, WireType::kBytes)) {
        plane.lines.push_back(ParseLine(field.bytes));
        whole = {};
      }
      plane.fields.push_back(whole);
      plane.copied += whole.size();
    });
    return plane;
  }

  Line ParseLine(Bytes bytes) {
    Line line;
    std::vector<Bytes> events;
    int64_t timestamp_ns = 0;
    ForEachField(bytes, [&](const Field& field, Bytes whole) {
      if (field.Is(3, WireType::kVarint)) timestamp_ns = field.as_int64();
      if (field.Is(4, WireType::kBytes)) {
        events.push_back(field.bytes);
      } else {
        line.head.append(whole);
      }
    });
    line.size = line.head.size();
    for (const Bytes event : events) line.events.push_back(ParseEvent(event, __int128{timestamp_ns} * 1000));
    return line;
  }

  Event ParseEvent(Bytes bytes, __int128 line_start_ps) {
    Event event;
    const uint8_t* before_end = Begin(bytes);
    const uint8_t* after_begin = Begin(bytes);
    int64_t duration_ps = 0;
    ForEachField(bytes, [&](const Field& field, Bytes whole) {
      const uint8_t* end = Begin(whole) + whole.size();
      if (field.Is(2, WireType::kVarint)) {
        event.offset_ps = field.as_int64();
        before_end = Begin(whole);
        after_begin = end;
      }
      if (field.Is(3, WireType::kVarint)) duration_ps = field.as_int64();
      if (field.Is(5, WireType::kVarint)) event.timed = false;
    });
    event.before = MakeBytes(Begin(bytes), event.timed ? before_end : tfprof::wire::End(bytes));
    if (!event.timed) return event;
    event.after = MakeBytes(after_begin, tfprof::wire::End(bytes));
    const __int128 start_ps = line_start_ps + event.offset_ps;
    file_.first_ps = std::min(file_.first_ps, start_ps);
    file_.last_ps = std::max(file_.last_ps, start_ps + duration_ps);
    return event;
  }

  File file_;
};

// Adds repetitions to the sizes of the lines while the file stays within `limit`; returns how many there are.
uint64_t ChooseRepetitions(File* file, int64_t period_ps, uint64_t limit) {
  std::vector<uint64_t> added;
  for (uint64_t repetitions = 0;; ++repetitions) {
    if (repetitions > static_cast<uint64_t>(INT64_MAX / period_ps / 2)) return repetitions;
    const auto shift_ps = static_cast<int64_t>(repetitions) * period_ps;
    added.clear();
    for (Plane& plane : file->planes) {
      for (Line& line : plane.lines) {
        uint64_t size = 0;
        for (const Event& event : line.events) size += FieldSize(event.BodySize(shift_ps));
        line.size += size;
        added.push_back(size);
      }
    }
    if (repetitions == 0 || file->Size() <= limit) continue;
    size_t n = 0;
    for (Plane& plane : file->planes) {
      for (Line& line : plane.lines) line.size -= added[n++];
    }
    return repetitions;
  }
}

class Writer {
 public:
  explicit Writer(const char* path) : out_(std::fopen(path, "wb")) {
    if (out_ == nullptr) Fail(std::string("cannot write ") + path);
    std::setvbuf(out_, nullptr, _IOFBF, 1 << 20);
  }

  void Write(const File& file, uint64_t repetitions, int64_t period_ps) {
    size_t plane = 0;
    for (const Bytes field : file.fields) {
      if (field.empty()) {
        Put(file.planes[plane++], repetitions, period_ps);
      } else {
        Put(field);
      }
    }
    if (std::fclose(out_) != 0) Fail("writing failed");
  }

 private:
  void Put(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), out_) != bytes.size()) Fail("writing failed");
  }

  void PutTag(uint8_t tag, uint64_t value) {
    char text[11] = {static_cast<char>(tag)};
    size_t size = 1;
    for (; value > 127; value >>= 7) text[size++] = static_cast<char>(value | 128);
    text[size++] = static_cast<char>(value);
    Put({text, size});
  }

  void Put(const Plane& plane, uint64_t repetitions, int64_t period_ps) {
    PutTag(kPlaneTag, plane.Size());
    size_t line = 0;
    for (const Bytes field : plane.fields) {
      if (field.empty()) {
        Put(plane.lines[line++], repetitions, period_ps);
      } else {
        Put(field);
      }
    }
  }

  void Put(const Line& line, uint64_t repetitions, int64_t period_ps) {
    PutTag(kLineTag, line.size);
    Put(line.head);
    for (uint64_t n = 0; n < repetitions; ++n) {
      const auto shift_ps = static_cast<int64_t>(n) * period_ps;
      for (const Event& event : line.events) {
        PutTag(kEventTag, event.BodySize(shift_ps));
        Put(event.before);
        if (event.timed) PutTag(kOffsetTag, event.OffsetAt(shift_ps));
        Put(event.after);
      }
    }
  }

  std::FILE* out_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: repeat_xspace IN OUT BYTES\n");
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (bytes.empty()) Fail(std::string("cannot read ") + argv[1]);
  File file = Parser().Parse(bytes);
  uint64_t events = 0;
  for (const Plane& plane : file.planes) {
    for (const Line& line : plane.lines) events += line.events.size();
  }
  if (file.last_ps <= file.first_ps) Fail("the input has no timed event");
  const __int128 period_ps = (file.last_ps - file.first_ps) * 11 / 10 + 1;
  if (period_ps > INT64_MAX / 4) Fail("the lines of the input have no common clock");
  const uint64_t repetitions =
      ChooseRepetitions(&file, static_cast<int64_t>(period_ps), std::strtoull(argv[3], nullptr, 10));
  Writer(argv[2]).Write(file, repetitions, static_cast<int64_t>(period_ps));
  std::printf("bytes=%llu events=%llu repetitions=%llu period_ps=%lld\n", static_cast<unsigned long long>(file.Size()),
              static_cast<unsigned long long>(events * repetitions), static_cast<unsigned long long>(repetitions),
              static_cast<long long>(period_ps));
  return 0;
}
