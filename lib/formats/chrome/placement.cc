#include "formats/chrome/placement.h"

#include <algorithm>
#include <charconv>

#include "trace/op_name.h"
#include "trace/owner.h"

namespace tfprof::chrome {
namespace {

using trace::Op;
using trace::Role;
using trace::Side;

// What a TF1 process `<device>/stream:<x> Compute`, `<device>/memcpy Compute`, … holds.
enum class Tf1Form { kNone, kHost, kAll, kNumbered, kCopyStream, kOther, kMemcpy };
struct Tf1Process {
  Tf1Form form = Tf1Form::kNone;
  std::string device;
};

Tf1Process ParseTf1Process(std::string_view name) {
  constexpr std::string_view kSuffix = " Compute";
  if (!name.ends_with(kSuffix)) return {};
  const std::string_view base = name.substr(0, name.size() - kSuffix.size());
  if (const size_t at = base.rfind("/stream:"); at != std::string_view::npos) {
    const std::string_view stream = base.substr(at + 8);
    const bool digits =
        !stream.empty() && std::all_of(stream.begin(), stream.end(), [](char c) { return c >= '0' && c <= '9'; });
    const Tf1Form form = stream == "all"                              ? Tf1Form::kAll
                         : digits                                     ? Tf1Form::kNumbered
                         : stream.find('<') != std::string_view::npos ? Tf1Form::kCopyStream
                                                                      : Tf1Form::kOther;
    return {form, std::string(base.substr(0, at))};
  }
  for (const std::string_view suffix : {"/memcpy", "/memcpy:all"}) {
    if (base.ends_with(suffix)) return {Tf1Form::kMemcpy, std::string(base.substr(0, base.size() - suffix.size()))};
  }
  return {Tf1Form::kHost, std::string(base)};
}

bool IsDerivedName(std::string_view thread) {
  static const std::unordered_set<std::string_view> kDerived = {
      "Steps",         "TensorFlow Name Scope", "TensorFlow Ops", "Framework Name Scope",
      "Framework Ops", "XLA Modules",           "Source code",    "Source",
      "XLA TraceMe",   "Launch Stats",          "Async XLA Ops",  "Kernel Launch"};
  return kDerived.contains(thread) || thread.starts_with("Host Offload Ops");
}

bool IsDerivedThreadId(const std::string& tid) {
  uint64_t id = 0;
  const auto [end, error] = std::from_chars(tid.data(), tid.data() + tid.size(), id);
  return error == std::errc() && end == tid.data() + tid.size() && id >= 0xDEADBEEF && id - 0xDEADBEEF < 406;
}

bool IsKinetoDevice(std::string_view category) {
  static const std::unordered_set<std::string_view> kDevice = {
      "kernel", "gpu_memcpy", "gpu_memset", "concurrent_kernel", "mtia_ccp_events", "hpu_op",
      "Kernel", "Memcpy",     "Memset"};
  return kDevice.contains(category);
}

bool IsKinetoView(std::string_view category) {
  static const std::unordered_set<std::string_view> kViews = {
      "Trace", "gpu_user_annotation", "cuda_sync", "cuda_profiler_range", "cuda_event",
      "ac2g",  "async_gpu",           "fwdbwd",    "collective_comm",     "mtia_workloadd"};
  return kViews.contains(category);
}

// `/device:GPU:<n>` or `/device:TPU:<n>` at the end of a process name, perhaps behind a host name.
bool EndsInDevice(std::string_view name) {
  for (const std::string_view mark : {"/device:GPU:", "/device:TPU:"}) {
    const size_t at = name.rfind(mark);
    if (at == std::string_view::npos || (at > 0 && name[at - 1] != ' ')) continue;
    const std::string_view number = name.substr(at + mark.size());
    if (!number.empty() && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return true;
  }
  return false;
}

std::string NameOr(const std::string& text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : text;
}

}  // namespace

Placer::Placer(Dialect dialect, const Names& names) : dialect_(dialect), names_(names) {
  if (dialect == Dialect::kTf1) {
    for (const auto& [pid, name] : names.processes) {
      const Tf1Process process = ParseTf1Process(name);
      if (process.form == Tf1Form::kAll) tf1_all_streams_.insert(process.device);
      if (process.form == Tf1Form::kMemcpy) tf1_copies_.insert(process.device);
    }
  }
  if (dialect == Dialect::kTf2) {
    for (const auto& [key, name] : names.threads) {
      if (name.starts_with("Stream")) tf2_gpu_processes_.insert(key.substr(0, key.find('\0')));
    }
  }
}

Placement Placer::Place(const std::string& pid, const std::string& tid, std::string_view category,
                        const std::string& device) const {
  Placement out = PlaceByDialect(pid, tid, category, device);
  if (out.plane.empty()) out.plane = "process " + pid;  // two without a name are two all the same
  return out;
}

Placement Placer::PlaceByDialect(const std::string& pid, const std::string& tid, std::string_view category,
                                 const std::string& device) const {
  switch (dialect_) {
    case Dialect::kTf1:
      return PlaceTf1(pid);
    case Dialect::kTf2:
      return PlaceTf2(pid, tid);
    case Dialect::kKineto:
      return PlaceKineto(pid, category, device);
    case Dialect::kGeneric:
      break;
  }
  return PlaceGeneric(pid, category);
}

Placement Placer::PlaceTf1(const std::string& pid) const {
  Placement out;
  out.plane = names_.Process(pid);
  const Tf1Process process = ParseTf1Process(out.plane);
  if (process.form == Tf1Form::kNone) return out;
  out.placed = true;
  if (process.form == Tf1Form::kHost) {
    out.idle_group = pid;  // rows are packed; the process stands for a thread
    return out;
  }
  out.side = Side::kDevice;
  out.role = Role::kStream;
  out.device = process.device;
  const bool has_all = tf1_all_streams_.contains(process.device);
  const bool repeated = (process.form == Tf1Form::kNumbered && has_all) ||
                        (process.form == Tf1Form::kCopyStream && tf1_copies_.contains(process.device)) ||
                        (process.form == Tf1Form::kMemcpy && !has_all);  // the numbered streams hold the copies too
  if (repeated) out.role = Role::kView;
  return out;
}

Placement Placer::PlaceTf2(const std::string& pid, const std::string& tid) const {
  Placement out;
  out.plane = names_.Process(pid);
  const std::string_view thread = names_.Thread(pid, tid);
  out.placed = true;
  if (out.plane.find("/device:") != std::string::npos) {
    out.side = Side::kDevice;
    out.device = pid;
    const std::string_view plain = thread.substr(0, thread.find(" - from #"));
    const bool derived = IsDerivedThreadId(tid) || IsDerivedName(plain) ||
                         (plain == "XLA Ops" && (tf2_gpu_processes_.contains(pid) || plain != thread));
    const bool tpu = out.plane.find("/device:TPU:") != std::string::npos;
    out.role = derived                                                     ? Role::kView
               : tpu && (plain == "XLA Ops" || plain == "Sparse Core Ops") ? Role::kNested
               : tpu                                                       ? Role::kView
                                                                           : Role::kStream;
    return out;
  }
  if (!out.plane.ends_with("/host:CPU")) out.role = Role::kOther;
  return out;
}

Placement Placer::PlaceKineto(const std::string& pid, std::string_view category, const std::string& device) const {
  Placement out;
  out.placed = true;
  out.plane = names_.Process(pid);
  if (IsKinetoView(category)) {
    out.role = Role::kView;
  } else if (IsKinetoDevice(category)) {
    out.side = Side::kDevice;
    out.role = Role::kStream;
    out.device = device.empty() ? pid : device;
    out.plane = "device " + out.device;
  }
  return out;
}

Placement Placer::PlaceGeneric(const std::string& pid, std::string_view category) const {
  Placement out;
  out.placed = true;
  out.plane = names_.Process(pid);
  if (EndsInDevice(out.plane) || category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset") {
    out.side = Side::kDevice;
    out.role = Role::kStream;
    out.device = pid;
  }
  return out;
}

ArgSet Placer::DecidingArgs(const Placement& placement) const {
  if (dialect_ == Dialect::kTf1) return SetOf(ArgKey::kName) | SetOf(ArgKey::kOp);
  if (dialect_ != Dialect::kTf2) return 0;
  if (placement.side == Side::kHost) return SetOf(ArgKey::kHloOp) | SetOf(ArgKey::kLongName);
  return SetOf(ArgKey::kName) | SetOf(ArgKey::kTfOp) | SetOf(ArgKey::kLevel0) | SetOf(ArgKey::kAnnotation) |
         SetOf(ArgKey::kHloOp) | SetOf(ArgKey::kHloCategory);
}

bool Placer::OpOf(const TraceEvent& event, const Placement& placement, Op* op) const {
  const std::string name = Decode(event.name);
  if (placement.role == Role::kView || placement.role == Role::kOther) return false;
  const bool device = placement.side == Side::kDevice;
  if (dialect_ == Dialect::kTf1) {
    const std::string node = NameOr(Decode(event.arg(ArgKey::kName)), name);
    const JsonValue& type = event.arg(ArgKey::kOp);
    const std::string op_type = Decode(type);
    if (device && type.present() && (op_type == "unknown" || op_type.empty())) {  // the tracer knew the kernel, no op
      *op = {std::string(trace::kUnknownType), NameOr(node, trace::kUnnamed), name, false};
    } else {
      *op = {NameOr(op_type, NameOr(name, trace::kUnnamed)), NameOr(node, trace::kUnnamed), device ? name : "", true};
    }
    return true;
  }
  if (dialect_ != Dialect::kTf2) {
    *op = {NameOr(Decode(event.category), trace::kUnknownType), NameOr(name, trace::kUnnamed), device ? name : "",
           true};
    return true;
  }
  const std::string hlo_op = Decode(event.arg(ArgKey::kHloOp));
  if (device) {
    const std::string tf_op = Decode(event.arg(ArgKey::kTfOp));
    const std::string scope_name = Decode(event.arg(ArgKey::kName));
    std::string annotation = Decode(event.arg(ArgKey::kLevel0));
    if (annotation.empty()) annotation = trace::OutermostAnnotation(Decode(event.arg(ArgKey::kAnnotation)));
    const std::string category = Decode(event.arg(ArgKey::kHloCategory));
    const bool nested = placement.role == Role::kNested;
    *op =
        trace::ResolveOwner({.hlo_framework_name = {},
                             .tf_op = tf_op,
                             .annotation = annotation,
                             .scope_name = scope_name,
                             .hlo_op = nested && hlo_op.empty() && !category.empty() ? name : trace::LastHloOp(hlo_op),
                             .hlo_type = category,
                             .kernel = name});
    return true;
  }
  if (!hlo_op.empty()) {  // XLA on the CPU
    if (name.starts_with("end: ")) return false;
    *op = trace::ResolveOwner({.hlo_framework_name = {},
                               .tf_op = {},
                               .annotation = {},
                               .scope_name = {},
                               .hlo_op = trace::LastHloOp(hlo_op),
                               .hlo_type = {},
                               .kernel = {}});
    return true;
  }
  const std::string full = NameOr(Decode(event.arg(ArgKey::kLongName)), name);
  if (trace::ParseTfOpFullname(full).category == trace::OpCategory::kUnknown) return false;
  *op = trace::OpFromFullName(full);
  return true;
}

}  // namespace tfprof::chrome
