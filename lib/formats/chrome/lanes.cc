#include "formats/chrome/lanes.h"

#include <algorithm>
#include <utility>

#include "formats/chrome/dialect.h"

namespace tfprof::chrome {
namespace {

constexpr int64_t kStepBackPs = 1000;  // less is the noise of a double

// The op of a waiting span and its flags in one number.
constexpr uint32_t kFlagShift = 29;  // ops beyond 2^29 don't exist: they are interned texts
constexpr uint32_t kEagerBit = uint32_t{1} << kFlagShift, kUnattributedBit = uint32_t{2} << kFlagShift;
uint32_t Pack(uint32_t op, uint8_t flags) {
  if (op == trace::Op::kNone) return op;
  return op | ((flags & trace::EventBatch::kEager) != 0 ? kEagerBit : 0) |
         ((flags & trace::EventBatch::kUnattributed) != 0 ? kUnattributedBit : 0);
}
uint32_t UnpackOp(uint32_t packed) { return packed == trace::Op::kNone ? packed : packed & (kEagerBit - 1); }
uint8_t UnpackFlags(uint32_t packed) {
  if (packed == trace::Op::kNone) return 0;
  return static_cast<uint8_t>(((packed & kEagerBit) != 0 ? trace::EventBatch::kEager : 0) |
                              ((packed & kUnattributedBit) != 0 ? trace::EventBatch::kUnattributed : 0));
}

}  // namespace

Lanes::Lanes(trace::Sink* sink, std::string host, std::string temp_dir, bool sort_spans)
    : sink_(sink), host_(std::move(host)), sort_spans_(sort_spans), sorter_(std::move(temp_dir)) {}

Lane& Lanes::Find(const std::string& key, const Placement& placement, const std::string& pid, const std::string& tid) {
  const auto [at, is_new] = by_key_.try_emplace(key, nullptr);
  if (is_new) {
    Lane& lane = lanes_.emplace_back();
    at->second = &lane;
    lane.index = static_cast<uint32_t>(lanes_.size() - 1);
    lane.placement = placement;
    lane.pid = pid;
    lane.tid = tid;
    const std::string plane = placement.device.empty() ? "H" + pid : "D" + placement.device;
    lane.plane_index = planes_.try_emplace(plane, static_cast<uint32_t>(planes_.size())).first->second;
    lane.thread = threads_.try_emplace(ThreadKey(pid, tid), static_cast<uint32_t>(threads_.size())).first->second;
  }
  return *at->second;
}

trace::LaneInfo Lanes::InfoOf(const Lane& lane) const {
  return {.side = lane.placement.side,
          .role = lane.placement.role,
          .host = host_,
          .plane = lane.placement.plane,
          .name = lane.name.empty() ? std::string_view(lane.tid) : lane.name,
          .device = lane.placement.device,
          .idle_group = lane.placement.idle_group,
          .id = LaneIdOf(lane.tid),
          .id_text = lane.tid,
          .plane_index = lane.plane_index,
          .lane_index = lane.index,
          .ops = lane.placement.side == trace::Side::kHost ? &host_ops_ : &device_ops_};
}

void Lanes::Open(Lane* lane) {
  lane->opened = true;
  lane->consumer = sink_->Open(InfoOf(*lane));
  if (lane->consumer != nullptr) lane->orderer.Start(lane->consumer, false);
}

Status Lanes::AddSpan(Lane* lane, int64_t start_ps, int64_t duration_ps, uint32_t op, uint8_t flags) {
  lane->end_ps = std::max(lane->end_ps, start_ps + duration_ps);
  if (sort_spans_) {
    return sorter_.Add({lane->index, Pack(op, flags), start_ps, duration_ps, 0});
  }
  if (!lane->opened) Open(lane);
  if (lane->consumer != nullptr) lane->orderer.Add(start_ps, duration_ps, op, flags);
  return kOk;
}

void Lanes::AddUntimed(Lane* lane, int64_t duration_ps, uint32_t op, uint8_t flags) {
  if (sort_spans_) {
    lane->untimed.push_back({duration_ps, op, flags});
    return;
  }
  if (!lane->opened) Open(lane);
  if (lane->consumer != nullptr) lane->orderer.AddUntimed(duration_ps, op, flags, 1);
}

Status Lanes::AddPair(Lane* lane, const PairEvent& event) {
  saw_pairs_ = true;
  lane->has_pairs = true;
  lane->pairs_step_back |= lane->last_pair_ps != INT64_MIN && event.at_ps < lane->last_pair_ps - kStepBackPs;
  lane->last_pair_ps = event.at_ps;
  lane->end_ps = std::max(lane->end_ps, event.at_ps);
  if (!sort_spans_) return kOk;  // a begin's length is known late: such lanes are only read when sorting
  if (lane->sort_pairs) {
    lane->waiting_pairs.push_back(event);
    return kOk;
  }
  lane->pairing.Add(event, &closed_);
  return AddClosed(lane);
}

Status Lanes::AddClosed(Lane* lane) {
  for (const PairedSpan& span : closed_) {
    // Where one has the times of a complete event (X), it lies inside it.
    if (Status failed = sorter_.Add({lane->index, span.op, span.start_ps, span.end_ps - span.start_ps, 0}, true))
      return failed;
  }
  closed_.clear();
  return kOk;
}

bool Lanes::needs_sorting() const {
  if (sort_spans_) return false;
  return saw_pairs_ || lanes_.size() > kMostOpen ||
         std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.orderer.disordered(); });
}

Status Lanes::Finish() {
  if (sort_spans_) return FinishSorted();
  for (Lane& lane : lanes_) {
    if (!lane.opened || lane.consumer == nullptr) continue;
    lane.orderer.Finish();
    lane.consumer->Close();
  }
  sink_->EndPlane(host_ops_);
  sink_->EndPlane(device_ops_);
  return kOk;
}

Status Lanes::FinishSorted() {
  for (Lane& lane : lanes_) {
    std::stable_sort(lane.waiting_pairs.begin(), lane.waiting_pairs.end(),
                     [](const PairEvent& a, const PairEvent& b) { return a.at_ps < b.at_ps; });
    for (const PairEvent& event : lane.waiting_pairs) lane.pairing.Add(event, &closed_);
    lane.waiting_pairs = {};
    if (Status failed = AddClosed(&lane)) return failed;
    unfinished_ += lane.pairing.unfinished() + lane.pairing.open().size();
    stray_ends_ += lane.pairing.stray_ends();
  }
  // One lane after the other; the spans of one with open begins are gathered to find their ends.
  size_t current = 0;
  std::vector<PairedSpan> gathered;
  const auto start_lane = [&](Lane* lane) {
    Open(lane);
    for (const Lane::Untimed& event : lane->untimed) {
      if (lane->consumer != nullptr) lane->orderer.AddUntimed(event.duration_ps, event.op, event.flags, 1);
    }
    lane->untimed = {};
  };
  const auto end_lane = [&](Lane* lane) {
    if (lane->consumer == nullptr) return;
    if (!lane->pairing.open().empty()) EmitLane(lane, &gathered);
    lane->orderer.Finish();
    lane->consumer->Close();
    gathered.clear();
  };
  if (!lanes_.empty()) start_lane(&lanes_[0]);
  const auto go_to = [&](size_t index) {
    while (current < index) {
      end_lane(&lanes_[current]);
      start_lane(&lanes_[++current]);
    }
  };
  Status failed = sorter_.Finish([&](const trace::WaitingSpan& span) {
    go_to(span.lane);
    Lane& lane = lanes_[span.lane];
    if (lane.consumer == nullptr) return;
    if (!lane.pairing.open().empty()) {
      gathered.push_back({span.start_ps, span.start_ps + span.duration_ps, span.op});
    } else {
      lane.orderer.Add(span.start_ps, span.duration_ps, UnpackOp(span.op), UnpackFlags(span.op));
    }
  });
  if (failed) return failed;
  if (!lanes_.empty()) {
    go_to(lanes_.size() - 1);
    end_lane(&lanes_.back());
  }
  sink_->EndPlane(host_ops_);
  sink_->EndPlane(device_ops_);
  return kOk;
}

void Lanes::EmitLane(Lane* lane, std::vector<PairedSpan>* spans) {
  CloseOpen(lane->pairing.open(), lane->end_ps, spans);
  std::stable_sort(spans->begin(), spans->end(), [](const PairedSpan& a, const PairedSpan& b) {
    return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.end_ps > b.end_ps;
  });
  for (const PairedSpan& span : *spans) {
    lane->orderer.Add(span.start_ps, span.end_ps - span.start_ps, UnpackOp(span.op), UnpackFlags(span.op));
  }
}

}  // namespace tfprof::chrome
