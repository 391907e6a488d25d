#include "analyze/step_events.h"

namespace tfprof::analyze {

void StepEvents::BeginFile(const trace::StreamFile& file) {
  windows_ = windows_of_(file.index);
  sink_.BeginFile(file);
}

bool StepEvents::BeginPlane(const trace::StreamPlane& plane) {
  by_group_ = plane.kind == trace::StreamPlaneKind::kGpu && windows_.told_by_groups();
  const LaneSteps* tpu = plane.kind == trace::StreamPlaneKind::kTpu ? windows_.OfTpu(plane.name) : nullptr;
  lane_ = tpu == nullptr ? &windows_.host() : tpu;
  return sink_.BeginPlane(plane);
}

bool StepEvents::IsChosen(const trace::StreamEvent& event) const {
  if (!event.timed) return false;
  if (by_group_) return windows_.HasGroup(event.group);
  int64_t start_ps = event.start_ps, end_ps = 0;
  if (__builtin_add_overflow(start_ps, event.duration_ps, &end_ps)) return false;
  return rule_ == InStep::kOverlaps ? lane_->Clip(&start_ps, &end_ps) : lane_->PieceOf(start_ps, end_ps) != nullptr;
}

void StepEvents::Add(const trace::StreamEvent& event, uint32_t kind) {
  const bool chosen = IsChosen(event);
  if (rule_ != InStep::kMarked) {
    if (chosen) sink_.Add(event, kind);
    return;
  }
  trace::StreamEvent marked = event;
  marked.chosen = chosen;
  sink_.Add(marked, kind);
}

}  // namespace tfprof::analyze
