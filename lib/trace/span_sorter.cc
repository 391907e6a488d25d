#include "trace/span_sorter.h"

#include <algorithm>
#include <memory>
#include <queue>
#include <tuple>
#include <utility>

namespace tfprof::trace {
namespace {

constexpr size_t kReadSpans = 2048;  // of a run at once

bool Before(const WaitingSpan& a, const WaitingSpan& b) {
  return std::tuple(a.lane, a.start_ps, b.duration_ps, a.arrival) < std::tuple(b.lane, b.start_ps, a.duration_ps, b.arrival);
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

Status SpanSorter::WriteRun() {
  std::sort(memory_.begin(), memory_.end(), Before);
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
  std::sort(memory_.begin(), memory_.end(), Before);
  if (run_ends_.empty()) {
    for (const WaitingSpan& span : memory_) visit(span);
    memory_ = {};
    return kOk;
  }
  if (!memory_.empty()) {
    if (Status failed = WriteRun()) return failed;
  }
  memory_ = {};
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
