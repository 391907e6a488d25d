#include "formats/xplane/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "formats/xplane/eager_reach.h"
#include "formats/xplane/event.h"
#include "formats/xplane/grouping.h"
#include "formats/xplane/hlo.h"
#include "formats/xplane/lane_plan.h"
#include "formats/xplane/lane_schedule.h"
#include "formats/xplane/op_resolver.h"
#include "trace/lane_orderer.h"
#include "trace/pipelined_lane.h"

namespace tfprof::xplane {
namespace {

using trace::EventBatch;
using trace::Op;

// What reading found; one per worker, merged at the end.
struct Findings {
  Misplaced misplaced;
  std::set<std::pair<uint64_t, std::string>> unresolved_hlo;
  std::optional<uint64_t> broken_at;  // least offset of a line that ends inside an event
  std::optional<uint64_t> first_bad_at;
  uint64_t bad_events = 0;
  BrokenStats broken_stats;
  bool late_header = false;
  std::set<std::pair<size_t, size_t>> disordered;
  EagerHints eager;

  void Merge(const Findings& other) {
    misplaced.Merge(other.misplaced);
    unresolved_hlo.insert(other.unresolved_hlo.begin(), other.unresolved_hlo.end());
    bad_events += other.bad_events;
    broken_stats.Merge(other.broken_stats);
    if (other.first_bad_at) first_bad_at = std::min(first_bad_at.value_or(UINT64_MAX), *other.first_bad_at);
    if (other.broken_at) broken_at = std::min(broken_at.value_or(UINT64_MAX), *other.broken_at);
    late_header |= other.late_header;
    eager.Merge(other.eager);
    disordered.insert(other.disordered.begin(), other.disordered.end());
  }
};

// What all workers share and none changes.
struct Shared {
  const Layout& layout;
  const ReadOptions& options;
  const ReadPlan& read_plan;
  const FilePlan& file_plan;
  const EagerFlags& eager;
  HloModules& hlo;
  bool look_for_eager;  // for hints that the event graph is needed
};

// Reads lanes on one thread into one sink.
class Worker {
 public:
  Worker(const Shared& shared, trace::Sink* sink) : shared_(shared), sink_(sink) {}

  void ReadLane(size_t plane_index, size_t lane_index, bool pipelined) {
    const PlanePlan& plane = shared_.file_plan.planes[plane_index];
    const LanePlan& lane = plane.lanes[lane_index];
    EnterPlane(plane_index);
    const trace::LaneInfo info{.side = plane.side,
                               .role = lane.role,
                               .host = shared_.options.host,
                               .plane = plane.name,
                               .name = lane.name,
                               .id = lane.id,
                               .plane_index = static_cast<uint32_t>(plane_index),
                               .lane_index = static_cast<uint32_t>(lane_index),
                               .ops = ops_.get()};
    trace::LaneConsumer* consumer = sink_->Open(info);
    if (consumer == nullptr) return;
    std::optional<trace::PipelinedLane> pipeline;
    if (pipelined) consumer = &pipeline.emplace(consumer);
    orderer_.Start(consumer, shared_.read_plan.sort_lanes.contains({plane_index, lane_index}));
    for (const LanePiece& piece : lane.pieces) ReadPiece(plane, lane, piece);
    orderer_.Finish();
    if (orderer_.disordered()) findings_.disordered.emplace(plane_index, lane_index);
    consumer->Close();
  }

  void LeavePlane() {
    for (const auto& resolver : resolvers_) {
      if (resolver == nullptr) continue;
      findings_.unresolved_hlo.insert(resolver->unresolved_hlo().begin(), resolver->unresolved_hlo().end());
      findings_.broken_stats.Merge(resolver->broken_stats());
    }
    resolvers_.clear();
    for (const auto& reach : reaches_) {
      if (reach != nullptr) findings_.eager.Merge(reach->hints());
    }
    reaches_.clear();
    if (ops_ != nullptr) sink_->EndPlane(*ops_);
    ops_ = nullptr;
    plane_index_ = SIZE_MAX;
  }

  void Settle() { sink_->Settle(); }

  const Findings& findings() const { return findings_; }

 private:
  void EnterPlane(size_t plane_index) {
    if (plane_index == plane_index_) return;
    LeavePlane();
    plane_index_ = plane_index;
    ops_ = std::make_unique<trace::OpDictionary>();
    resolvers_.resize(shared_.file_plan.planes[plane_index].planes.size());
    reaches_.resize(resolvers_.size());
  }

  // One resolver for each XPlane that the plane consists of.
  OpResolver& ResolverOf(const PlanePlan& plane, uint32_t layout_plane) {
    const auto at = std::find(plane.planes.begin(), plane.planes.end(), layout_plane) - plane.planes.begin();
    std::unique_ptr<OpResolver>& resolver = resolvers_[static_cast<size_t>(at)];
    if (resolver == nullptr) {
      resolver = std::make_unique<OpResolver>(shared_.layout.planes[layout_plane], plane.kind,
                                              shared_.eager.use_stored(), &shared_.hlo, ops_.get());
    }
    return *resolver;
  }

  // What looks for hints of eager ops in an XPlane; null where there is nothing to look for.
  EagerReach* ReachOf(const PlanePlan& plane, uint32_t layout_plane) {
    const Plane& layout = shared_.layout.planes[layout_plane];
    if (!shared_.look_for_eager || plane.kind != PlaneKind::kHost || !EagerReach::Concerns(layout)) return nullptr;
    const auto at = std::find(plane.planes.begin(), plane.planes.end(), layout_plane) - plane.planes.begin();
    std::unique_ptr<EagerReach>& reach = reaches_[static_cast<size_t>(at)];
    if (reach == nullptr) reach = std::make_unique<EagerReach>(layout, trace::NumberSlots::kAny);
    return reach.get();
  }

  void ReadPiece(const PlanePlan& plane, const LanePlan& lane, const LanePiece& piece) {
    const Line& line = shared_.layout.planes[piece.plane].lines[piece.line];
    const bool has_ops = lane.role != trace::Role::kView && lane.role != trace::Role::kOther;
    OpResolver* resolver = has_ops ? &ResolverOf(plane, piece.plane) : nullptr;
    const EagerBits* eager = shared_.eager.BitsOf(piece.plane, piece.line);
    EagerReach* const reach = resolver != nullptr ? ReachOf(plane, piece.plane) : nullptr;
    StatFilter wanted;
    if (resolver != nullptr) wanted.Merge(resolver->filter());
    if (reach != nullptr) {
      wanted.Merge(reach->filter());
      reach->StartLine(line);
    }
    EventCursor cursor(line.body, &wanted, wire::End(shared_.layout.bytes));
    const uint8_t* reported = wire::Begin(line.body);
    const bool stored = shared_.eager.use_stored();
    // Nothing of the line but its events' own bytes decides about them.
    const bool usual = resolver != nullptr && eager == nullptr && !piece.out_of_time;
    uint64_t ordinal = 0;
    EventBlock block;
    while (cursor.Read(&block)) {
      if (reach != nullptr) reach->See(block);
      for (size_t i = 0; i < block.size; ++i) {
        if (usual) i += PlaceKnown(*resolver, piece.start_ps, block, i);
        if (i == block.size) break;
        const Event event = block[i];
        ResolvedEvent resolved;
        if (resolver != nullptr) resolved = resolver->Resolve(event);
        const bool is_eager = stored ? resolved.eager : eager != nullptr && eager->Get(ordinal + i);
        Place(plane, lane, piece, event, resolved, static_cast<uint8_t>(is_eager ? EventBatch::kEager : 0));
      }
      ordinal += block.size;
      if (cursor.position() - reported < (1 << 20)) continue;
      ReportDone(reported, cursor.position());
      reported = cursor.position();
      if (orderer_.disordered() || Cancelled()) return;
    }
    ReportDone(reported, cursor.position());
    findings_.late_header |= cursor.late_header();
    findings_.bad_events += cursor.bad_events();
    if (cursor.first_bad() != nullptr) {
      const uint64_t offset = shared_.layout.OffsetOf(cursor.first_bad());
      findings_.first_bad_at = std::min(findings_.first_bad_at.value_or(UINT64_MAX), offset);
    }
    if (cursor.broken()) {
      const uint64_t offset = shared_.layout.OffsetOf(cursor.position());
      findings_.broken_at = std::min(findings_.broken_at.value_or(UINT64_MAX), offset);
    }
  }

  // The fast way for events like earlier ones with an ordinary place in time: from `first` of the block up to one that
  // isn't, or to where there is no more room; how many.
  size_t PlaceKnown(const OpResolver& resolver, int64_t line_start_ps, const EventBlock& block, size_t first) {
    if (block.aggregates) return 0;
    const trace::LaneOrderer::Rows rows = orderer_.Reserve(block.size - first);
    size_t n = resolver.KnownOps(block, first, rows.size, rows.op, rows.flags);
    uint64_t bits = 0;
    for (size_t i = 0; i < n; ++i) {
      const int64_t offset = block.offset_ps[first + i], duration = block.duration_ps[first + i];
      bits |= static_cast<uint64_t>(offset) | static_cast<uint64_t>(duration);
      rows.start_ps[i] = static_cast<int64_t>(static_cast<uint64_t>(line_start_ps) + static_cast<uint64_t>(offset));
      rows.duration_ps[i] = duration;
    }
    // Where all numbers are small none is negative and no sum runs over: lines begin within kMaxRelativeNs.
    if (bits >> 56 != 0) [[unlikely]]
      n = CountInTime(line_start_ps, block, first, n);
    orderer_.Commit(n);
    return n;
  }

  // How many of `n` events from `first` on have an ordinary place in time before the first that hasn't.
  static size_t CountInTime(int64_t line_start_ps, const EventBlock& block, size_t first, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      int64_t time = 0;
      if (block.duration_ps[first + i] < 0 ||
          __builtin_add_overflow(line_start_ps, block.offset_ps[first + i], &time) ||
          __builtin_add_overflow(time, block.duration_ps[first + i], &time)) {
        return i;
      }
    }
    return n;
  }

  // Puts an event on the file's time axis, or notes that it has no place there.
  void Place(const PlanePlan& plane, const LanePlan& lane, const LanePiece& piece, const Event& event,
             const ResolvedEvent& resolved, uint8_t flags) {
    int64_t start = 0, end = 0;
    int64_t duration = event.duration_ps;
    bool outlier = piece.out_of_time || __builtin_add_overflow(piece.start_ps, event.offset_ps, &start);
    if (resolved.has_device_time) {
      outlier = false;
      start = resolved.device_start_ps;
      duration = resolved.device_duration_ps;
    }
    if (event.num_occurrences > 0) {  // an aggregate has no start
      orderer_.AddUntimed(std::max<int64_t>(duration, 0), resolved.op, flags,
                          static_cast<uint64_t>(event.num_occurrences));
      return;
    }
    if (duration < 0) {
      findings_.misplaced.AddNegative([&] { return PlaceInWords(plane.name, lane.name, lane.id); });
      orderer_.AddUntimed(0, resolved.op, flags, 1);
      return;
    }
    outlier = outlier || __builtin_add_overflow(start, duration, &end);
    if (outlier) {
      findings_.misplaced.AddOutlier([&] { return PlaceInWords(plane.name, lane.name, lane.id); });
      orderer_.AddUntimed(duration, resolved.op, flags, 1);
      return;
    }
    orderer_.Add(start, duration, resolved.op, flags);
  }

  void ReportDone(const uint8_t* begin, const uint8_t* end) const {
    if (shared_.options.on_done) shared_.options.on_done(wire::MakeBytes(begin, end));
  }
  bool Cancelled() const { return shared_.options.cancelled != nullptr && *shared_.options.cancelled; }

  const Shared& shared_;
  trace::Sink* sink_;
  size_t plane_index_ = SIZE_MAX;
  std::unique_ptr<trace::OpDictionary> ops_;
  std::vector<std::unique_ptr<OpResolver>> resolvers_;
  std::vector<std::unique_ptr<EagerReach>> reaches_;
  trace::LaneOrderer orderer_;
  Findings findings_;
};

void ReadLanes(const FilePlan& plan, std::vector<Worker>* workers) {
  const LaneSchedule schedule = ScheduleLanes(plan, workers->size());
  for (const LaneTask& giant : schedule.giants) (*workers)[0].ReadLane(giant.plane, giant.lane, true);
  const std::vector<LaneTask>& tasks = schedule.shared;
  std::atomic<size_t> next{0};
  const auto work = [&](Worker* worker) {
    for (size_t i = next++; i < tasks.size(); i = next++) worker->ReadLane(tasks[i].plane, tasks[i].lane, false);
    worker->LeavePlane();
    if (workers->size() > 1) worker->Settle();
  };
  std::vector<std::thread> threads;
  const bool small = schedule.bytes < (uint64_t{1} << 20);  // a thread costs more than a small file
  try {
    for (size_t i = 1; i < workers->size() && !small; ++i) threads.emplace_back(work, &(*workers)[i]);
  } catch (const std::system_error&) {
    // The machine has no more threads to give: those there are do all.
  }
  work(workers->data());
  for (std::thread& thread : threads) thread.join();
}

void Say(const Findings& found, const Layout& layout, const std::string& path, Diagnostics* diagnostics) {
  SayMisplaced(found.misplaced, path, diagnostics);
  if (!found.unresolved_hlo.empty()) {
    diagnostics->Add(DiagCode::kUnresolvedHlo,
                     fmt::format("{}: HLO instructions have no module in the file, so their ops go by other names; "
                                 "first: {} of program {}",
                                 path, found.unresolved_hlo.begin()->second, found.unresolved_hlo.begin()->first),
                     found.unresolved_hlo.size());
  }
  SayBrokenEvents(found.bad_events, found.first_bad_at.value_or(0), path, diagnostics);
  if (found.broken_at && !layout.damage) {
    diagnostics->Add(DiagCode::kTruncatedInput,
                     fmt::format("{}: byte {}: a line holds bytes that are no event; the events before it were read; "
                                 "copy the file anew or write the profile again",
                                 path, *found.broken_at));
  }
}

}  // namespace

ReadOutcome Read(const Layout& layout, const ReadOptions& options, std::span<trace::Sink* const> sinks, ReadPlan* plan,
                 Diagnostics* diagnostics) {
  const FilePlan file_plan = PlanLanes(layout);
  const EagerFlags eager = plan->link_events ? ReadEagerFlags(layout) : ReadStoredEagerFlags(layout);
  HloModules hlo(layout);
  const bool look_for_eager = !plan->link_events && !eager.use_stored();
  for (const PlanePlan& plane : file_plan.planes) {
    const auto concerns = [&](uint32_t p) { return EagerReach::Concerns(layout.planes[p]); };
    // Hints on planes whose lanes aren't read for ops: rare enough for the full look.
    if (look_for_eager && plane.kind != PlaneKind::kHost &&
        std::any_of(plane.planes.begin(), plane.planes.end(), concerns)) {
      plan->link_events = true;
      return ReadOutcome::kAgain;
    }
  }
  const Shared shared{layout, options, *plan, file_plan, eager, hlo, look_for_eager};
  std::vector<Worker> workers;
  workers.reserve(sinks.size());
  for (trace::Sink* sink : sinks) workers.emplace_back(shared, sink);
  ReadLanes(file_plan, &workers);
  Findings found;
  for (const Worker& worker : workers) found.Merge(worker.findings());
  if (found.late_header && !plan->thorough_layout) {
    plan->thorough_layout = true;
    return ReadOutcome::kAgain;
  }
  if (found.eager.reaches_op || AnyEventTakes(layout, found.eager, trace::NumberSlots::kAny)) {
    plan->link_events = true;
    return ReadOutcome::kAgain;
  }
  if (!found.disordered.empty()) {
    plan->sort_lanes.insert(found.disordered.begin(), found.disordered.end());
    return ReadOutcome::kAgain;
  }
  const std::string name = MessageName(options);
  Say(found, layout, name, diagnostics);
  SayBrokenStats(found.broken_stats, hlo.broken(), layout, name, diagnostics);
  return ReadOutcome::kDone;
}

std::string MessageName(const ReadOptions& options) { return options.path + (options.unpacked ? " (unpacked)" : ""); }

void Misplaced::Merge(const Misplaced& other) {
  outliers += other.outliers;
  negative += other.negative;
  const auto first = [](std::string* mine, const std::string& theirs) {
    if (!theirs.empty() && (mine->empty() || theirs < *mine)) *mine = theirs;
  };
  first(&first_outlier, other.first_outlier);
  first(&first_negative, other.first_negative);
}

std::string PlaceInWords(std::string_view plane, std::string_view line, int64_t line_id) {
  return fmt::format("plane \"{}\", line \"{}\" ({})", plane, line, line_id);
}

void SayMisplaced(const Misplaced& found, const std::string& path, Diagnostics* diagnostics) {
  if (found.outliers > 0) {
    diagnostics->Add(
        DiagCode::kTimeOutlier,
        fmt::format("{}: events lie years away from the others; they keep their time in their rows but are "
                    "left out of span, busy and idle; first: {}",
                    path, found.first_outlier),
        found.outliers);
  }
  if (found.negative > 0) {
    diagnostics->Add(
        DiagCode::kUnfinishedEvent,
        fmt::format("{}: events have a negative duration and count as never ended, with no time; first: {}", path,
                    found.first_negative),
        found.negative);
  }
}

void SayBrokenEvents(uint64_t count, uint64_t first, const std::string& path, Diagnostics* diagnostics) {
  if (count == 0) return;
  diagnostics->Add(
      DiagCode::kBrokenEvent,
      fmt::format("{}: byte {}: events hold bytes that are no event and were skipped; the others were read; "
                  "copy the file anew or write the profile again",
                  path, first),
      count);
}

void SayBrokenStats(const BrokenStats& stats, const HloModules::Broken& hlo, const Layout& layout,
                    const std::string& path, Diagnostics* diagnostics) {
  if (stats.count > 0) {
    // Not in an order that tells it: merged metadata stands beside the file's bytes.
    const std::string place =
        layout.Holds(stats.first) ? fmt::format("byte {}: ", layout.OffsetOf(stats.first)) : std::string();
    diagnostics->Add(DiagCode::kBrokenEvent,
                     fmt::format("{}: {}stats of events are damaged; the events count, but may go by other names or "
                                 "times; copy the file anew or write the profile again",
                                 path, place),
                     stats.count);
  }
  if (hlo.count > 0) {
    diagnostics->Add(
        DiagCode::kTruncatedInput,
        fmt::format("{}: HLO modules are damaged, so their ops go by other names; first: that of program {}; "
                    "copy the file anew or write the profile again",
                    path, hlo.first_program),
        hlo.count);
  }
}

void DescribeContainer(const Layout& layout, const std::string& path, Diagnostics* diagnostics) {
  if (layout.damage) {
    std::string message =
        fmt::format("{}: byte {}: {}; what came before was read", path, layout.damage->offset, layout.damage->what);
    if (layout.cut_plane && layout.planes.back().event_metadata.entries().empty()) {
      message += " (the names of that plane's events lay behind the cut and are lost)";
    }
    message += "; copy the file anew or write the profile again";
    diagnostics->Add(DiagCode::kTruncatedInput, std::move(message));
  }
  if (layout.bad_metadata > 0) {
    diagnostics->Add(
        DiagCode::kTruncatedInput,
        fmt::format("{}: byte {}: entries that name events or stats, or stats of a plane, are damaged, so ops may "
                    "be missing or without a name; copy the file anew or write the profile again",
                    path, layout.first_bad_metadata),
        layout.bad_metadata);
  }
  const auto say = [&](DiagCode code, std::string_view kind, std::string_view text) {
    diagnostics->Add(code, fmt::format("{}: the profiler reported {}: {}", path, kind, text));
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower.find("drop") != std::string::npos) {
      diagnostics->Add(DiagCode::kEventLimit,
                       fmt::format("{}: events were dropped, so the table is not complete: {}", path, text));
    }
  };
  for (const std::string_view text : layout.errors) say(DiagCode::kProfilerError, "an error", text);
  for (const std::string_view text : layout.warnings) say(DiagCode::kProfilerWarning, "a warning", text);
}

}  // namespace tfprof::xplane
