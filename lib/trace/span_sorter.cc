#include "trace/span_sorter.h"

#include <algorithm>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace tfprof::trace {
namespace {

constexpr size_t kReadBytes = size_t{1} << 15;  // of a run at once
constexpr size_t kWriteBytes = size_t{1} << 18;
constexpr uint32_t kMostGathered = 1 << 16;  // lanes

bool Before(const WaitingSpan& a, const WaitingSpan& b) {
  return std::tie(a.lane, a.start_ps, b.duration_ps, a.arrival) <
         std::tie(b.lane, b.start_ps, a.duration_ps, b.arrival);
}

// Sorts the spans of a lane. What comes later than something before it is taken out, sorted and merged in again.
void SortLane(std::span<WaitingSpan> spans, std::vector<WaitingSpan>* late) {
  late->clear();
  size_t kept = 0;
  for (const WaitingSpan& span : spans) {
    if (kept == 0 || !Before(span, spans[kept - 1])) {
      spans[kept++] = span;
    } else {
      late->push_back(span);
    }
  }
  if (late->empty()) return;
  if (!std::is_sorted(late->begin(), late->end(), Before)) std::sort(late->begin(), late->end(), Before);
  size_t left = late->size();
  for (size_t to = spans.size(); left > 0;) {  // from the back, where there is room
    spans[--to] = kept > 0 && Before((*late)[left - 1], spans[kept - 1]) ? spans[--kept] : (*late)[--left];
  }
}

// Spans as they wait in the file: differences from the span before, in groups of seven bits, lowest first. A page of a
// file costs more than this takes, and most spans need 10 bytes instead of 32.
constexpr size_t kMostPackedBytes = 3 * 10 + 2 * 5;

void PutNumber(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) *out += static_cast<char>(value | 0x80);
  *out += static_cast<char>(value);
}
uint64_t TakeNumber(const char** p) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(*(*p)++);
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
}
// Small differences of either sign are small numbers.
uint64_t ZigZag(uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
uint64_t UnZigZag(uint64_t number) { return number >> 1 ^ (0 - (number & 1)); }

// The arrival with its kLast as the lowest bit.
uint64_t Rotated(uint64_t arrival) { return arrival << 1 | arrival >> 63; }

void Pack(const WaitingSpan& span, const WaitingSpan& before, std::string* out) {
  PutNumber(span.lane - before.lane, out);
  PutNumber(span.op + 1U, out);
  PutNumber(ZigZag(static_cast<uint64_t>(span.start_ps) - static_cast<uint64_t>(before.start_ps)), out);
  PutNumber(static_cast<uint64_t>(span.duration_ps), out);
  PutNumber(ZigZag(Rotated(span.arrival) - Rotated(before.arrival)), out);
}

// `span` holds the one before.
void Unpack(const char** p, WaitingSpan* span) {
  span->lane += static_cast<uint32_t>(TakeNumber(p));
  span->op = static_cast<uint32_t>(TakeNumber(p)) - 1U;
  span->start_ps = static_cast<int64_t>(static_cast<uint64_t>(span->start_ps) + UnZigZag(TakeNumber(p)));
  span->duration_ps = static_cast<int64_t>(TakeNumber(p));
  const uint64_t rotated = Rotated(span->arrival) + UnZigZag(TakeNumber(p));
  span->arrival = rotated >> 1 | rotated << 63;
}

// Reads a sorted run block by block.
class Run {
 public:
  Run(const TempFile* file, uint64_t begin, uint64_t end) : file_(file), at_(begin), end_(end) {}
  bool ok() const { return ok_; }
  const WaitingSpan& front() const { return front_; }
  // Moves on; false at the end.
  bool Advance() {
    if (block_.size() - next_ < kMostPackedBytes && at_ < end_ && !ReadOn()) return false;
    if (next_ == block_.size()) return false;
    const char* p = block_.data() + next_;
    Unpack(&p, &front_);
    next_ = static_cast<size_t>(p - block_.data());
    return true;
  }

 private:
  bool ReadOn() {
    block_.erase(0, next_);
    next_ = 0;
    const size_t rest = block_.size(), n = std::min<uint64_t>(kReadBytes, end_ - at_);
    block_.resize(rest + n);
    ok_ = file_->ReadAt(at_, block_.data() + rest, n);
    at_ += n;
    return ok_;
  }

  const TempFile* file_;
  uint64_t at_, end_;
  std::string block_;
  size_t next_ = 0;  // byte of the block
  WaitingSpan front_;
  bool ok_ = true;
};

}  // namespace

Status SpanSorter::Add(WaitingSpan span, bool last) {
  span.arrival = arrivals_++ | (last ? kLast : 0);
  memory_.push_back(span);
  return memory_.size() < kSpansInMemory ? Status(kOk) : WriteRun();
}

// Puts the spans of each lane together, in order of arrival. False: there are too many lanes for that.
bool SpanSorter::GatherLanes() {
  uint32_t last = 0;
  for (const WaitingSpan& span : memory_) last = std::max(last, span.lane);
  if (last >= kMostGathered) return false;
  std::vector<size_t> place(last + 2);
  for (const WaitingSpan& span : memory_) ++place[span.lane + 1];
  for (size_t lane = 0; lane <= last; ++lane) place[lane + 1] += place[lane];
  scratch_.resize(memory_.size());
  for (const WaitingSpan& span : memory_) scratch_[place[span.lane]++] = span;
  memory_.swap(scratch_);
  return true;
}

void SpanSorter::SortMemory() {
  if (memory_.empty()) return;
  if (!GatherLanes()) {
    std::sort(memory_.begin(), memory_.end(), Before);
    return;
  }
  for (size_t begin = 0, end = 0; begin < memory_.size(); begin = end) {
    while (end < memory_.size() && memory_[end].lane == memory_[begin].lane) ++end;
    SortLane({memory_.data() + begin, end - begin}, &scratch_);
  }
}

Status SpanSorter::WriteRun() {
  SortMemory();
  if (!file_.is_open()) {
    Result<TempFile> opened = TempFile::Open(temp_dir_);
    if (!opened) return opened.error();
    file_ = std::move(*opened);
  }
  std::string packed;
  packed.reserve(kWriteBytes + kMostPackedBytes);
  WaitingSpan before;
  for (const WaitingSpan& span : memory_) {
    Pack(span, before, &packed);
    before = span;
    if (packed.size() < kWriteBytes) continue;
    if (!file_.Append(packed)) return NoRoom(temp_dir_);
    packed.clear();
  }
  if (!file_.Append(packed)) return NoRoom(temp_dir_);
  run_ends_.push_back(file_.size());
  memory_.clear();
  return kOk;
}

Status SpanSorter::Finish(const std::function<void(const WaitingSpan&)>& visit) {
  if (run_ends_.empty()) {
    SortMemory();
    scratch_ = {};
    for (const WaitingSpan& span : memory_) visit(span);
    memory_ = {};
    return kOk;
  }
  if (!memory_.empty()) {
    if (Status failed = WriteRun()) return failed;
  }
  memory_ = {};
  scratch_ = {};
  std::vector<std::unique_ptr<Run>> runs;
  const auto later = [](const Run* a, const Run* b) { return Before(b->front(), a->front()); };
  std::priority_queue<Run*, std::vector<Run*>, decltype(later)> queue(later);
  uint64_t begin = 0;
  for (const uint64_t end : run_ends_) {
    runs.push_back(std::make_unique<Run>(&file_, begin, end));
    begin = end;
    if (runs.back()->Advance()) queue.push(runs.back().get());
  }
  while (!queue.empty()) {
    Run* run = queue.top();
    queue.pop();
    visit(run->front());
    if (run->Advance()) queue.push(run);
  }
  const bool ok = std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run->ok(); });
  if (!ok) return Error{DiagCode::kUnreadableInput, "a temporary file could not be read back"};
  return kOk;
}

}  // namespace tfprof::trace
