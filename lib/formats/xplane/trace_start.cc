#include "formats/xplane/trace_start.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "formats/xplane/event_scan.h"
#include "formats/xplane/lane_plan.h"
#include "trace/event_stream.h"

namespace tfprof::xplane {
namespace {

constexpr uint64_t kWorthAThread = uint64_t{1} << 20;  // bytes

struct Piece {
  const Line* line;
  int64_t start_ps;
};

// Where an event tells when it ran on the device, that counts.
bool TellsDeviceTime(const Plane& plane) {
  const auto& entries = plane.stat_metadata.entries();
  return std::any_of(entries.begin(), entries.end(), [](const Metadata& m) {
    return m.name == trace::EventStatName(trace::EventStat::kDeviceOffset);
  });
}

struct Found {
  std::optional<int64_t> start_ps;
  bool late_header = false;
};

Found EarliestOf(const Layout& layout, const ReadOptions& options, const std::vector<Piece>& pieces,
                 std::atomic<size_t>* next) {
  Found found;
  EventScan scan(layout, options.on_done, options.cancelled);
  const StatFilter no_stats;
  for (size_t i = (*next)++; i < pieces.size() && !scan.Cancelled(); i = (*next)++) {
    const int64_t line_ps = pieces[i].start_ps;
    scan.ForEach(*pieces[i].line, &no_stats, true, [&](const Event& event, uint64_t) {
      int64_t start_ps = 0, end_ps = 0;
      if (event.duration_ps < 0 || event.num_occurrences > 0 ||
          __builtin_add_overflow(line_ps, event.offset_ps, &start_ps) ||
          __builtin_add_overflow(start_ps, event.duration_ps, &end_ps)) {
        return;
      }
      found.start_ps = std::min(found.start_ps.value_or(INT64_MAX), start_ps);
    });
  }
  found.late_header = scan.late_header();
  return found;
}

}  // namespace

TraceStart FindTraceStart(const Layout& layout, const ReadOptions& options, unsigned threads) {
  std::vector<Piece> pieces;
  uint64_t bytes = 0;
  for (const PlanePlan& plane : PlanLanes(layout).planes) {
    for (const LanePlan& lane : plane.lanes) {
      if (lane.role == trace::Role::kView || lane.role == trace::Role::kOther) continue;
      for (const LanePiece& piece : lane.pieces) {
        const Plane& of = layout.planes[piece.plane];
        if (TellsDeviceTime(of)) return {};
        if (!piece.out_of_time) pieces.push_back({&of.lines[piece.line], piece.start_ps});
        bytes += of.lines[piece.line].body.size();
      }
    }
  }
  std::vector<Found> found(bytes < kWorthAThread ? 1 : std::max(1u, threads));
  std::atomic<size_t> next{0};
  const auto work = [&](size_t i) { found[i] = EarliestOf(layout, options, pieces, &next); };
  std::vector<std::thread> others;
  try {
    for (size_t i = 1; i < found.size(); ++i) others.emplace_back(work, i);
  } catch (const std::system_error&) {
    // The machine has no more threads to give: those there are do all.
  }
  work(0);
  for (std::thread& other : others) other.join();
  TraceStart start;
  if (options.cancelled != nullptr && *options.cancelled) return start;
  for (const Found& part : found) {
    start.late_header = start.late_header || part.late_header;
    if (part.start_ps) start.start_ps = std::min(start.start_ps.value_or(INT64_MAX), *part.start_ps);
  }
  if (!start.start_ps) start.start_ps = 0;
  return start;
}

}  // namespace tfprof::xplane
