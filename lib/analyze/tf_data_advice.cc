#include "analyze/tf_data_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tfprof::analyze {
namespace {

template <size_t N>
bool IsAmong(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// `BatchV2` → `Batch`.
std::string_view WithoutVersion(std::string_view name) {
  const size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits == 0 || digits + 1 == name.size() || name[digits] != 'V') return name;
  return name.substr(0, digits);
}

}  // namespace

std::string TfDataAdvice(std::string_view name) {
  static constexpr std::string_view kFiles[] = {"TFRecord", "SSTable",           "RecordIO", "Spanner", "TFColumn",
                                                "TextLine", "FixedLengthRecord", "LMDB"};
  static constexpr std::string_view kMemory[] = {"FromTensor", "TensorSlice", "Tensor", "Range"};
  static constexpr std::string_view kInParallel[] = {"ParallelMap",  "ParallelInterleave", "LegacyParallelInterleave",
                                                     "MapAndBatch", "ParallelBatch",      "ParseExample"};
  const std::string_view plain = WithoutVersion(name);
  if (IsAmong(plain, kFiles)) {
    return fmt::format("{} reads too slowly: read several files at once (interleave with "
                       "num_parallel_calls=tf.data.AUTOTUNE) and prefetch", name);
  }
  if (plain == "Generator") {
    return "the Python generator can't keep up, and Python runs on one core: move its work into map(), or read files";
  }
  if (IsAmong(plain, kMemory)) {
    return fmt::format("{} hands out tensors from memory too slowly: batch before the costly steps, or prefetch", name);
  }
  if (plain == "DataService") {
    return "the tf.data service can't keep up: add workers to it, or look at a profile of one";
  }
  if (plain == "Map") return "map() runs one element at a time: give it num_parallel_calls=tf.data.AUTOTUNE";
  if (plain == "Interleave") {
    return "interleave() reads one element at a time: give it num_parallel_calls=tf.data.AUTOTUNE";
  }
  if (plain == "Filter" || plain == "Batch" || plain == "Unbatch" || plain == "Shuffle" || plain == "PaddedBatch") {
    return fmt::format("{} runs on one thread: put a prefetch(tf.data.AUTOTUNE) behind it, and do costly steps in parallel "
                       "before it", name);
  }
  if (plain == "Prefetch") {
    return "the prefetch buffer was empty: what fills it is slower than training, so make the steps before it faster";
  }
  if (IsAmong(plain, kInParallel)) {
    return fmt::format("{} can't keep up though it runs in parallel: make its function cheaper, cache() what it computes, or "
                       "give it more cores", name);
  }
  return fmt::format("{} took longest: make it cheaper, or cache() its results", name);
}

}  // namespace tfprof::analyze
