#include "formats/chrome/event_stream.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/chrome/dialect.h"
#include "formats/chrome/element.h"
#include "formats/chrome/event_args.h"
#include "formats/chrome/event_places.h"
#include "formats/chrome/launch_owners.h"
#include "formats/chrome/members.h"
#include "formats/chrome/timeline_memory.h"
#include "formats/chrome/timeline_steps.h"

namespace tfprof::chrome {
namespace {

using trace::EventSink;
using trace::StreamEvent;
using trace::StreamLine;
using trace::StreamPlane;
using trace::StreamPlaneKind;

constexpr uint32_t kNoPlane = UINT32_MAX;
constexpr uint64_t kEventCap = 1'000'000;  // TensorFlow's exporter stops here

class Streaming {
 public:
  Streaming(const WholeText& text, const StreamOptions& options, const TimelineSurvey& survey, const Placer& placer,
            const EventIndex& index, std::span<EventSink* const> sinks)
      : text_(text),
        options_(options),
        dialect_(survey.dialect.dialect),
        index_(index),
        sinks_(sinks),
        steps_(text.bytes, index, dialect_),
        args_(dialect_, placer) {
    if (dialect_ == Dialect::kKineto) owners_ = std::make_unique<LaunchOwners>(index);
  }

  void Run() {
    DescribePlanes();
    trace::StreamFile file;
    file.path = options_.path;
    file.host = options_.host;
    file.index = options_.file_index;
    file.planes = planes_;
    file.tells_ops = true;
    file.names_steps = dialect_ != Dialect::kTf2;
    for (EventSink* sink : sinks_) sink->BeginFile(file);
    for (const StreamPlane& plane : planes_) {
      if (!text_.Cancelled()) StreamOne(plane);
    }
    for (EventSink* sink : sinks_) sink->EndFile();
  }

 private:
  // Those of hosts, that without events, those of devices.
  void DescribePlanes() {
    lanes_of_.resize(index_.planes);
    for (uint32_t l = 0; l < index_.lanes.size(); ++l) lanes_of_[index_.lanes[l].plane].push_back(l);
    for (const bool on_device : {false, true}) {
      for (const std::vector<uint32_t>& lanes : lanes_of_) {
        const IndexedLane& lane = index_.lanes[lanes.front()];
        if (lane.on_device() == on_device) Describe(lane);
      }
      if (!on_device) {
        StreamPlane plane = NewPlane();
        plane.kind = StreamPlaneKind::kHost;
        plane.made_up = true;
        planes_.push_back(std::move(plane));
        numbers_.push_back(kNoPlane);
      }
    }
  }

  StreamPlane NewPlane() const {
    StreamPlane plane;
    plane.index = static_cast<uint32_t>(planes_.size());
    plane.stat = [](std::string_view) { return trace::StatValue(); };
    plane.knows_stat = [this](std::string_view name) { return name == "correlation_id" && !index_.launches.empty(); };
    return plane;
  }

  void Describe(const IndexedLane& lane) {
    StreamPlane plane = NewPlane();
    plane.name = lane.placement.plane;
    plane.on_device = lane.on_device();
    if (lane.on_device()) {
      const bool tf1 = dialect_ == Dialect::kTf1;
      if (tf1) plane.name = lane.placement.device;
      plane.kind = plane.name.find("/device:TPU:") != std::string_view::npos      ? StreamPlaneKind::kTpu
                   : plane.name.find("/device:CUSTOM:") != std::string_view::npos ? StreamPlaneKind::kOther
                                                                                  : StreamPlaneKind::kGpu;
    } else if (lane.placement.role != trace::Role::kOther) {
      plane.kind = StreamPlaneKind::kHost;
      plane.launches = dialect_ == Dialect::kTf1 && LaunchesOnGpu(lane.placement.plane);
    }
    planes_.push_back(std::move(plane));
    numbers_.push_back(lane.plane);
  }

  // TF1 writes on the host how long an op of a GPU took to be launched: `/job:…/device:GPU:0 Compute`.
  static bool LaunchesOnGpu(std::string_view process) {
    return process.find("/device:GPU:") != std::string_view::npos || process.find("/gpu:") != std::string_view::npos;
  }

  void StreamOne(const StreamPlane& plane) {
    open_.clear();
    for (EventSink* sink : sinks_) {
      if (sink->BeginPlane(plane)) open_.push_back(sink);
    }
    if (open_.empty()) return;
    kinds_.clear();
    stats_wanted_.clear();
    for (const EventSink* sink : open_) {
      const std::vector<trace::EventStat> stats = sink->Stats(plane);
      stats_wanted_.insert(stats_wanted_.end(), stats.begin(), stats.end());
    }
    if (plane.made_up) {
      MarkFile();
      StreamMemory();
    }
    if (numbers_[plane.index] != kNoPlane) {
      for (const uint32_t lane : lanes_of_[numbers_[plane.index]]) StreamLane(plane, lane);
    }
    for (EventSink* sink : open_) sink->EndPlane();
  }

  std::vector<EventSink*> BeginLine(const StreamLine& line) const {
    std::vector<EventSink*> wanting;
    std::copy_if(open_.begin(), open_.end(), std::back_inserter(wanting),
                 [&](EventSink* sink) { return sink->BeginLine(line); });
    return wanting;
  }

  void StreamLane(const StreamPlane& plane, uint32_t number) {
    const IndexedLane& lane = index_.lanes[number];
    StreamLine line;
    line.index = number;
    line.id = LaneIdOf(lane.tid);
    line.id_text = lane.tid;
    line.name = lane.name.empty() ? std::string_view(lane.tid) : lane.name;
    if (dialect_ == Dialect::kTf1 && lane.on_device()) line.name = lane.placement.plane;
    line.derived = lane.view();
    const std::vector<EventSink*> wanting = BeginLine(line);
    if (wanting.empty()) return;
    uint64_t ordinal = 0;
    for (size_t i = lane.begin; i < lane.end && !text_.Cancelled(); ++i)
      Give(plane, lane, index_.events[i], ordinal++, wanting);
    for (EventSink* sink : wanting) sink->EndLine();
  }

  // The name under which an XSpace would hold the event.
  std::string NameOf(const TraceEvent& event, std::string_view text) const {
    if (dialect_ == Dialect::kTf2 && event.has(ArgKey::kLongName)) {
      std::string full = Decode(event.arg(ArgKey::kLongName));
      if (!full.empty()) return full;
    }
    return event.name.present() ? Decode(event.name) : std::string(FindMember(text, "name").raw());
  }

  struct NameKinds {
    uint32_t id = 0;
    std::vector<uint32_t> of_sink;  // as open_
    bool wanted = false;
  };
  const std::pair<const std::string, NameKinds>& KindsOf(const std::string& name) {
    const auto [at, is_new] = kinds_.try_emplace(name);
    if (is_new) {
      at->second.id = static_cast<uint32_t>(kinds_.size() - 1);
      for (EventSink* sink : open_) {
        at->second.of_sink.push_back(sink->Classify(name));
        at->second.wanted = at->second.wanted || at->second.of_sink.back() != EventSink::kSkip;
      }
    }
    return *at;
  }

  void Give(const StreamPlane& plane, const IndexedLane& lane, const IndexedEvent& indexed, uint64_t ordinal,
            const std::vector<EventSink*>& wanting) {
    const std::string_view text = text_.bytes.substr(indexed.offset);
    event_.Reset();
    parser_.Reset();
    if (parser_.Parse(text.data(), text.data() + text.size(), &event_).step != ParseStep::kWhole) return;
    const auto& [name, kinds] = KindsOf(NameOf(event_, text));
    if (!kinds.wanted) return;
    StreamEvent out = At(indexed);
    out.name = name;
    out.name_id = kinds.id;
    out.ordinal = ordinal;
    args_.Point(text, &event_, &lane.placement, OwnerOf(lane));
    SetStep(plane, lane, indexed, &out);
    out.stats = &args_;
    Hand(out, kinds, wanting);
  }

  static StreamEvent At(const IndexedEvent& indexed) {
    StreamEvent out;
    out.timed = !indexed.is(IndexedEvent::kUntimed);
    out.start_ps = out.offset_ps = indexed.start_ps;
    out.duration_ps = indexed.duration_ps;
    out.begin_ps = static_cast<uint64_t>(indexed.start_ps);
    out.end_ps = out.begin_ps + static_cast<uint64_t>(indexed.duration_ps);
    return out;
  }

  void Hand(const StreamEvent& event, const NameKinds& kinds, const std::vector<EventSink*>& wanting) const {
    size_t next = 0;
    for (size_t s = 0; s < open_.size() && next < wanting.size(); ++s) {
      if (wanting[next] != open_[s]) continue;
      ++next;
      if (kinds.of_sink[s] != EventSink::kSkip) open_[s]->Add(event, kinds.of_sink[s]);
    }
  }

  // The name of the op that launched the event at hand.
  std::string_view OwnerOf(const IndexedLane& lane) {
    if (owners_ == nullptr || !lane.on_device()) return {};
    const std::optional<uint64_t> owner =
        owners_->Of(IdNumber(event_.arg(ArgKey::kCorrelation)), IdNumber(event_.arg(ArgKey::kExternalId)));
    if (!owner) return {};
    const auto [at, is_new] = owner_names_.try_emplace(*owner);
    if (is_new) at->second = Decode(FindMember(text_.bytes.substr(*owner), "name"));
    return at->second;
  }

  void SetStep(const StreamPlane& plane, const IndexedLane& lane, const IndexedEvent& indexed, StreamEvent* out) {
    // Views tell of the work of others, but for a TPU's, which say where its steps are.
    if (lane.view() && plane.kind != StreamPlaneKind::kTpu) return;
    if (dialect_ == Dialect::kTf1) {
      out->group = FileStep();
      return;
    }
    if (index_.grouped) {
      const trace::StatValue group = args_.First(trace::EventStat::kGroupId);
      if (group) out->group = group.int64_only();
      out->step_name = args_.First(trace::EventStat::kStepName).text;
      return;
    }
    int64_t at_ps = indexed.start_ps;
    if (lane.on_device()) {
      const auto launch = index_.launches.find(IdNumber(event_.arg(ArgKey::kCorrelation)));
      if (launch != index_.launches.end()) at_ps = launch->second.start_ps;
    } else {
      out->step_name = steps_.MarkedBy(indexed.offset);
    }
    const int64_t step = out->timed ? steps_.At(at_ps) : -1;
    if (step >= 0) out->group = step;
  }

  int64_t FileStep() const { return StepOfFileName(options_.path).value_or(options_.file_index); }

  // A timeline of TF1 is one step, from its first op to the end of its last.
  void MarkFile() {
    if (dialect_ != Dialect::kTf1) return;
    IndexedEvent whole;
    whole.start_ps = INT64_MAX;
    int64_t end_ps = INT64_MIN;
    for (const IndexedEvent& event : index_.events) {
      if (index_.lanes[event.lane].view() || event.flags != 0) continue;
      whole.start_ps = std::min(whole.start_ps, event.start_ps);
      end_ps = std::max(end_ps, event.start_ps + event.duration_ps);
    }
    const std::vector<EventSink*> wanting = BeginLine({.name = "Steps"});
    if (end_ps > whole.start_ps && !wanting.empty()) {
      whole.duration_ps = end_ps - whole.start_ps;
      const std::string name = "step " + std::to_string(FileStep());
      StreamEvent out = At(whole);
      const auto& [known, kinds] = KindsOf(name);
      out.name = out.step_name = known;
      out.name_id = kinds.id;
      out.group = FileStep();
      event_.Reset();
      args_.Point({}, &event_, nullptr, {});
      out.stats = &args_;
      Hand(out, kinds, wanting);
    }
    for (EventSink* sink : wanting) sink->EndLine();
  }

  void StreamMemory() {
    const bool wanted = std::find(stats_wanted_.begin(), stats_wanted_.end(), trace::EventStat::kAllocationBytes) !=
                        stats_wanted_.end();
    if (!wanted) return;
    const std::vector<EventSink*> wanting = BeginLine({.name = "Memory"});
    MomentStats stats;
    for (const MemoryMoment& moment : MemoryOf(text_.bytes, index_, dialect_)) {
      IndexedEvent at;
      at.start_ps = moment.at_ps;
      StreamEvent out = At(at);
      const auto& [name, kinds] = KindsOf(moment.allocation ? "MemoryAllocation" : "MemoryDeallocation");
      out.name = name;
      out.name_id = kinds.id;
      const int64_t step = dialect_ == Dialect::kTf1 ? FileStep() : steps_.At(moment.at_ps);
      if (step >= 0) out.group = step;
      stats.Point(&moment);
      out.stats = &stats;
      Hand(out, kinds, wanting);
    }
    for (EventSink* sink : wanting) sink->EndLine();
  }

  const WholeText& text_;
  const StreamOptions& options_;
  const Dialect dialect_;
  const EventIndex& index_;
  const std::span<EventSink* const> sinks_;
  const TimelineSteps steps_;
  std::unique_ptr<LaunchOwners> owners_;
  std::vector<StreamPlane> planes_;
  std::vector<uint32_t> numbers_;                // of planes_, in the index; kNoPlane: made up
  std::vector<std::vector<uint32_t>> lanes_of_;  // by such a number
  ElementParser parser_;
  TraceEvent event_;
  EventArgs args_;
  std::unordered_map<uint64_t, std::string> owner_names_;

  // The plane at hand.
  std::vector<EventSink*> open_;
  std::unordered_map<std::string, NameKinds> kinds_;
  std::vector<trace::EventStat> stats_wanted_;
};

}  // namespace

StreamFacts StreamEvents(const WholeText& text, const StreamOptions& options, std::span<EventSink* const> sinks,
                         Diagnostics* diagnostics) {
  StreamFacts facts;
  const TimelineSurvey survey = SurveyTimeline(text, options.forced);
  facts.file.dialect = survey.dialect;
  facts.file.phases = survey.phases;
  facts.file.rank = survey.rank;
  facts.file.is_trace = survey.is_trace;
  if (!survey.is_trace) return facts;
  const Placer placer(survey.dialect.dialect, survey.names);
  EventIndex index = IndexEvents(text, survey, placer);
  StreamOptions known = options;
  if (known.host.empty() && survey.rank) known.host = "rank " + *survey.rank;
  Streaming(text, known, survey, placer, index, sinks).Run();
  facts.base_ps = index.base_ps;
  facts.any_event = !index.events.empty();
  if (survey.dialect.dialect == Dialect::kTf2) {
    uint64_t events = 0;
    for (const auto& [phase, count] : survey.phases) events += phase == 'M' || phase == 0 ? 0 : count;
    if (events == kEventCap || events == 5 * kEventCap) index.found.capped_at = events;
  }
  TellFindings(options.path, survey.text, index.found, diagnostics);
  return facts;
}

}  // namespace tfprof::chrome
