#include "analyze/op_step_sums.h"

#include <algorithm>

#include "analyze/self_time.h"

namespace tfprof::analyze {

using trace::EventBatch;
using trace::LaneInfo;
using trace::Op;
using trace::Role;

namespace {

// Sums of picoseconds that no run of a program reaches stay at the limit.
void AddUpTo(int64_t more, int64_t* sum) {
  if (__builtin_add_overflow(*sum, more, sum)) *sum = more > 0 ? INT64_MAX : INT64_MIN;
}

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
        AddUpTo(batch.duration_ps[i], &cells.back().self_ps);
        AddUpTo(static_cast<int64_t>(std::min<uint64_t>(occurrences, INT64_MAX)), &cells.back().occurrences);
        continue;
      }
      Cell& cell = cells[std::min<size_t>(steps_->At(start), sums_.steps_)];
      ++cell.occurrences;
      if (steps_->whole_events && !nested_) {
        AddUpTo(batch.duration_ps[i], &cell.self_ps);
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
      AddUpTo(sign * part_ps, &(*cells)[piece.step].self_ps);
      rest_ps -= part_ps;
    }
    AddUpTo(sign * rest_ps, &cells->back().self_ps);
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

void OpStepSums::Add(const Cells& from, Cells* to) {
  if (to->size() < from.size()) to->resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    AddUpTo(from[i].self_ps, &(*to)[i].self_ps);
    AddUpTo(from[i].occurrences, &(*to)[i].occurrences);
  }
}

void OpStepSums::EndPlane(const trace::OpDictionary& ops) {
  const auto at = std::find_if(planes_.begin(), planes_.end(), [&](const auto& p) { return p->ops == &ops; });
  if (at == planes_.end()) return;
  for (uint32_t id = 0; id < (*at)->cells.size(); ++id) {
    const Op& op = ops[id];
    if (!(*at)->cells[id].empty()) Add((*at)->cells[id], &rows_[{(*at)->side, op.type, op.name, op.kernel}]);
  }
  planes_.erase(at);
}

void OpStepSums::Merge(const OpStepSums& other) {
  for (const auto& [key, cells] : other.rows_) Add(cells, &rows_[key]);
}

// On a device an op ran as often as the commonest of its kernels.
OpStepsResult OpStepSums::Finish(std::vector<StepTime> steps) const {
  OpStepsResult result;
  result.steps = std::move(steps);
  for (const auto& [key, cells] : rows_) {
    const auto& [side, type, name, kernel] = key;
    const bool same = !result.ops.empty() && result.ops.back().side == side && result.ops.back().op_type == type &&
                      result.ops.back().op_name == name;
    if (!same) {
      OpStepsResult::Op op{side, type, name, std::vector<int64_t>(steps_), std::vector<int64_t>(steps_)};
      result.ops.push_back(std::move(op));
    }
    OpStepsResult::Op& op = result.ops.back();
    for (size_t i = 0; i < steps_; ++i) {
      AddUpTo(cells[i].self_ps, &op.self_ps[i]);
      op.occurrences[i] = std::max(op.occurrences[i], cells[i].occurrences);
    }
    AddUpTo(cells[steps_].self_ps, &result.outside_self_ps);
  }
  return result;
}

}  // namespace tfprof::analyze
