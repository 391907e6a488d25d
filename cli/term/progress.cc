#include "cli/term/progress.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "report/number.h"

namespace tfprof::cli {
namespace {

constexpr double kQuietSeconds = 0.5;
constexpr std::chrono::milliseconds kBetweenDrawings{100};
constexpr size_t kWidthOfUnknownTerminal = 80;

std::string TimeLeft(double seconds) {
  const auto whole = static_cast<uint64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string ProgressText(uint64_t bytes_done, uint64_t bytes_total, double seconds, size_t width) {
  const double rate = seconds > 0 ? static_cast<double>(bytes_done) / seconds : 0;
  std::string text = fmt::format("reading {}", report::BytesText(bytes_done));
  const bool known = bytes_total > 0 && bytes_done <= bytes_total;
  if (known) {
    const uint64_t percent =
        static_cast<uint64_t>(static_cast<double>(bytes_done) / static_cast<double>(bytes_total) * 100);
    text =
        fmt::format("reading {} of {} ({}%)", report::BytesText(bytes_done), report::BytesText(bytes_total), percent);
  }
  std::string more;
  if (rate > 0) more = fmt::format(", {}/s", report::BytesText(static_cast<uint64_t>(rate)));
  if (text.size() + more.size() <= width) text += more;
  if (known && rate > 0) {
    more = fmt::format(", {} left", TimeLeft(static_cast<double>(bytes_total - bytes_done) / rate));
    if (text.size() + more.size() <= width) text += more;
  }
  return text.size() <= width ? text : text.substr(0, width);
}

void StatusLine::Draw(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  drawn_ = true;
  err_->Append(fmt::format("\r{}\x1b[K", text));
}

void StatusLine::Erase(bool for_good) {
  const std::lock_guard lock(mutex_);
  if (drawn_) err_->Append("\r\x1b[K");
  drawn_ = false;
  ended_ = ended_ || for_good;
}

ProgressDisplay::ProgressDisplay(const Progress& progress, const Io& io, StatusLine* line)
    : progress_(progress), io_(io), line_(line), thread_([this] { Loop(); }) {}

ProgressDisplay::~ProgressDisplay() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_one();
  thread_.join();
  line_->Erase();
}

void ProgressDisplay::Loop() {
  const double start_s = io_.clock_s();
  const size_t width = io_.terminal_width.value_or(kWidthOfUnknownTerminal) - 1;  // the last column would wrap
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kBetweenDrawings, [this] { return ended_; })) {
    const double seconds = io_.clock_s() - start_s;
    if (seconds < kQuietSeconds) continue;
    line_->Draw(ProgressText(progress_.bytes_done, progress_.bytes_total, seconds, width));
  }
}

}  // namespace tfprof::cli
