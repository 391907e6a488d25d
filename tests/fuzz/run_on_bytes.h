// Runs the whole program on bytes in memory, for the fuzz targets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tfprof::fuzz {

// The first two bytes choose command and flags, the rest is the input, `head` before it. Aborts when the answer breaks its
// contract: an exit status of its own, a whole JSON document without NaN, valid UTF-8.
void RunOnBytes(const uint8_t* data, size_t size, const char* head);

}  // namespace tfprof::fuzz
