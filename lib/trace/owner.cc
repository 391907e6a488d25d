#include "trace/owner.h"

#include "trace/op_name.h"

namespace tfprof::trace {
namespace {

constexpr std::string_view kXlaModule = "XlaModule:";

bool Claims(std::string_view text) { return !text.empty() && !text.starts_with(kXlaModule); }

}  // namespace

Op OpFromFullName(std::string_view full_name) {
  const ParsedOp parsed = ParseTfOpFullname(full_name);
  Op op;
  op.type = parsed.type.empty() ? kUnknownType : parsed.type;
  op.name = parsed.name.empty() ? kUnnamed : parsed.name;
  return op;
}

std::string_view OutermostAnnotation(std::string_view stack) {
  stack = stack.substr(0, stack.find('#'));
  return stack.substr(0, stack.find("::"));
}

std::string_view LastHloOp(std::string_view hlo_op) {
  const size_t at = hlo_op.rfind("::");
  return at == std::string_view::npos ? hlo_op : hlo_op.substr(at + 2);
}

Op ResolveOwner(const DeviceTexts& texts) {
  Op op;
  if (!texts.hlo_framework_name.empty()) {
    op = OpFromFullName(texts.hlo_framework_name);
  } else if (Claims(texts.tf_op)) {
    op = OpFromFullName(texts.tf_op);
  } else if (Claims(texts.annotation)) {
    op = OpFromFullName(texts.annotation);
  } else if (!texts.scope_name.empty()) {
    op = OpFromFullName(std::string(texts.scope_name) + ":");
  } else if (!texts.hlo_op.empty()) {
    op.type = texts.hlo_type.empty() ? kUnknownType : texts.hlo_type;
    op.name = texts.hlo_op;
  } else {
    op.type = kUnknownType;
    op.name = texts.kernel.empty() ? kUnnamed : texts.kernel;
    op.attributed = false;
  }
  op.kernel = texts.kernel;
  return op;
}

}  // namespace tfprof::trace
