// Which op an XEvent is: the strict reading of names and stats (design §3 rules 10–13, 17).
//
// One resolver serves one plane of the layout on one thread. What depends on the event metadata alone is worked out
// once per metadata entry; what depends on stats is looked up by their ids in a small table, so that the common event
// costs no text at all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/xplane/event.h"
#include "formats/xplane/hlo.h"
#include "formats/xplane/known_ops.h"
#include "formats/xplane/lane_plan.h"
#include "formats/xplane/layout.h"
#include "formats/xplane/stat_kinds.h"
#include "trace/op_dictionary.h"

namespace tfprof::xplane {

struct ResolvedEvent {
  uint32_t op = trace::Op::kNone;
  bool broken = false;           // a stat that was looked at is: the next event like it must be told of too
  bool eager = false;            // as stored in the file; only meaningful when asked for
  bool has_device_time = false;  // TPU: the device's own clock replaces the line's
  int64_t device_start_ps = 0, device_duration_ps = 0;
};

class OpResolver {
 public:
  // `hlo` and `ops` outlive the resolver. `stored_eager`: read `is_eager` stats.
  OpResolver(const Plane& plane, PlaneKind kind, bool stored_eager, HloModules* hlo, trace::OpDictionary* ops);

  ResolvedEvent Resolve(const Event& event);

  // The ops of up to `n` events of a block from `first` on that are like ones that Resolve has seen: without stats to
  // look at, or with a single short one. How many, up to the first that isn't like any or has a time of its own.
  size_t KnownOps(const EventBlock& block, size_t first, size_t n, uint32_t* ops, uint8_t* eager) const {
    const uint32_t* const by_key = by_key_.data();
    const uint64_t keys = by_key_.size();
    const bool any_stats = kinds_.any();
    for (size_t i = 0; i < n; ++i) {
      const auto id = static_cast<uint64_t>(block.metadata_id[first + i]);
      uint32_t op = kUnknownOp;
      eager[i] = 0;
      if (!any_stats || block.stats[first + i].empty()) {
        if (id < keys) op = by_key[id];
      } else {
        const KnownStats::Slot& slot = known_stats_.Find(KnownStats::KeyOf(id, block.stats[first + i]));
        op = slot.op;
        eager[i] = slot.eager;
      }
      if (op == kUnknownOp) return i;
      ops[i] = op;
    }
    return n;
  }
  // The stats that Resolve looks at.
  const StatFilter& filter() const { return kinds_.filter(); }

  // Events, and names of events, with broken stats among those that Resolve looks at.
  const BrokenStats& broken_stats() const { return broken_stats_; }

  // HLO instructions (program, name) whose module is not in the file.
  const std::set<std::pair<uint64_t, std::string>>& unresolved_hlo() const { return unresolved_hlo_; }

 private:
  static constexpr int64_t kNoText = -1;

  // The stats that decide about an event's op. Texts are ids: of a stat metadata (ref), or of local_texts_ (kLocal).
  struct Deciding {
    int64_t tf_op = kNoText, hlo_op = kNoText, level0 = kNoText, annotation = kNoText;
    int64_t stage_id = kNoText, stage_category = kNoText, hlo_category = kNoText;
    uint64_t program_id = 0;
    bool has_program = false;
  };
  static constexpr size_t kMaxWords = 16;
  static constexpr size_t kTooMany = kMaxWords + 1;  // more deciding stats than that: the event is looked up anew

  // Reads the stats that matter: makes the key in `words` (words[0] holds the metadata index already) and fills
  // `event`. The number of words (0: no stat decides), or kTooMany.
  size_t ReadStats(Bytes stats, uint64_t* words, ResolvedEvent* event);
  ResolvedEvent ResolveByStats(const Event& event, uint32_t metadata);
  uint32_t LookupFromStats(uint32_t metadata, Bytes stats);
  void Take(StatKind kind, const Stat& stat, Deciding* out, ResolvedEvent* event);
  int64_t TextId(const Stat& stat);
  std::string_view Text(int64_t id) const;
  uint32_t Lookup(uint32_t metadata, const Deciding& stats);
  uint32_t Decide(std::string_view event_name, std::string_view display_name, const Deciding& stats);
  uint32_t DecideHost(std::string_view event_name, const Deciding& stats);
  uint32_t DecideDevice(std::string_view event_name, std::string_view display_name, const Deciding& stats);
  std::string FrameworkName(const Deciding& stats, std::string_view* hlo_type);

  const Plane& plane_;
  const PlaneKind kind_;
  const StatKinds kinds_;
  HloModules* hlo_;
  trace::OpDictionary* ops_;
  std::vector<uint32_t> by_metadata_;  // op of events without deciding stats, by metadata index
  std::vector<uint32_t> by_key_;       // the same for Known, by metadata id
  KnownStats known_stats_;
  std::vector<Deciding> metadata_stats_;  // stats of the metadata itself (device planes), by metadata index
  std::vector<bool> metadata_stats_read_;
  Combinations combinations_;
  std::vector<std::string> local_texts_;  // texts stored in the events themselves
  std::unordered_map<std::string, int64_t> local_ids_;
  std::set<std::pair<uint64_t, std::string>> unresolved_hlo_;
  BrokenStats broken_stats_;
};

}  // namespace tfprof::xplane
