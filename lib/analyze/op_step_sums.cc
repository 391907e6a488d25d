#include "analyze/op_step_sums.h"

#include <algorithm>

#include "analyze/self_time.h"
#include "base/count.h"

namespace tfprof::analyze {

using trace::EventBatch;
using trace::LaneInfo;
using trace::Op;
using trace::Role;

namespace {

// Sums that no run of a program reaches are shown as the limit.
int64_t UpToLimit(int128 sum) { return static_cast<int64_t>(std::min<int128>(sum, INT64_MAX)); }

}  // namespace

class OpStepSums::Lane : public trace::LaneConsumer {
 public:
  explicit Lane(OpStepSums* sums) : sums_(*sums) {}

  void Begin(const LaneInfo& info, Plane* plane) {
    nested_ = info.role != Role::kStream;
    plane_ = plane;
    steps_ = &sums_.windows_->Of(info);
  }

  void Add(const EventBatch& batch) override {
    if (plane_->cells.size() < plane_->ops->size()) plane_->cells.resize(plane_->ops->size());
    SelfTimeStack::Pusher stack(&stack_);
    const auto span = [this](uint32_t op, int64_t from_ps, int64_t to_ps, bool given) {
      Spread(&plane_->cells[op], from_ps, to_ps, given ? 1 : -1);
    };
    for (size_t i = 0; i < batch.size; ++i) {
      if (batch.op[i] == Op::kNone) continue;
      Cells& cells = plane_->cells[batch.op[i]];
      if (cells.empty()) cells.resize(sums_.steps_ + 1);
      const int64_t start = batch.start_ps[i], end = start + batch.duration_ps[i];
      const uint64_t occurrences = batch.occurrences == nullptr ? 1 : batch.occurrences[i];
      if (batch.flags[i] & EventBatch::kOutOfTime) {
        cells.back().self_ps += batch.duration_ps[i];
        AddCount(occurrences, &cells.back().occurrences);
        continue;
      }
      Cell& cell = cells[std::min<size_t>(steps_->StepOf(start, end), sums_.steps_)];
      ++cell.occurrences;
      if (steps_->whole_events && !nested_) {
        cell.self_ps += batch.duration_ps[i];
      } else if (nested_) {
        stack.PushSpans(start, end, batch.op[i], span);
      } else {
        Spread(&cells, start, end, 1);
      }
    }
  }

  void Close() override {
    stack_.Clear();
    sums_.free_.push_back(this);
  }

 private:
  // Gives each step its part of a span, and the rest to none.
  void Spread(Cells* cells, int64_t from_ps, int64_t to_ps, int64_t sign) const {
    int64_t rest_ps = to_ps - from_ps;
    for (size_t i = steps_->After(from_ps); i < steps_->pieces.size() && steps_->pieces[i].from_ps < to_ps; ++i) {
      const StepPiece& piece = steps_->pieces[i];
      const int64_t part_ps = std::min(to_ps, piece.to_ps) - std::max(from_ps, piece.from_ps);
      (*cells)[piece.step].self_ps += sign * part_ps;
      rest_ps -= part_ps;
    }
    cells->back().self_ps += sign * rest_ps;
  }

  OpStepSums& sums_;
  Plane* plane_ = nullptr;
  const LaneSteps* steps_ = nullptr;
  bool nested_ = true;
  SelfTimeStack stack_;
};

OpStepSums::OpStepSums(const StepWindows* windows, size_t steps) : windows_(windows), steps_(steps) {}
OpStepSums::~OpStepSums() = default;

OpStepSums::Plane& OpStepSums::PlaneOf(const LaneInfo& info) {
  for (const auto& plane : planes_) {
    if (plane->ops == info.ops) return *plane;
  }
  planes_.push_back(std::make_unique<Plane>());
  planes_.back()->ops = info.ops;
  planes_.back()->side = info.side;
  return *planes_.back();
}

trace::LaneConsumer* OpStepSums::Open(const LaneInfo& info) {
  if (info.role == Role::kView || info.role == Role::kOther) return nullptr;
  if (free_.empty()) {
    lanes_.push_back(std::make_unique<Lane>(this));
    free_.push_back(lanes_.back().get());
  }
  Lane* lane = free_.back();
  free_.pop_back();
  lane->Begin(info, &PlaneOf(info));
  return lane;
}

void OpStepSums::Cell::Add(const Cell& other) {
  self_ps += other.self_ps;
  AddCount(other.occurrences, &occurrences);
}

void OpStepSums::EndPlane(const trace::OpDictionary& ops) {
  const auto at = std::find_if(planes_.begin(), planes_.end(), [&](const auto& p) { return p->ops == &ops; });
  if (at == planes_.end()) return;
  for (uint32_t id = 0; id < (*at)->cells.size(); ++id) {
    const Op& op = ops[id];
    const Cells& cells = (*at)->cells[id];
    if (cells.empty()) continue;
    Cells& row = rows_[{(*at)->side, op.type, op.name, op.kernel}];
    row.resize(cells.size());
    for (size_t i = 0; i < cells.size(); ++i) row[i].Add(cells[i]);
  }
  planes_.erase(at);
}

void OpStepSums::Merge(const OpStepSums& other, const std::vector<uint32_t>& numbers) {
  for (const auto& [key, cells] : other.rows_) {
    Cells& row = rows_[key];
    row.resize(steps_ + 1);
    for (size_t i = 0; i + 1 < cells.size(); ++i) row[numbers[i]].Add(cells[i]);
    row.back().Add(cells.back());
  }
}

// On a device an op ran as often as the commonest of its kernels.
OpStepsResult OpStepSums::Finish(std::vector<StepTime> steps) const {
  OpStepsResult result;
  result.steps = std::move(steps);
  std::vector<int128> self_ps;  // of the last op
  int128 outside_ps = 0;
  for (const auto& [key, cells] : rows_) {
    const auto& [side, type, name, kernel] = key;
    const bool same = !result.ops.empty() && result.ops.back().side == side && result.ops.back().op_type == type &&
                      result.ops.back().op_name == name;
    if (!same) {
      OpStepsResult::Op op{side, type, name, std::vector<int64_t>(steps_), std::vector<int64_t>(steps_)};
      result.ops.push_back(std::move(op));
      self_ps.assign(steps_, 0);
    }
    OpStepsResult::Op& op = result.ops.back();
    for (size_t i = 0; i < steps_; ++i) {
      self_ps[i] += cells[i].self_ps;
      op.self_ps[i] = UpToLimit(self_ps[i]);
      op.occurrences[i] = std::max(op.occurrences[i], UpToLimit(cells[i].occurrences));
    }
    outside_ps += cells[steps_].self_ps;
  }
  result.outside_self_ps = UpToLimit(outside_ps);
  return result;
}

}  // namespace tfprof::analyze
