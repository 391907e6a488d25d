#include "formats/xplane/known_ops.h"

namespace tfprof::xplane {

void KnownStats::Remember(const Key& key, uint32_t op, bool eager) {
  if (key.stat == 0 || op == kUnknownOp) return;
  if ((used_ + 1) * 2 > slots_.size()) {
    if (slots_.size() == kMostSlots) return;
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.op != kUnknownOp) const_cast<Slot&>(Find(slot.key)) = slot;
    }
  }
  Slot& slot = const_cast<Slot&>(Find(key));
  used_ += slot.op == kUnknownOp;
  slot = {key, op, eager};
}

void Combinations::Remember(const uint64_t* words, size_t count, uint32_t op) {
  if (++used_ * 2 > slots_.size()) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    std::vector<uint64_t> key;
    for (const Slot& slot : old) {
      if (slot.op == kUnknownOp) continue;
      key = {slot.first, slot.second};
      key.insert(key.end(), words_.begin() + slot.more_at, words_.begin() + slot.more_at + slot.more);
      slots_[Probe(key.data(), key.size())] = slot;
    }
  }
  slots_[Probe(words, count)] = {words[0], words[1], static_cast<uint32_t>(words_.size()),
                                 static_cast<uint32_t>(count - 2), op};
  words_.insert(words_.end(), words + 2, words + count);
}

}  // namespace tfprof::xplane
