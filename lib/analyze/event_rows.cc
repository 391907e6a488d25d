#include "analyze/event_rows.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "trace/lane.h"
#include "trace/op_name.h"
#include "trace/owner.h"

namespace tfprof::analyze {

using trace::EventStat;
using trace::StreamEvent;

namespace {

// What Classify tells of a name.
constexpr uint32_t kPlainName = 1, kOpName = 2, kEndName = 3, kKindBits = 3;
constexpr uint32_t kNotIncluded = 1 << 2;  // its op may be

}  // namespace

struct EventRows::Patterns {
  std::vector<std::unique_ptr<re2::RE2>> include, exclude;

  static bool AnyMatches(const std::vector<std::unique_ptr<re2::RE2>>& patterns, std::string_view name) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) {
      return re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *pattern);
    });
  }
};

EventRows::EventRows(EventSelection selection, std::function<void(const EventRow&)> take)
    : selection_(std::move(selection)), take_(std::move(take)), patterns_(std::make_unique<Patterns>()) {
  for (const std::string& text : selection_.include) patterns_->include.push_back(std::make_unique<re2::RE2>(text));
  for (const std::string& text : selection_.exclude) patterns_->exclude.push_back(std::make_unique<re2::RE2>(text));
}
EventRows::~EventRows() = default;

std::vector<EventStat> EventRows::Stats(const trace::StreamPlane&) const {
  return {EventStat::kTfOp,        EventStat::kHloOp,  EventStat::kProgramId,
          EventStat::kHloCategory, EventStat::kLevel0, EventStat::kCorrelationId};
}

void EventRows::BeginFile(const trace::StreamFile& file) {
  file_ = file.path;
  host_ = file.host;
  trace_start_ps_ = file.trace_start_ps;
  tells_ops_ = file.tells_ops;
}

bool EventRows::BeginPlane(const trace::StreamPlane& plane) {
  plane_ = plane.name;
  row_.side = plane.on_device ? Side::kDevice : Side::kHost;
  tpu_space_ = plane.kind == trace::StreamPlaneKind::kTpu && !tells_ops_;
  if (plane.made_up) return false;
  return !selection_.side || *selection_.side == row_.side;
}

uint32_t EventRows::Classify(std::string_view event_name) {
  if (Patterns::AnyMatches(patterns_->exclude, event_name)) return kSkip;
  const bool included = patterns_->include.empty() || Patterns::AnyMatches(patterns_->include, event_name);
  const uint32_t doubt = included ? 0 : kNotIncluded;
  if (event_name.starts_with("end: ")) return included ? kEndName : kSkip;
  const bool op = trace::ParseTfOpFullname(event_name).category != trace::OpCategory::kUnknown;
  return (op ? kOpName : kPlainName) | doubt;
}

bool EventRows::BeginLine(const trace::StreamLine& line) {
  lane_ = line.name;
  lane_id_ = trace::LaneIdText(line.id, line.id_text);
  const bool steps = line.name == "Steps" || line.name == "XLA Modules" || line.name == "Sparse Core Steps" ||
                     line.name == "Sparse Core Modules";
  // Of a TPU all lines but those of its ops are views, as everywhere (design §3 rule 17).
  const bool beside_ops = tpu_space_ && line.name != "XLA Ops" && line.name != "Sparse Core Ops";
  row_.view = line.derived || (row_.side == Side::kDevice && (steps || beside_ops));
  row_.file = file_;
  row_.host = host_;
  row_.plane = plane_;
  row_.lane = lane_;
  row_.lane_id = lane_id_;
  return true;
}

bool EventRows::InRange(const StreamEvent& event) const {
  if (!selection_.from_ps && !selection_.to_ps) return true;
  if (!event.timed) return false;
  const __int128 start = static_cast<__int128>(event.start_ps) - trace_start_ps_, end = start + event.duration_ps;
  if (selection_.to_ps && start >= *selection_.to_ps) return false;
  return !selection_.from_ps || end > *selection_.from_ps || (event.duration_ps == 0 && start >= *selection_.from_ps);
}

void EventRows::FindOwner(const StreamEvent& event, uint32_t kind) {
  row_.op_type = row_.op_name = {};
  if (tells_ops_) {
    const trace::Op* op = row_.view ? nullptr : event.stats->TellOp();
    if (op == nullptr || !op->attributed) return;
    row_.op_type = op->type;
    row_.op_name = op->name;
    return;
  }
  if (row_.side == Side::kHost && kind == kOpName) {
    const trace::ParsedOp op = trace::ParseTfOpFullname(event.name);
    row_.op_type = op.type;
    row_.op_name = op.name;
    return;
  }
  if (kind == kEndName || row_.view) return;
  const trace::HloOrigin hlo = event.stats->Hlo();
  trace::DeviceTexts texts;
  if (hlo.found && !hlo.op_name.empty()) {
    framework_name_.assign(hlo.op_name).append(":").append(hlo.op_type);
    texts.hlo_framework_name = framework_name_;
  }
  if (hlo.named) texts.hlo_op = hlo.instruction;
  if (row_.side == Side::kDevice) {
    texts.tf_op = event.stats->First(EventStat::kTfOp).text;
    texts.annotation = event.stats->First(EventStat::kLevel0).text;
  }
  const bool named = hlo.named || !texts.tf_op.empty() || !texts.annotation.empty();
  if (!named) return;
  texts.hlo_type = hlo.opcode.empty() ? event.stats->Last(EventStat::kHloCategory).text : hlo.opcode;
  texts.kernel = event.name;
  owner_ = trace::ResolveOwner(texts);
  if (!owner_.attributed) return;
  row_.op_type = owner_.type;
  row_.op_name = owner_.name;
}

void EventRows::Add(const StreamEvent& event, uint32_t kind) {
  if (!InRange(event)) return;
  row_.name = event.name;
  row_.start_ps.reset();
  int64_t start_ps = 0;
  if (event.timed && !__builtin_sub_overflow(event.start_ps, trace_start_ps_, &start_ps)) row_.start_ps = start_ps;
  row_.duration_ps = event.duration_ps;
  row_.occurrences = std::max<uint64_t>(1, event.occurrences);
  row_.group.reset();
  if (event.group >= 0) row_.group = static_cast<uint64_t>(event.group);
  row_.step_name = event.step_name;
  row_.correlation_id.reset();
  if (const trace::StatValue id = event.stats->First(EventStat::kCorrelationId)) row_.correlation_id = id.int_or_uint();
  FindOwner(event, kind & kKindBits);
  const auto op_matches = [this](const auto& patterns) {
    return !patterns.empty() && !row_.op_name.empty() &&
           (Patterns::AnyMatches(patterns, row_.op_name) || Patterns::AnyMatches(patterns, row_.op_type));
  };
  if ((kind & kNotIncluded) && !op_matches(patterns_->include)) return;
  if (op_matches(patterns_->exclude)) return;
  take_(row_);
}

}  // namespace tfprof::analyze
