#include "analyze/steps.h"

#include <algorithm>

#include "analyze/device_type.h"
#include "trace/op_name.h"

namespace tfprof::analyze {
namespace {

using trace::EventStat;
using trace::OpCategory;
using trace::StatValue;
using trace::StreamEvent;
using trace::StreamPlane;
using trace::StreamPlaneKind;

// What the name of an event tells, as Classify answers it. The low bits hold the activity.
enum NameTells : uint32_t {
  kSeen = 1 << 8,     // no name is kSkip: of GPUs every event counts
  kMarker = 1 << 9,   // the user's step marker
  kNoWork = 1 << 10,  // a frame around work, not work
  kExecutor = 1 << 11,
  kCall = 1 << 12,  // of a tf.function
  kEnqueue = 1 << 13,
  kBits8 = 1 << 14,
  kBits16 = 1 << 15,
  kBits32 = 1 << 16,
  kOp = 1 << 17,
  kEndMark = 1 << 18,  // of an HLO op, no op itself
};
constexpr uint32_t kActivityBits = 0xff;

// The line of steps that a reader made and the file kept, by the low bits of its id.
constexpr uint32_t kStepLineId = 0xDEADBEEF;

bool StartsWithAnyCase(std::string_view text, std::string_view lower_prefix) {
  return text.size() >= lower_prefix.size() &&
         std::equal(lower_prefix.begin(), lower_prefix.end(), text.begin(), [](char lower, char c) {
           return lower == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
         });
}

bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view p) { return text.find(p) != text.npos; });
}

uint32_t Bits(StepActivity activity) { return static_cast<uint32_t>(activity); }

uint32_t HostName(std::string_view name) {
  uint32_t tells = kSeen;
  const bool path = name.find('/') != name.npos;
  if (!path && (name.starts_with("train") || name.starts_with("test") || name.starts_with("TraceContext"))) {
    tells |= kMarker;
  }
  for (const std::string_view frame : {"EagerExecute", "EagerLocalExecute", "EagerKernelExecute", "FunctionRun"}) {
    if (name.starts_with(frame)) tells |= kNoWork;
  }
  if (name.starts_with("FunctionRun")) tells |= kCall;
  if (StartsWithAnyCase(name, "executorstate::process")) tells |= kExecutor;
  const trace::ParsedOp op = trace::ParseTfOpFullname(name);
  if (op.category != OpCategory::kUnknown) tells |= kOp;
  if (name.starts_with("end: ")) tells |= kEndMark;
  if (op.type.starts_with("InfeedEnqueue")) return tells | kEnqueue | Bits(StepActivity::kHostToDevice);
  if (op.category == OpCategory::kMemcpyHToD) return tells | Bits(StepActivity::kHostToDevice);
  if (op.category == OpCategory::kMemcpyHToH) return tells | Bits(StepActivity::kHostToHost);
  // PyTorch's profiler calls a wait for its loader so.
  if (StartsWithAnyCase(name, "iteratorgetnext") || name.starts_with("enumerate(DataLoader)"))
    return tells | Bits(StepActivity::kWaitInput);
  return tells | Bits(StepActivity::kHostCompute);
}

// The width that a kernel's name gives away; none if it doesn't.
uint32_t WidthInName(std::string_view name) {
  if (ContainsAny(name, {"fp8", "f8e", "e4m3", "e5m2", "int8", "i8816", "imma"})) return kBits8;
  if (ContainsAny(name, {"half", "fp16", "f16", "bf16", "bfloat16", "h884", "h1688", "h16816", "hgemm", "hmma"})) {
    return kBits16;
  }
  if (ContainsAny(name, {"float", "fp32", "f32", "sgemm", "scudnn", "s884", "s1688"})) return kBits32;
  return 0;
}

// As CUPTI and ROCm (`MemcpyH2D`), Kineto (`Memcpy HtoD (Pinned -> Device)`) and tf.timeline (`MEMCPYHtoD`) call
// copies; kCount: it is none.
StepActivity CopyInName(std::string_view name) {
  const auto any = [&](std::initializer_list<std::string_view> prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(), [&](auto p) { return StartsWithAnyCase(name, p); });
  };
  if (any({"memcpyh2d", "memcpyhtod", "memcpy htod"})) return StepActivity::kHostToDevice;
  if (any({"memcpyd2h", "memcpydtoh", "memcpy dtoh"})) return StepActivity::kDeviceToHost;
  if (any({"memcpyd2d", "memcpydtod", "memcpy dtod", "memcpyp2p", "memcpyptop", "memcpy ptop"})) {
    return StepActivity::kDeviceToDevice;
  }
  return StepActivity::kCount;
}

uint32_t GpuName(std::string_view name, bool strict) {
  switch (trace::ParseTfOpFullname(name).category) {
    case OpCategory::kMemcpyHToD:
      return kSeen | Bits(StepActivity::kHostToDevice);
    case OpCategory::kMemcpyDToH:
      return kSeen | Bits(StepActivity::kDeviceToHost);
    case OpCategory::kMemcpyDToD:
      return kSeen | Bits(StepActivity::kDeviceToDevice);
    default:
      break;
  }
  if (strict) {
    if (const StepActivity copy = CopyInName(name); copy != StepActivity::kCount) return kSeen | Bits(copy);
  }
  if (StartsWithAnyCase(name, "nccl")) return kSeen | Bits(StepActivity::kCollectives);
  const bool half = ContainsAny(name, {"half", "fp16"});
  return kSeen | WidthInName(name) | Bits(half ? StepActivity::kCompute16 : StepActivity::kCompute32);
}

// By the category of an HLO instruction; kCount: a frame around others.
StepActivity TpuActivity(std::string_view category) {
  if (category == "while" || category == "call" || category == "conditional") return StepActivity::kCount;
  if (category == "infeed" || category.starts_with("host recv")) return StepActivity::kWaitInput;
  if (category == "outfeed" || category.starts_with("host send")) return StepActivity::kDeviceToHost;
  if (ContainsAny(category, {"all-reduce", "all-gather", "all-to-all", "reduce-scatter", "collective"})) {
    return StepActivity::kCollectives;
  }
  return StepActivity::kCompute32;
}

}  // namespace

std::vector<EventStat> Steps::Stats(const StreamPlane& plane) const {
  switch (plane.kind) {
    case StreamPlaneKind::kHost:
      return {EventStat::kStageName,  EventStat::kStepNum,      EventStat::kCorrelationId, EventStat::kConsumerType,
              EventStat::kConsumerId, EventStat::kProducerType, EventStat::kProducerId,    EventStat::kHloOp};
    case StreamPlaneKind::kGpu:
      if (strict_) return {EventStat::kShape};
      return {EventStat::kCorrelationId, EventStat::kShape};
    case StreamPlaneKind::kTpu:
      return {EventStat::kHloCategory};
    default:
      return {};
  }
}

void Steps::BeginFile(const trace::StreamFile& file) {
  file_ = {};
  file_.file = file.index;
  host_ = file.host;
  trace_start_ps_ = file.trace_start_ps;
  already_grouped_ = file.already_grouped;
  names_steps_ = file.names_steps;
  tells_ops_ = file.tells_ops;
  coverage_ = {};
  for (const StreamPlane& plane : file.planes) {
    file_.has_gpu = file_.has_gpu || plane.kind == StreamPlaneKind::kGpu;
    file_.has_tpu = file_.has_tpu || plane.kind == StreamPlaneKind::kTpu;
  }
  // GPUs beside TPUs play no part.
  const StreamPlaneKind kind = file_.has_tpu ? StreamPlaneKind::kTpu : StreamPlaneKind::kGpu;
  for (const StreamPlane& plane : file.planes) {
    if (plane.kind != kind || plane.sparse_core) continue;
    // XProf counts all; as everywhere here, a device without any event isn't one of the run's.
    if (!strict_) ++file_.devices;
    if (file_.device_type.empty()) {
      file_.device_type = DeviceTypeOf(plane, strict_ ? trace::NumberSlots::kAny : trace::NumberSlots::kTyped);
    }
  }
  groups_.clear();
  devices_.clear();
}

bool Steps::BeginPlane(const StreamPlane& plane) {
  plane_ = plane.kind;
  plane_name_ = plane.name;
  launches_ = plane.launches;
  plane_works_ = false;
  made_up_ = plane.made_up;
  has_hlo_ops_ = strict_ && !tells_ops_ && plane.knows_stat("hlo_op");
  if (plane.sparse_core || plane.kind == StreamPlaneKind::kOther) return false;
  if (plane.kind == StreamPlaneKind::kGpu) return !file_.has_tpu;
  if (plane.kind == StreamPlaneKind::kHost) has_stages_ = plane.knows_stat("_ipl_stage_name");
  return true;
}

uint32_t Steps::Classify(std::string_view name) {
  if (plane_ == StreamPlaneKind::kHost) {
    // What else calls itself `train…` is no step there.
    return names_steps_ ? HostName(name) & ~(kMarker | kCall | kNoWork) : HostName(name);
  }
  return plane_ == StreamPlaneKind::kGpu ? GpuName(name, strict_) : kSeen;
}

bool Steps::BeginLine(const trace::StreamLine& line) {
  derived_ = line.derived;
  step_line_ = false;
  last_ = {};
  stack_.clear();
  stack_flows_.clear();
  last_enqueue_ = {};
  if (plane_ == StreamPlaneKind::kGpu) {
    step_line_ = already_grouped_ && static_cast<uint32_t>(line.id) == kStepLineId;
    return step_line_ || !derived_;
  }
  if (plane_ == StreamPlaneKind::kTpu) {
    step_line_ = line.name == "Steps";
    return step_line_ || line.name == "XLA Ops";
  }
  return true;
}

void Steps::Add(const StreamEvent& event, uint32_t kind) {
  TimeSpan time{event.begin_ps, event.end_ps};
  if (strict_) {
    if (!event.timed || event.duration_ps < 0 || event.occurrences > 0) return;
    // On a scale without sign, so that the order is the same.
    time.begin_ps = static_cast<uint64_t>(event.start_ps) ^ (uint64_t{1} << 63);
    if (__builtin_add_overflow(time.begin_ps, static_cast<uint64_t>(event.duration_ps), &time.end_ps)) return;
    if (event.duration_ps > 0 && IsWork(event, kind)) coverage_.AddWork(time);
  }
  if (strict_ && !plane_works_ && plane_ != StreamPlaneKind::kHost && !derived_ && !step_line_) {
    plane_works_ = true;
  }
  switch (plane_) {
    case StreamPlaneKind::kHost:
      return AddHost(event, kind, time);
    case StreamPlaneKind::kGpu:
      return AddGpu(event, kind, time);
    default:
      return AddTpu(event, kind, time);
  }
}

// Ops of the host, and whatever a device does.
bool Steps::IsWork(const StreamEvent& event, uint32_t kind) const {
  if (derived_ || made_up_ || step_line_) return false;
  if (plane_ != StreamPlaneKind::kHost) return true;
  if (tells_ops_) return event.stats->TellOp() != nullptr;
  if (kind & kOp) return true;
  return has_hlo_ops_ && !(kind & kEndMark) && event.stats->Last(EventStat::kHloOp);
}

// Whether the event is a stage of the input pipeline and none lies around it or feeds it.
bool Steps::OutermostStage(const StreamEvent& event, TimeSpan time, std::vector<FlowKey>* doubt) {
  const StatValue producer_type = event.stats->First(EventStat::kProducerType);
  const StatValue producer = event.stats->First(EventStat::kProducerId);
  if (producer_type && producer) producers_.insert({producer_type.int_or_uint(), producer.int_or_uint()});
  while (!stack_.empty() &&
         !(stack_.back().time.begin_ps <= time.begin_ps && time.end_ps <= stack_.back().time.end_ps)) {
    stack_.pop_back();
  }
  stack_flows_.resize(stack_.empty() ? 0 : stack_.back().flows);
  const bool below = !stack_.empty() && stack_.back().below_stage;
  const bool stage = !event.stats->Last(EventStat::kStageName).text.empty();
  const StatValue consumer_type = event.stats->Last(EventStat::kConsumerType);
  const StatValue consumer = event.stats->Last(EventStat::kConsumerId);
  if (consumer_type && consumer) stack_flows_.push_back({consumer_type.int_or_uint(), consumer.int_or_uint()});
  stack_.push_back({time, below || stage, stack_flows_.size()});
  if (!stage || below) return false;
  *doubt = stack_flows_;
  return true;
}

void Steps::AddEnqueue(const StreamEvent& event, TimeSpan time) {
  if (derived_ || event.duration_ps < 0) return;
  if (last_enqueue_.begin_ps != 0 || last_enqueue_.length_ps() != 0) {
    file_.enqueue_ps += last_enqueue_.length_ps();
    file_.between_enqueues_ps += time.begin_ps - last_enqueue_.begin_ps;
  }
  last_enqueue_ = time;
}

void Steps::AddHost(const StreamEvent& event, uint32_t kind, TimeSpan time) {
  std::vector<FlowKey> doubt;
  const bool stage = has_stages_ && OutermostStage(event, time, &doubt);
  if (kind & kEnqueue) AddEnqueue(event, time);
  if (event.group < 0) return;
  if (!strict_ && file_.has_gpu && !file_.has_tpu) return;  // XProf looks at the devices only
  Group& group = groups_[event.group];
  if ((kind & kMarker) || !event.step_name.empty()) {
    group.host_marks.push_back(time);
    group.marked = true;
    if (!event.step_name.empty()) group.name = event.step_name;
    group.user_step = group.user_step || names_steps_ || (kind & kMarker) || event.stats->Last(EventStat::kStepNum);
    return;
  }
  if (kind & kNoWork) {
    if (strict_ && (kind & kCall)) group.host_marks.push_back(time);
    return;
  }
  StepActivity activity = static_cast<StepActivity>(kind & kActivityBits);
  const bool copy = activity == StepActivity::kHostToDevice || activity == StepActivity::kHostToHost;
  if (!copy && strict_ && file_.has_gpu) {
    const StatValue correlation = event.stats->Last(EventStat::kCorrelationId);
    const bool launch = launches_ || (kind & kExecutor) || (correlation && correlation.any_number() >= 0);
    if (launch) activity = StepActivity::kKernelLaunch;
  }
  if (!stage || activity != StepActivity::kHostCompute) return Put(event.group, time, activity);
  if (!doubt.empty()) {
    doubtful_.push_back({event.group, time, activity, std::move(doubt)});
  } else if (strict_) {
    group.activities.Add(time, StepActivity::kWaitInput);
  } else {
    group.spans.push_back({time, StepActivity::kWaitInput});
  }
}

void Steps::Put(int64_t number, TimeSpan time, StepActivity activity) {
  Group& group = (plane_ == StreamPlaneKind::kGpu ? plane_groups_ : groups_)[number];
  if (strict_) return group.activities.Add(time, activity);
  std::vector<ActivitySpan>& spans = group.spans;
  LastSpan& last = last_[static_cast<size_t>(activity)];
  if (last.any && last.group == number) {
    TimeSpan& before = spans[last.index].time;
    if (before.begin_ps < before.end_ps && before.begin_ps <= time.begin_ps && time.begin_ps < before.end_ps &&
        time.begin_ps <= time.end_ps) {
      before.end_ps = std::max(before.end_ps, time.end_ps);
      return;
    }
  }
  last = {number, spans.size(), true};
  spans.push_back({time, activity});
}

StepActivity Steps::GpuActivity(const StreamEvent& event, uint32_t kind, TimeSpan time) {
  StepActivity activity = static_cast<StepActivity>(kind & kActivityBits);
  if (activity != StepActivity::kCompute16 && activity != StepActivity::kCompute32) return activity;
  const std::string_view shapes = event.stats->Last(EventStat::kShape).text;
  if (!shapes.empty()) {
    activity = shapes.find("half") != shapes.npos ? StepActivity::kCompute16 : StepActivity::kCompute32;
  }
  if (!strict_) return activity;
  uint32_t width = kind & (kBits8 | kBits16 | kBits32);
  if (!shapes.empty() && width == 0) width = WidthInName(shapes);
  Precision& sums = file_.precision;
  (width == kBits8    ? sums.bits8_ps
   : width == kBits16 ? sums.bits16_ps
   : width == kBits32 ? sums.bits32_ps
                      : sums.unknown_ps) += time.length_ps();
  return activity;
}

void Steps::AddGpu(const StreamEvent& event, uint32_t kind, TimeSpan time) {
  if (step_line_) {
    if (event.group != trace::kNoEventGroup) plane_groups_[event.group].device_marks.push_back(time);
    return;
  }
  if (strict_) {
    const StepActivity activity = GpuActivity(event, kind, time);
    if (event.group < 0) return;
    Group& group = plane_groups_[event.group];
    group.AddDeviceWork(time);
    return group.activities.Add(time, activity);
  }
  // XProf looks for a Steps line alone where the file was saved with groups; not every writer has one.
  if (event.group != trace::kNoEventGroup && !already_grouped_) device_events_.push_back({time, event.group});
  const StatValue correlation = event.stats->Last(EventStat::kCorrelationId);
  if (event.group >= 0 && correlation && correlation.int64_only() >= 0) {
    Put(event.group, time, GpuActivity(event, kind, time));
  }
}

void Steps::AddTpu(const StreamEvent& event, uint32_t, TimeSpan time) {
  if (step_line_) {
    if (event.group >= 0) groups_[event.group].device_marks.push_back(time);
    return;
  }
  const StepActivity activity = TpuActivity(event.stats->Last(EventStat::kHloCategory).text);
  if (activity != StepActivity::kCount) device_spans_.push_back({time, activity});
}

void Steps::EndPlane() {
  if (plane_works_ && devices_.insert(plane_name_).second) ++file_.devices;
  if (plane_ == StreamPlaneKind::kHost) EndHostPlane();
  if (plane_ == StreamPlaneKind::kGpu) EndGpuPlane();
  if (plane_ == StreamPlaneKind::kTpu) EndTpuPlane();
}

void Steps::EndHostPlane() {
  for (const DoubtfulStage& stage : doubtful_) {
    const bool fed = std::any_of(stage.flows.begin(), stage.flows.end(),
                                 [this](const FlowKey& flow) { return producers_.contains(flow); });
    const StepActivity activity = fed ? stage.otherwise : StepActivity::kWaitInput;
    Group& group = groups_[stage.group];
    strict_ ? group.activities.Add(stage.time, activity) : group.spans.push_back({stage.time, activity});
  }
  doubtful_.clear();
  producers_.clear();
}

// XProf: a device works on a step in runs, neighbouring events of one group.
void Steps::MarkRuns() {
  std::stable_sort(device_events_.begin(), device_events_.end(), [](const DeviceEvent& a, const DeviceEvent& b) {
    if (a.time.begin_ps != b.time.begin_ps) return a.time.begin_ps < b.time.begin_ps;
    return a.time.length_ps() < b.time.length_ps();
  });
  TimeSpan* run = nullptr;
  int64_t run_group = 0;
  for (const DeviceEvent& event : device_events_) {
    if (run == nullptr || run_group != event.group) {
      std::vector<TimeSpan>& marks = plane_groups_[event.group].device_marks;
      marks.push_back(event.time);
      run = &marks.back();
      run_group = event.group;
    }
    run->end_ps = std::max(run->end_ps, event.time.end_ps);
  }
}

void Steps::EndGpuPlane() {
  const bool has_step_line = std::any_of(plane_groups_.begin(), plane_groups_.end(),
                                         [](const auto& group) { return !group.second.device_marks.empty(); });
  if (!has_step_line) MarkRuns();
  device_events_ = {};
  for (auto& [number, from] : plane_groups_) {
    if (from.works && !has_step_line) from.device_marks.push_back(from.device_work);
    if (from.device_marks.empty() || (from.spans.empty() && from.activities.empty())) continue;
    Group& to = groups_[number];
    to.on_device = true;
    to.device_marks.insert(to.device_marks.end(), from.device_marks.begin(), from.device_marks.end());
    to.spans.insert(to.spans.end(), from.spans.begin(), from.spans.end());
    to.activities.Merge(from.activities);
  }
  plane_groups_.clear();
}

// An op belongs to the step in which it begins.
void Steps::EndTpuPlane() {
  std::vector<std::pair<TimeSpan, Group*>> marks;
  for (auto& [number, group] : groups_) {
    for (const TimeSpan& mark : group.device_marks) marks.push_back({mark, &group});
  }
  std::sort(marks.begin(), marks.end(),
            [](const auto& a, const auto& b) { return a.first.begin_ps < b.first.begin_ps; });
  for (const ActivitySpan& span : device_spans_) {
    auto at = std::upper_bound(marks.begin(), marks.end(), span.time.begin_ps,
                               [](uint64_t begin_ps, const auto& mark) { return begin_ps < mark.first.begin_ps; });
    if (at == marks.begin() || (--at)->first.end_ps <= span.time.begin_ps) continue;
    at->second->on_device = true;
    strict_ ? at->second->activities.Add(span.time, span.activity) : at->second->spans.push_back(span);
  }
  device_spans_.clear();
}

}  // namespace tfprof::analyze
