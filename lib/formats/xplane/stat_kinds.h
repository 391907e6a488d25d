// From a stat's metadata id to what it means, for the few stats that a reader looks at.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/xplane/layout.h"

namespace tfprof::xplane {

// Names as in files (reference: xspace.md §6).
enum class StatKind : uint8_t {
  kIgnored,
  kTfOp,
  kHloOp,
  kHloCategory,
  kProgramId,
  kLevel0,
  kAnnotation,
  kIsEager,
  kStageId,
  kStageCategory,
  kDeviceOffset,
  kDeviceDuration,
};

// Stats are found by map key, as XProf's "for each stat" does.
class StatKinds {
 public:
  StatKinds(const Plane& plane, std::initializer_list<std::pair<std::string_view, StatKind>> wanted) {
    for (const Metadata& entry : plane.stat_metadata.entries()) {
      for (const auto& [name, kind] : wanted) {
        if (entry.name == name && kind != StatKind::kIgnored) Set(entry.key, kind);
      }
    }
  }

  bool any() const { return any_; }
  // Lets readers pass over the stats of no kind.
  const StatFilter& filter() const { return filter_; }
  bool Has(StatKind kind) const { return (present_ >> static_cast<int>(kind) & 1) != 0; }
  StatKind Of(int64_t metadata_id) const {
    if (static_cast<uint64_t>(metadata_id) < dense_.size()) return dense_[static_cast<size_t>(metadata_id)];
    if (sparse_.empty()) return StatKind::kIgnored;
    const auto at = sparse_.find(metadata_id);
    return at == sparse_.end() ? StatKind::kIgnored : at->second;
  }

 private:
  void Set(int64_t key, StatKind kind) {
    any_ = true;
    present_ |= 1u << static_cast<int>(kind);
    filter_.Want(key);
    if (key >= 0 && key < 65'536) {
      if (static_cast<size_t>(key) >= dense_.size()) dense_.resize(static_cast<size_t>(key) + 1, StatKind::kIgnored);
      dense_[static_cast<size_t>(key)] = kind;
    } else {
      sparse_[key] = kind;
    }
  }

  StatFilter filter_;
  std::vector<StatKind> dense_;
  std::unordered_map<int64_t, StatKind> sparse_;
  uint32_t present_ = 0;
  bool any_ = false;
};

}  // namespace tfprof::xplane
