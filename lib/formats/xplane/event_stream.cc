#include "formats/xplane/event_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/xplane/derived_line.h"
#include "formats/xplane/event.h"
#include "formats/xplane/event_scan.h"
#include "formats/xplane/grouping.h"
#include "formats/xplane/hlo.h"
#include "formats/xplane/lane_plan.h"
#include "formats/xplane/thread_pool.h"
#include "formats/xplane/xprof_planes.h"
#include "formats/xplane/xprof_stats.h"
#include "trace/owner.h"

namespace tfprof::xplane {
namespace {

using trace::EventSink;
using trace::EventStat;
using trace::StatValue;
using trace::StreamEvent;
using trace::StreamLine;
using trace::StreamPlane;
using trace::StreamPlaneKind;

// The stats of the event at hand; read when a sink first asks for one.
class Stats : public trace::EventStats {
 public:
  Stats(const Plane& plane, const std::vector<EventStat>& wanted, trace::NumberSlots numbers, HloModules* hlo)
      : plane_(plane), stats_(plane, wanted, wanted, numbers), hlo_(*hlo) {}

  void Point(const Event& event) {
    message_ = event.stats;
    read_ = false;
  }
  const StatFilter& filter() const { return stats_.filter(); }
  const BrokenStats& broken() const { return stats_.broken(); }
  bool Knows(EventStat stat) const { return stats_.Knows(stat); }

  StatValue First(EventStat stat) const override { return Value(Reading().Get(stat)); }
  StatValue Last(EventStat stat) const override { return Value(Reading().Last(stat)); }
  EventStat LatestOf(std::initializer_list<EventStat> among) const override {
    EventStat latest = EventStat::kCount;
    int order = -1;
    for (const EventStat stat : among) {
      if (Reading().Last(stat) == nullptr || stats_.LastOrder(stat) <= order) continue;
      latest = stat;
      order = stats_.LastOrder(stat);
    }
    return latest;
  }
  trace::HloOrigin Hlo() const override {
    trace::HloOrigin origin;
    const Stat* text = Reading().Last(EventStat::kHloOp);
    if (text == nullptr) return origin;
    origin.named = true;
    origin.instruction = trace::LastHloOp(plane_.Text(*text));
    const Stat* program = stats_.Last(EventStat::kProgramId);
    if (program == nullptr) return origin;
    origin.program = program->int_or_uint();
    const HloInstruction* found = hlo_.Find(origin.program, origin.instruction);
    if (found == nullptr) return origin;
    origin.found = true;
    origin.opcode = found->opcode;
    origin.op_name = found->op_name;
    origin.op_type = found->op_type;
    return origin;
  }

 private:
  const XprofStats& Reading() const {
    if (!read_) stats_.Read(message_, kEventStats);
    read_ = true;
    return stats_;
  }
  StatValue Value(const Stat* stat) const { return stat == nullptr ? StatValue() : ValueOf(plane_, *stat); }

  const Plane& plane_;
  mutable XprofStats stats_;
  HloModules& hlo_;
  mutable bool read_ = false;
  Bytes message_;
};

// Planes by name, in file order: they are pieces of one.
using PlanesByName = std::unordered_map<std::string_view, std::vector<const Plane*>>;

// Strictly a stat of the plane may stand in any of its pieces; its own counts first.
StreamPlane DescribePlane(const Plane& plane, uint32_t index, const PlanesByName& pieces) {
  StreamPlane out;
  out.index = index;
  out.name = plane.name;
  out.sparse_core = IsSparseCoreName(plane.name);
  out.on_device = plane.name.starts_with("/device:");
  if (plane.name == "/host:CPU") out.kind = StreamPlaneKind::kHost;
  if (plane.name.starts_with("/device:GPU:")) out.kind = StreamPlaneKind::kGpu;
  if (plane.name.starts_with("/device:TPU:")) out.kind = StreamPlaneKind::kTpu;
  const auto same = pieces.find(plane.name);
  const std::vector<const Plane*>* others = same == pieces.end() ? nullptr : &same->second;
  out.stat = [&plane, others](std::string_view name) {
    if (const std::optional<Stat> stat = LastPlaneStat(plane, name)) return ValueOf(plane, *stat);
    for (size_t i = 0; others != nullptr && i < others->size(); ++i) {
      const Plane& piece = *(*others)[i];
      if (const std::optional<Stat> stat = LastPlaneStat(piece, name)) return ValueOf(piece, *stat);
    }
    return StatValue();
  };
  out.knows_stat = [&plane](std::string_view name) {
    const auto& entries = plane.stat_metadata.entries();
    return std::any_of(entries.begin(), entries.end(), [&](const Metadata& m) { return m.name == name; });
  };
  return out;
}

// Reads lines of one plane for the sinks that want something of it.
class PlaneStreamer {
 public:
  PlaneStreamer(const Layout& layout, const Grouping& grouping, const StreamPlane& described,
                const std::map<std::pair<uint32_t, uint32_t>, LanePiece>& starts, std::vector<EventSink*> sinks,
                trace::NumberSlots numbers, HloModules* hlo, EventScan* scan, Misplaced* misplaced)
      : plane_(layout.planes[described.index]),
        described_(described),
        grouping_(grouping),
        starts_(starts),
        sinks_(std::move(sinks)),
        scan_(*scan),
        misplaced_(*misplaced),
        stats_(plane_, WantedStats(), numbers, hlo),
        knows_step_names_(stats_.Knows(EventStat::kStepName)) {
    const auto& entries = plane_.event_metadata.entries();
    kinds_.resize(sinks_.size() * (entries.size() + 1));
    wanted_.resize(entries.size() + 1);
    for (size_t name = 0; name <= entries.size(); ++name) {
      for (size_t s = 0; s < sinks_.size(); ++s) {
        const uint32_t kind = sinks_[s]->Classify(name < entries.size() ? entries[name].name : std::string_view{});
        kinds_[name * sinks_.size() + s] = kind;
        wanted_[name] = wanted_[name] || kind != EventSink::kSkip;
      }
    }
  }

  // The lines from one to before another.
  void Run(uint32_t from, uint32_t to) {
    const bool may_sort = !grouping_.already_grouped && NamesThreadPoolRegions(plane_);
    for (uint32_t l = from; l < to && !scan_.Cancelled(); ++l) {
      const Line& line = plane_.lines[l];
      const StreamLine described{l, line.id, line.name, line.timestamp_ns, IsDerivedLineId(line.id)};
      open_.clear();
      for (size_t s = 0; s < sinks_.size(); ++s) {
        if (sinks_[s]->BeginLine(described)) open_.push_back(s);
      }
      if (open_.empty()) continue;
      ReadLine(l, may_sort && HasThreadPoolRegion(plane_, line, &scan_));
      for (const size_t s : open_) sinks_[s]->EndLine();
    }
    scan_.NoteBrokenStats(stats_.broken());
  }

 private:
  std::vector<EventStat> WantedStats() const {
    std::vector<EventStat> all = {EventStat::kGroupId, EventStat::kStepName};
    for (const EventSink* sink : sinks_) {
      const std::vector<EventStat> stats = sink->Stats(described_);
      all.insert(all.end(), stats.begin(), stats.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  void ReadLine(uint32_t index, bool sorted) {
    const Line& line = plane_.lines[index];
    const auto place = starts_.find({described_.index, index});
    const std::vector<int64_t>* groups = grouping_.GroupsOf(described_.index, index);
    const auto names = grouping_.step_names.find({described_.index, index});
    const auto& entries = plane_.event_metadata.entries();
    ForEachInXprofOrder(line, &stats_.filter(), sorted, &scan_, [&](const Event& event, uint64_t ordinal) {
      const uint32_t index_of_name = plane_.event_metadata.IndexOf(event.metadata_id);
      const size_t name = index_of_name == MetadataMap::kNone ? entries.size() : index_of_name;
      if (!wanted_[name]) return;
      StreamEvent out;
      if (name < entries.size()) out.name = entries[name].name;
      out.name_id = static_cast<uint32_t>(name);
      out.ordinal = ordinal;
      out.offset_ps = event.offset_ps;
      out.duration_ps = event.duration_ps;
      out.begin_ps = WrappingBegin(line, event);
      out.end_ps = WrappingEnd(line, event);
      out.timed = place != starts_.end() && !place->second.out_of_time && event.num_occurrences == 0 &&
                  event.duration_ps >= 0 &&
                  !__builtin_add_overflow(place->second.start_ps, event.offset_ps, &out.start_ps);
      if (!out.timed) NoteMisplaced(line, event);
      out.occurrences = event.num_occurrences > 0 ? static_cast<uint64_t>(event.num_occurrences) : 0;
      stats_.Point(event);
      if (groups != nullptr && ordinal < groups->size()) out.group = (*groups)[ordinal];
      if (out.group == kNoGroup) {
        const StatValue stored = stats_.First(EventStat::kGroupId);
        if (stored) out.group = stored.int64_only();
      }
      if (names != grouping_.step_names.end()) {
        const auto own = names->second.find(static_cast<uint32_t>(ordinal));
        if (own != names->second.end()) out.step_name = own->second;
      }
      if (out.step_name.empty() && knows_step_names_) out.step_name = stats_.Last(EventStat::kStepName).text;
      out.stats = &stats_;
      for (const size_t s : open_) {
        const uint32_t kind = kinds_[name * sinks_.size() + s];
        if (kind != EventSink::kSkip) sinks_[s]->Add(out, kind);
      }
    });
  }

  void NoteMisplaced(const Line& line, const Event& event) {
    if (event.num_occurrences > 0 || IsDerivedLineId(line.id)) return;
    const auto place = [&] { return PlaceInWords(plane_.name, line.name, line.id); };
    if (event.duration_ps < 0) {
      misplaced_.AddNegative(place);
    } else {
      misplaced_.AddOutlier(place);
    }
  }

  const Plane& plane_;
  const StreamPlane& described_;
  const Grouping& grouping_;
  const std::map<std::pair<uint32_t, uint32_t>, LanePiece>& starts_;
  const std::vector<EventSink*> sinks_;
  EventScan& scan_;
  Misplaced& misplaced_;
  Stats stats_;
  const bool knows_step_names_;
  std::vector<uint32_t> kinds_;  // by name, then by sink; the last name is that of events without metadata
  std::vector<bool> wanted_;     // by name: by any sink
  std::vector<size_t> open_;     // sinks that want the line
};

// A part of a plane's lines that makes up for a thread, in bytes.
constexpr uint64_t kWorthAThread = uint64_t{2} << 20;

// Where the lines begin that each of several threads reads, and the end: of like sizes, one after the other.
std::vector<uint32_t> CutLines(const Plane& plane, unsigned threads) {
  uint64_t total = 0, before = 0;
  for (const Line& line : plane.lines) total += line.body.size();
  const uint64_t parts = std::clamp<uint64_t>(total / kWorthAThread, 1, std::max(1u, threads));
  std::vector<uint32_t> cuts = {0};
  for (uint32_t l = 0; l < plane.lines.size(); ++l) {
    if (l > cuts.back() && before >= total / parts * cuts.size() && cuts.size() < parts) cuts.push_back(l);
    before += plane.lines[l].body.size();
  }
  cuts.push_back(static_cast<uint32_t>(plane.lines.size()));
  return cuts;
}

// What one more thread needs to read lines of a plane.
struct Fork {
  Fork(const Layout& layout, const ReadOptions& options) : scan(layout, options.on_done, options.cancelled) {}

  // False: a sink can't be forked.
  bool Take(const std::vector<EventSink*>& from) {
    for (const EventSink* sink : from) {
      owned.push_back(sink->Fork());
      if (owned.back() == nullptr) return false;
      sinks.push_back(owned.back().get());
    }
    return true;
  }

  std::vector<std::unique_ptr<EventSink>> owned;
  std::vector<EventSink*> sinks;
  EventScan scan;
  Misplaced misplaced;
};

// Of parts in order: the first place is that of the first part that has one.
void AppendMisplaced(const Misplaced& part, Misplaced* all) {
  if (all->outliers == 0) all->first_outlier = part.first_outlier;
  if (all->negative == 0) all->first_negative = part.first_negative;
  all->outliers += part.outliers;
  all->negative += part.negative;
}

}  // namespace

ReadOutcome StreamEvents(const Layout& layout, const ReadOptions& options, uint32_t file_index,
                         const EventStreamOptions& wanted, std::span<EventSink* const> sinks, ReadPlan* plan,
                         Diagnostics* diagnostics) {
  GroupingNeeds needs;
  needs.eager = false;
  needs.gpu_groups = needs.tpu_groups = wanted.device_groups;
  needs.host_groups = wanted.host_groups;
  needs.numbers = wanted.numbers;
  const Grouping grouping = ReadGrouping(layout, needs);
  std::map<std::pair<uint32_t, uint32_t>, LanePiece> starts;
  const FilePlan file_plan = PlanLanes(layout);
  for (const PlanePlan& plane : file_plan.planes) {
    for (const LanePlan& lane : plane.lanes) {
      for (const LanePiece& piece : lane.pieces) starts[{piece.plane, piece.line}] = piece;
    }
  }
  PlanesByName pieces;
  for (size_t p = 0; wanted.numbers == trace::NumberSlots::kAny && p < layout.planes.size(); ++p) {
    if (!layout.planes[p].stats.empty()) pieces[layout.planes[p].name].push_back(&layout.planes[p]);
  }
  std::vector<StreamPlane> planes;
  for (uint32_t p = 0; p < layout.planes.size(); ++p) planes.push_back(DescribePlane(layout.planes[p], p, pieces));

  trace::StreamFile file;
  file.path = options.path;
  file.host = options.host;
  file.index = file_index;
  file.trace_start_ps = wanted.trace_start_ps;
  file.already_grouped = grouping.already_grouped;
  file.planes = planes;
  file.errors = layout.errors;
  file.warnings = layout.warnings;
  for (EventSink* sink : sinks) sink->BeginFile(file);
  HloModules hlo(layout);
  EventScan scan(layout, options.on_done, options.cancelled);
  Misplaced misplaced;
  for (const StreamPlane& plane : planes) {
    std::vector<EventSink*> interested;
    for (EventSink* sink : sinks) {
      if (sink->BeginPlane(plane)) interested.push_back(sink);
    }
    if (interested.empty()) continue;
    const auto streamer = [&](const std::vector<EventSink*>& to, EventScan* with, Misplaced* noted) {
      return PlaneStreamer(layout, grouping, plane, starts, to, wanted.numbers, &hlo, with, noted);
    };
    PlaneStreamer first = streamer(interested, &scan, &misplaced);
    std::vector<uint32_t> cuts = CutLines(layout.planes[plane.index], wanted.threads);
    std::deque<Fork> forks;
    while (forks.size() + 2 < cuts.size()) {
      if (forks.emplace_back(layout, options).Take(interested)) continue;
      forks.clear();
      cuts = {0, cuts.back()};
    }
    std::vector<std::thread> threads;
    for (size_t i = 0; i < forks.size(); ++i) {
      const auto read = [&, i] {
        streamer(forks[i].sinks, &forks[i].scan, &forks[i].misplaced).Run(cuts[i + 1], cuts[i + 2]);
      };
      try {
        threads.emplace_back(read);
      } catch (const std::system_error&) {
        read();  // the machine has no more threads to give
      }
    }
    first.Run(0, cuts[1]);
    for (std::thread& thread : threads) thread.join();
    for (Fork& fork : forks) {
      for (size_t s = 0; s < interested.size(); ++s) interested[s]->Join(std::move(*fork.sinks[s]));
      scan.Merge(fork.scan);
      AppendMisplaced(fork.misplaced, &misplaced);
    }
    for (EventSink* sink : interested) sink->EndPlane();
  }
  for (EventSink* sink : sinks) sink->EndFile();
  if (scan.late_header() && !plan->thorough_layout) {
    plan->thorough_layout = true;
    return ReadOutcome::kAgain;
  }
  const std::string name = MessageName(options);
  if (wanted.tell_misplaced) SayMisplaced(misplaced, name, diagnostics);
  SayBrokenEvents(scan.bad_events(), scan.first_bad_at().value_or(0), name, diagnostics);
  SayBrokenStats(scan.broken_stats(), hlo.broken(), layout, name, diagnostics);
  if (scan.broken_at() && !layout.damage) {
    diagnostics->Add(DiagCode::kTruncatedInput,
                     fmt::format("{}: byte {}: a line holds bytes that are no event; the events before it were read; "
                                 "copy the file anew or write the profile again",
                                 name, *scan.broken_at()));
  }
  return ReadOutcome::kDone;
}

bool HasEvents(const Layout& layout) {
  for (const Plane& plane : layout.planes) {
    for (const Line& line : plane.lines) {
      Event event;
      if (EventCursor(line.body).Next(&event)) return true;
    }
  }
  return false;
}

}  // namespace tfprof::xplane
