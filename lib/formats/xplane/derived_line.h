// Lines that a reader made out of others, by their reserved ids (reference: xspace.md §5).
#pragma once

#include <cstdint>

namespace tfprof::xplane {

// The ids begin at 0xDEADBEEF and are held in an int by their writers: only the low 32 bits count, whatever the sign.
inline constexpr uint32_t kFirstDerivedLineId = 0xDEADBEEF;
inline constexpr uint32_t kDerivedLineIds = 406;

inline bool IsDerivedLineId(int64_t id) { return static_cast<uint32_t>(id) - kFirstDerivedLineId < kDerivedLineIds; }

}  // namespace tfprof::xplane
