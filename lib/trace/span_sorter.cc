#include "trace/span_sorter.h"

#include <algorithm>
#include <memory>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

namespace tfprof::trace {
namespace {

constexpr size_t kReadSpans = 2048;          // of a run at once
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

// Reads a sorted run block by block.
class Run {
 public:
  Run(const TempFile* file, uint64_t begin, uint64_t end) : file_(file), at_(begin), end_(end) {}
  bool ok() const { return ok_; }
  const WaitingSpan& front() const { return block_[next_]; }
  // Moves on; false at the end.
  bool Advance() {
    if (++next_ < block_.size()) return true;
    const size_t n = std::min<uint64_t>(kReadSpans, (end_ - at_) / sizeof(WaitingSpan));
    if (n == 0) return false;
    block_.resize(n);
    ok_ = file_->ReadAt(at_, block_.data(), n * sizeof(WaitingSpan));
    at_ += n * sizeof(WaitingSpan);
    next_ = 0;
    return ok_;
  }

 private:
  const TempFile* file_;
  uint64_t at_, end_;
  std::vector<WaitingSpan> block_;
  size_t next_ = 0;
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
  if (!file_.Append({reinterpret_cast<const char*>(memory_.data()), memory_.size() * sizeof(WaitingSpan)})) {
    return NoRoom(temp_dir_);
  }
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
