// The ops of one plane, numbered from 0 in order of first appearance.
//
// One thread adds; another may read what was added before a batch that it received (elements never move, the size is
// published last), so that decoding and counting of one long lane can run side by side.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

namespace tfprof::trace {

// Who an event belongs to.
struct Op {
  static constexpr uint32_t kNone = 0xffffffff;  // the event is no op: it has no row and is transparent for nesting

  std::string type;
  std::string name;
  std::string kernel;      // device: name of the kernel or HLO instruction; host: ""
  bool attributed = true;  // device: false when no framework op claims the kernel (type Unknown)
};

class OpDictionary {
 public:
  OpDictionary() : index_(16, Hash{this}, Equal{this}) {}
  OpDictionary(const OpDictionary&) = delete;
  OpDictionary& operator=(const OpDictionary&) = delete;

  // The number of this op; added when it is new.
  uint32_t Intern(Op op) {
    const auto known = index_.find(op);
    if (known != index_.end()) return *known;
    const uint32_t id = size_.load(std::memory_order_relaxed);
    const Slot slot = SlotOf(id);
    if (chunks_[slot.chunk] == nullptr) chunks_[slot.chunk] = std::make_unique<Op[]>(kFirst << slot.chunk);
    chunks_[slot.chunk][slot.index] = std::move(op);
    index_.insert(id);
    size_.store(id + 1, std::memory_order_release);
    return id;
  }

  const Op& operator[](uint32_t id) const {
    const Slot slot = SlotOf(id);
    return chunks_[slot.chunk][slot.index];
  }
  uint32_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  static constexpr uint32_t kFirst = 64;  // ops in the first chunk; each next one holds twice as many
  struct Slot {
    uint32_t chunk, index;
  };
  static Slot SlotOf(uint32_t id) {
    const uint64_t at = uint64_t{id} + kFirst;
    const auto chunk = static_cast<uint32_t>(std::bit_width(at) - std::bit_width(uint64_t{kFirst}));
    return {chunk, static_cast<uint32_t>(at - (uint64_t{kFirst} << chunk))};
  }
  struct Hash {
    using is_transparent = void;
    const OpDictionary* dictionary;
    size_t operator()(uint32_t id) const { return (*this)((*dictionary)[id]); }
    size_t operator()(const Op& op) const {
      const std::hash<std::string_view> hash;
      return (hash(op.type) * 31 + hash(op.name)) * 31 + hash(op.kernel);
    }
  };
  struct Equal {
    using is_transparent = void;
    const OpDictionary* dictionary;
    bool operator()(uint32_t a, uint32_t b) const { return a == b; }
    bool operator()(const Op& a, uint32_t b) const {
      const Op& o = (*dictionary)[b];
      return a.type == o.type && a.name == o.name && a.kernel == o.kernel && a.attributed == o.attributed;
    }
    bool operator()(uint32_t a, const Op& b) const { return (*this)(b, a); }
  };

  std::array<std::unique_ptr<Op[]>, 27> chunks_;
  std::atomic<uint32_t> size_{0};
  std::unordered_set<uint32_t, Hash, Equal> index_;
};

}  // namespace tfprof::trace
