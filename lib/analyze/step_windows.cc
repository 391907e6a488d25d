#include "analyze/step_windows.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "analyze/step_choice.h"

namespace tfprof::analyze {
namespace {

// Streams without a number are known by their names. A TPU's steps hold for its whole plane.
std::string LaneKey(std::string_view plane, int64_t id, std::string_view name) {
  std::string key(plane);
  key += '\0';
  key += id != 0 ? std::to_string(id) : std::string(name);
  return key;
}

// From spans that may overlap: each moment to the one that began last.
std::vector<StepPiece> Disjoint(std::vector<StepPiece> spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const StepPiece& a, const StepPiece& b) {
    return a.from_ps != b.from_ps ? a.from_ps < b.from_ps : a.to_ps > b.to_ps;
  });
  std::vector<StepPiece> pieces, open;
  int64_t done_ps = INT64_MIN;
  const auto give_until = [&](int64_t until_ps) {
    while (!open.empty() && done_ps < until_ps) {
      const StepPiece top = open.back();
      const int64_t from_ps = std::max(done_ps, top.from_ps), to_ps = std::min(top.to_ps, until_ps);
      if (from_ps < to_ps) {
        pieces.push_back({from_ps, to_ps, top.step});
        done_ps = to_ps;
      }
      if (top.to_ps > until_ps) return;
      open.pop_back();
    }
  };
  for (const StepPiece& span : spans) {
    give_until(span.from_ps);
    open.push_back(span);
  }
  give_until(INT64_MAX);
  return pieces;
}

// Files come in the order of their names, in which 100 stands before 20.
void SortByNumber(std::vector<StepTime>* steps, std::vector<uint32_t>* numbers) {
  const auto prefix = [](std::string_view name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); };
  std::vector<uint64_t> number;
  for (const StepTime& step : *steps) {
    const std::optional<uint64_t> own = StepNumber(step.name);
    if (!own || prefix(step.name) != prefix(steps->front().name)) return;
    number.push_back(*own);
  }
  std::vector<uint32_t> order(steps->size()), place(steps->size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return number[a] < number[b]; });
  std::vector<StepTime> sorted;
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move((*steps)[order[i]]));
  }
  *steps = std::move(sorted);
  for (uint32_t& n : *numbers) n = place[n];
}

}  // namespace

size_t LaneSteps::After(int64_t at_ps) const {
  const auto at = std::upper_bound(pieces.begin(), pieces.end(), at_ps,
                                   [](int64_t ps, const StepPiece& piece) { return ps < piece.to_ps; });
  return static_cast<size_t>(at - pieces.begin());
}

const StepPiece* LaneSteps::PieceOf(int64_t start_ps, int64_t end_ps) const {
  const size_t piece = After(start_ps);
  if (piece < pieces.size() && pieces[piece].from_ps <= start_ps) return &pieces[piece];
  const bool at_an_end = start_ps == end_ps && piece > 0 && pieces[piece - 1].to_ps == start_ps;
  return at_an_end && !whole_events ? &pieces[piece - 1] : nullptr;
}

uint32_t LaneSteps::StepOf(int64_t start_ps, int64_t end_ps) const {
  const StepPiece* piece = PieceOf(start_ps, end_ps);
  return piece == nullptr ? kNoStep : piece->step;
}

bool LaneSteps::Clip(int64_t* start_ps, int64_t* end_ps) const {
  if (whole_events) return PieceOf(*start_ps, *end_ps) != nullptr;
  const auto moved = [](int64_t at_ps, const StepPiece& piece) {
    return static_cast<int64_t>(static_cast<uint64_t>(at_ps) - piece.gaps_ps);
  };
  if (*start_ps == *end_ps) {
    const StepPiece* piece = PieceOf(*start_ps, *end_ps);
    if (piece != nullptr) *start_ps = *end_ps = moved(*start_ps, *piece);
    return piece != nullptr;
  }
  const size_t first = After(*start_ps);
  if (first == pieces.size() || pieces[first].from_ps >= *end_ps) return false;
  const size_t behind = After(*end_ps);  // the event ends in this piece, or before it
  const size_t last = behind < pieces.size() && pieces[behind].from_ps < *end_ps ? behind : behind - 1;
  *start_ps = moved(std::max(*start_ps, pieces[first].from_ps), pieces[first]);
  *end_ps = moved(std::min(*end_ps, pieces[last].to_ps), pieces[last]);
  return true;
}

const LaneSteps& StepWindows::Of(const trace::LaneInfo& lane) const {
  if (lane.side == trace::Side::kHost) return host_;
  for (const std::string& key : {LaneKey(lane.plane, lane.id, lane.name), std::string(lane.plane)}) {
    const auto at = lanes_.find(key);
    if (at != lanes_.end()) return at->second;
  }
  return host_;
}

const LaneSteps* StepWindows::OfTpu(std::string_view plane) const {
  const auto at = lanes_.find(plane);
  return at == lanes_.end() ? nullptr : &at->second;
}

void StepWindows::Keep(const std::vector<bool>& steps) {
  const auto keep = [&steps](LaneSteps* lane) {
    std::erase_if(lane->pieces, [&steps](const StepPiece& piece) { return !steps[piece.step]; });
    for (size_t i = 1; i < lane->pieces.size(); ++i) {
      const StepPiece& before = lane->pieces[i - 1];
      StepPiece& piece = lane->pieces[i];
      piece.gaps_ps = before.gaps_ps + static_cast<uint64_t>(piece.from_ps) - static_cast<uint64_t>(before.to_ps);
    }
  };
  keep(&host_);
  for (auto& [key, lane] : lanes_) keep(&lane);
  std::erase_if(groups_, [&steps](const auto& group) { return !steps[group.second]; });
}

void StepWindows::Shift(int64_t by_ps) {
  const auto shift = [by_ps](LaneSteps* lane) {
    for (StepPiece& piece : lane->pieces) {
      if (__builtin_add_overflow(piece.from_ps, by_ps, &piece.from_ps)) piece.from_ps = INT64_MAX;
      if (piece.to_ps == INT64_MAX || __builtin_add_overflow(piece.to_ps, by_ps, &piece.to_ps)) piece.to_ps = INT64_MAX;
    }
  };
  shift(&host_);
  for (auto& [key, lane] : lanes_) shift(&lane);
}

void StepRuns::BeginFile(const trace::StreamFile& file) { file_ = &files_[file.index]; }

bool StepRuns::BeginPlane(const trace::StreamPlane& plane) {
  plane_ = plane.name;
  tpu_ = plane.kind == trace::StreamPlaneKind::kTpu;
  return tpu_ ? !plane.sparse_core : plane.kind == trace::StreamPlaneKind::kGpu;
}

bool StepRuns::BeginLine(const trace::StreamLine& line) {
  if (tpu_ ? line.name != "Steps" : line.derived) return false;
  lane_ = &(*file_)[tpu_ ? plane_ : LaneKey(plane_, line.id, line.name)];
  lane_->whole_events = !tpu_;
  return true;
}

void StepRuns::Add(const trace::StreamEvent& event, uint32_t) {
  int64_t end_ps = 0;
  if (!event.timed || event.duration_ps < 0 || event.occurrences > 0) return;
  if (__builtin_add_overflow(event.start_ps, event.duration_ps, &end_ps)) return;
  line_runs_.push_back({event.start_ps, end_ps, event.group});
}

// Of neighbours that belong together only the first is kept.
void StepRuns::SortAndJoin(bool whole_events, std::vector<Run>* runs) {
  std::stable_sort(runs->begin(), runs->end(), [](const Run& a, const Run& b) {
    return a.from_ps != b.from_ps ? a.from_ps < b.from_ps : a.to_ps > b.to_ps;
  });
  if (!whole_events) return;
  runs->erase(std::unique(runs->begin(), runs->end(), [](const Run& a, const Run& b) { return a.group == b.group; }),
              runs->end());
}

void StepRuns::EndLine() {
  SortAndJoin(lane_->whole_events, &line_runs_);
  lane_->runs.insert(lane_->runs.end(), line_runs_.begin(), line_runs_.end());
  line_runs_.clear();
}

void StepRuns::Merge(StepRuns&& other) { files_.merge(std::move(other.files_)); }

StepWindows StepRuns::WindowsOf(uint32_t file, const std::vector<StepRow>& rows) const {
  StepWindows windows;
  std::map<int64_t, uint32_t>& step_of = windows.groups_;
  for (const StepRow& row : rows) {
    if (row.file != file) continue;
    const auto step = static_cast<uint32_t>(windows.host_.pieces.size());
    step_of[row.group] = step;
    windows.host_.pieces.push_back({row.host_from_ps, row.host_to_ps, step});
  }
  windows.host_.pieces = Disjoint(std::move(windows.host_.pieces));
  const auto of_file = files_.find(file);
  if (of_file == files_.end()) return windows;
  bool tells = false;  // some device event belongs to a step: else only time can say
  bool gpu = false;
  for (const auto& [key, runs] : of_file->second) {
    LaneSteps lane;
    lane.whole_events = runs.whole_events;
    std::vector<Run> sorted = runs.runs;
    SortAndJoin(runs.whole_events, &sorted);
    for (size_t i = 0; i < sorted.size(); ++i) {
      const Run& run = sorted[i];
      const auto step = step_of.find(run.group);
      if (step == step_of.end()) continue;
      tells = true;
      gpu = gpu || runs.whole_events;
      const int64_t next_ps = i + 1 < sorted.size() ? sorted[i + 1].from_ps : INT64_MAX;
      lane.pieces.push_back({run.from_ps, runs.whole_events ? next_ps : run.to_ps, step->second});
    }
    if (!runs.whole_events) lane.pieces = Disjoint(std::move(lane.pieces));
    windows.lanes_[key] = std::move(lane);
  }
  if (!tells) windows.lanes_.clear();
  windows.told_by_groups_ = gpu;
  return windows;
}

std::vector<StepTime> JoinSteps(const std::vector<StepRow>& rows, std::vector<uint32_t>* numbers) {
  std::vector<StepTime> steps;
  std::map<std::pair<std::string, uint64_t>, uint32_t> known;    // name, how many of it came before on its host
  std::map<std::pair<uint32_t, std::string>, uint64_t> in_file;  // steps of that name so far
  numbers->clear();
  for (const StepRow& row : rows) {
    const auto [at, is_new] =
        known.try_emplace({row.name, in_file[{row.file, row.name}]++}, static_cast<uint32_t>(steps.size()));
    numbers->push_back(at->second);
    const auto total_ps = static_cast<int64_t>(std::min<uint64_t>(row.total_ps, INT64_MAX));
    if (is_new) {
      steps.push_back({row.name, row.host, row.start_ps, total_ps, row.perhaps_incomplete});
      continue;
    }
    StepTime& step = steps[at->second];
    if (step.host != row.host) step.host.clear();
    step.total_ps = std::max(step.total_ps, total_ps);
    step.cut = step.cut || row.perhaps_incomplete;
  }
  if (!steps.empty()) SortByNumber(&steps, numbers);
  return steps;
}

}  // namespace tfprof::analyze
