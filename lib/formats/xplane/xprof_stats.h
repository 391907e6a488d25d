// Stats as XProf's own accessors find them.
//
// XProf has two ways to a stat (reference: xspace.md §1): "get" takes the first whose metadata id equals the id that
// stands inside the named stat metadata; "for each" goes by the metadata's map key, and of several the last one counts.
// Which of the two a rule uses shows where a writer left the inner id out or repeats a stat; `Get` and `Last` are those
// two.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/xplane/layout.h"
#include "trace/event_stream.h"

namespace tfprof::xplane {

using XprofStat = trace::EventStat;

// Reads the stats that matter of one message after the other. One reader serves one plane on one thread.
class XprofStats {
 public:
  // `numbers` kAny: a stat that is a number by its meaning (trace::IsWholeNumber) is one of the int64 slot, or of the
  // uint64 slot if only that holds it, however it was stored; where it holds no number it counts as missing.
  XprofStats(const Plane& plane, const std::vector<XprofStat>& get, const std::vector<XprofStat>& for_each,
             trace::NumberSlots numbers = trace::NumberSlots::kTyped);

  // Forgets the message before. `field`: kEventStats or kMetadataStats.
  void Read(Bytes message, uint32_t field);

  // Null: the message has none.
  const Stat* Get(XprofStat stat) const { return Has(get_found_, stat) ? &get_[Index(stat)] : nullptr; }
  const Stat* Last(XprofStat stat) const { return Has(last_found_, stat) ? &last_[Index(stat)] : nullptr; }
  // How many stats of the second list stood before the one that Last gives.
  uint8_t LastOrder(XprofStat stat) const { return last_order_[Index(stat)]; }
  // What messages need to be read for.
  const StatFilter& filter() const { return filter_; }
  // Messages that had broken stats among those that matter.
  const BrokenStats& broken() const { return broken_; }
  // The messages read so far will be read again.
  void ForgetBroken() { broken_ = {}; }
  // Whether the plane knows a stat of that name at all.
  bool Knows(XprofStat stat) const { return Has(known_, stat); }

 private:
  static constexpr size_t kKinds = static_cast<size_t>(XprofStat::kCount);
  static constexpr uint8_t kNoKind = 0xff;
  static size_t Index(XprofStat stat) { return static_cast<size_t>(stat); }
  static bool Has(uint64_t mask, XprofStat stat) { return (mask >> Index(stat) & 1) != 0; }

  // Kind by metadata id.
  class Table {
   public:
    void Set(int64_t id, XprofStat stat);
    uint8_t Of(int64_t id) const {
      if (static_cast<uint64_t>(id) < dense_.size()) return dense_[static_cast<size_t>(id)];
      if (sparse_.empty()) return kNoKind;
      const auto at = sparse_.find(id);
      return at == sparse_.end() ? kNoKind : at->second;
    }

   private:
    std::vector<uint8_t> dense_;
    std::unordered_map<int64_t, uint8_t> sparse_;
  };

  bool MakeNumber(Stat* stat) const;

  const Plane& plane_;
  uint64_t numbers_ = 0;  // kinds that may stand in any slot
  Table get_table_, last_table_;
  StatFilter filter_;
  uint64_t known_ = 0, get_found_ = 0, last_found_ = 0;
  std::array<Stat, kKinds> get_, last_;
  std::array<uint8_t, kKinds> last_order_;
  BrokenStats broken_;
};

// The stat for who doesn't know its plane; a reference is the text that it refers to.
trace::StatValue ValueOf(const Plane& plane, const Stat& stat);

// First stat of the plane itself by its metadata's inner id, and last by its key.
std::optional<Stat> GetPlaneStat(const Plane& plane, std::string_view name);
std::optional<Stat> LastPlaneStat(const Plane& plane, std::string_view name);

// Texts of stats by number, so that they can be compared and be keys without being read: the same number means the same
// text (not the reverse).
class TextIds {
 public:
  explicit TextIds(const Plane& plane) : plane_(plane) {}

  static constexpr int64_t kNone = -1;
  int64_t Of(const Stat* stat);  // null: kNone
  std::string_view Text(int64_t id) const;

 private:
  static constexpr int64_t kFirstLocal = -2;  // texts that stand in the stats themselves: −2, −3, …

  const Plane& plane_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, int64_t> ids_;
};

}  // namespace tfprof::xplane
