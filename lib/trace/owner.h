// Whose a device event is: from the texts that a profile keeps about it to its op (design rule 11).
#pragma once

#include <string>
#include <string_view>

#include "trace/op_dictionary.h"

namespace tfprof::trace {

// What a reader found; "" where there is nothing. The first that is there decides, in this order.
struct DeviceTexts {
  std::string_view hlo_framework_name;  // `op_name:op_type` of the HLO instruction's metadata
  std::string_view tf_op;               // never counts when it is `XlaModule:…` (JAX's module, not an op)
  std::string_view annotation;          // the outermost one: XSpace stat `level 0`; JSON `annotation` before `#` and `::`
  std::string_view scope_name;          // JAX JSON: args.name, the framework name without a type
  std::string_view hlo_op;              // HLO instruction, the last `::` part
  std::string_view hlo_type;            // its type: HLO opcode or category, "" if unknown
  std::string_view kernel;              // the event's own name
};

Op ResolveOwner(const DeviceTexts& texts);

// An op from a full name `op_name:op_type`; one that the grammar doesn't know keeps its whole text, type `Unknown`.
Op OpFromFullName(std::string_view full_name);

// `name` of the outermost annotation of a stack `name#k=v#::name#k=v#`.
std::string_view OutermostAnnotation(std::string_view stack);
// The last part of an HLO instruction path `outer::inner`.
std::string_view LastHloOp(std::string_view hlo_op);

inline constexpr std::string_view kUnknownType = "Unknown";
inline constexpr std::string_view kUnnamed = "<unnamed>";

}  // namespace tfprof::trace
