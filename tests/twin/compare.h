// Holds the fast reader of XSpaces against the slow one, libprotobuf with schemas/xplane.proto, over the same bytes.
#pragma once

#include <string>
#include <string_view>

namespace tfprof::twin {

enum class Verdict {
  kEqual,     // both read the same planes, lines, events, stats and texts
  kDiffers,   // `what` tells where
  kNoXSpace,  // libprotobuf refuses the bytes; the fast reader only had to survive them
};

struct Comparison {
  Verdict verdict = Verdict::kEqual;
  std::string what;
};

// Reads `bytes` in every way that the fast reader has (heads only and thorough, events one by one and in blocks, with a
// filter of stats) and compares all of it with libprotobuf's messages. Two known differences show on damaged bytes only, in
// about one variant of 100,000: libprotobuf cuts a tag to 32 bits where the fast reader calls it broken, and it merges two
// values of one map entry where the fast reader takes the last.
Comparison CompareReaders(std::string_view bytes);

}  // namespace tfprof::twin
