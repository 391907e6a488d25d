// What to do about an iterator of tf.data that training waits for.
#pragma once

#include <string>
#include <string_view>

namespace tfprof::analyze {

// One sentence; `name` is the iterator's, without those above it (`ParallelMapV2`).
std::string TfDataAdvice(std::string_view name);

}  // namespace tfprof::analyze
