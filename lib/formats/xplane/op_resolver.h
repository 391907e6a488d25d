// Which op an XEvent is: the strict reading of names and stats (design §3 rules 10–13, 17).
//
// One resolver serves one plane of the layout on one thread. What depends on the event metadata alone is worked out once
// per metadata entry; what depends on stats is looked up by their ids in a small table, so that the common event costs
// no text at all.
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
#include "formats/xplane/lane_plan.h"
#include "formats/xplane/layout.h"
#include "formats/xplane/stat_kinds.h"
#include "trace/op_dictionary.h"

namespace tfprof::xplane {

struct ResolvedEvent {
  uint32_t op = trace::Op::kNone;
  bool eager = false;              // as stored in the file; only meaningful when asked for
  bool has_device_time = false;    // TPU: the device's own clock replaces the line's
  int64_t device_start_ps = 0, device_duration_ps = 0;
};

class OpResolver {
 public:
  // `hlo` and `ops` outlive the resolver. `stored_eager`: read `is_eager` stats.
  OpResolver(const Plane& plane, PlaneKind kind, bool stored_eager, HloModules* hlo, trace::OpDictionary* ops);

  ResolvedEvent Resolve(const Event& event) {
    const uint32_t metadata = plane_.event_metadata.IndexOf(event.metadata_id);
    if ((event.stats.empty() || !kinds_.any()) && metadata != MetadataMap::kNone && by_metadata_[metadata] != kUnset) {
      return {.op = by_metadata_[metadata]};
    }
    return ResolveByStats(event, metadata);
  }
  // The stats that Resolve looks at.
  const StatFilter& filter() const { return kinds_.filter(); }

  // HLO instructions (program, name) whose module is not in the file.
  const std::set<std::pair<uint64_t, std::string>>& unresolved_hlo() const { return unresolved_hlo_; }

 private:
  static constexpr uint32_t kUnset = 0xfffffffe;
  static constexpr int64_t kNoText = -1;

  // The stats that decide about an event's op. Texts are ids: of a stat metadata (ref), or of local_texts_ (kLocal).
  struct Deciding {
    int64_t tf_op = kNoText, hlo_op = kNoText, level0 = kNoText, annotation = kNoText;
    int64_t stage_id = kNoText, stage_category = kNoText, hlo_category = kNoText;
    uint64_t program_id = 0;
    bool has_program = false;
  };
  // The op of each combination of a metadata index and deciding stats that was seen: an open-addressing table. A key is
  // its first two words, which are all of the common one (a metadata index, one stat), and further words kept end to end.
  class Combinations {
   public:
    Combinations() : slots_(64) {}
    // The op remembered for these words (at least two); kUnset: none yet, call Remember.
    uint32_t Find(const uint64_t* words, size_t count) const { return slots_[Probe(words, count)].op; }
    void Remember(const uint64_t* words, size_t count, uint32_t op);

   private:
    struct Slot {
      uint64_t first = 0, second = 0;
      uint32_t more_at = 0, more = 0;  // further words, in words_
      uint32_t op = kUnset;
    };
    size_t Probe(const uint64_t* words, size_t count) const {
      uint64_t hash = (words[0] ^ (words[1] * 0x9e3779b97f4a7c15u)) * 0xd6e8feb86659fd93u;
      for (size_t i = 2; i < count; ++i) hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
      for (size_t at = hash >> 32;; ++at) {
        at &= slots_.size() - 1;
        const Slot& slot = slots_[at];
        if (slot.op == kUnset) return at;
        if (slot.first == words[0] && slot.second == words[1] && slot.more == count - 2 &&
            (slot.more == 0 || std::equal(words + 2, words + count, words_.data() + slot.more_at))) {
          return at;
        }
      }
    }
    std::vector<Slot> slots_;
    std::vector<uint64_t> words_;
    size_t used_ = 0;
  };
  static constexpr size_t kMaxWords = 16;
  static constexpr size_t kTooMany = kMaxWords + 1;  // more deciding stats than that: the event is looked up anew

  // Reads the stats that matter: makes the key in `words` (words[0] holds the metadata index already) and fills `event`.
  // The number of words (0: no stat decides), or kTooMany.
  size_t ReadStats(Bytes stats, uint64_t* words, ResolvedEvent* event);
  bool ResolveSingleStat(Bytes stats, uint32_t metadata, ResolvedEvent* event) const;
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
  std::vector<uint32_t> by_metadata_;      // op of events without deciding stats, by metadata index
  std::vector<Deciding> metadata_stats_;   // stats of the metadata itself (device planes), by metadata index
  std::vector<bool> metadata_stats_read_;
  Combinations combinations_;
  std::vector<std::string> local_texts_;   // texts stored in the events themselves
  std::unordered_map<std::string, int64_t> local_ids_;
  std::set<std::pair<uint64_t, std::string>> unresolved_hlo_;
};

}  // namespace tfprof::xplane
