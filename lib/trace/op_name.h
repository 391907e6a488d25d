// The grammar of op names: which names are framework ops, and their types (XProf's ParseTfOpFullname).
//
// `a/b:MatMul` is a TensorFlow op, `jit(f)/dot_general:` a JAX op, `Iterator::Map` a tf.data op, `MEMCPYHtoD…` a copy;
// C++ names, Python frames and annotations are none. Rules and edge cases: reference op_stats.md §1.
#pragma once

#include <string_view>

namespace tfprof::trace {

enum class OpCategory { kUnknown, kTensorFlow, kJax, kTfData, kMemcpyHToD, kMemcpyDToH, kMemcpyDToD, kMemcpyHToH };

// Views into the parsed text, or static text. Unknown: name is the whole text, type is "".
struct ParsedOp {
  OpCategory category = OpCategory::kUnknown;
  std::string_view name;
  std::string_view type;
};

ParsedOp ParseTfOpFullname(std::string_view full_name);

// Type of a name without one: what follows the last `/`, without a trailing `_<number>` that fits an int64.
std::string_view DeriveOpType(std::string_view name);

}  // namespace tfprof::trace
