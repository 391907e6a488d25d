#include "formats/chrome/dialect.h"

#include <algorithm>
#include <charconv>

namespace tfprof::chrome {
namespace {

// `/job:… Compute`: only a blank before the last word.
bool IsTf1Process(std::string_view name) {
  constexpr std::string_view kSuffix = " Compute";
  return name.starts_with("/") && name.ends_with(kSuffix) &&
         name.substr(0, name.size() - kSuffix.size()).find_first_of(" \t\n\r") == std::string_view::npos;
}

// `/host:CPU` or `/device:…`, perhaps behind a host name and a blank.
bool IsTf2Process(std::string_view name) {
  for (const std::string_view mark : {"/host:CPU", "/device:GPU:", "/device:TPU:", "/device:CUSTOM:"}) {
    const size_t at = name.find(mark);
    if (at != std::string_view::npos && (at == 0 || name[at - 1] == ' ')) return true;
  }
  return false;
}

const std::string* FirstProcess(const Names& names, bool (*is)(std::string_view)) {
  const std::string* first = nullptr;
  for (const auto& [pid, name] : names.processes) {
    if (is(name) && (first == nullptr || name < *first)) first = &name;
  }
  return first;
}

// FNV-1a: the same on every machine and in every reading.
int64_t HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<int64_t>(hash);
}

}  // namespace

std::string_view DialectName(Dialect dialect) {
  switch (dialect) {
    case Dialect::kTf1:
      return "tf1-timeline";
    case Dialect::kTf2:
      return "tf2-trace";
    case Dialect::kKineto:
      return "kineto-trace";
    case Dialect::kGeneric:
      break;
  }
  return "chrome-trace";
}

std::optional<Dialect> DialectOf(std::string_view name) {
  for (const Dialect dialect : {Dialect::kTf1, Dialect::kTf2, Dialect::kKineto, Dialect::kGeneric}) {
    if (DialectName(dialect) == name) return dialect;
  }
  return std::nullopt;
}

std::string ThreadKey(std::string_view pid, std::string_view tid) {
  std::string key(pid);
  key += '\0';
  key += tid;
  return key;
}

int64_t LaneIdOf(std::string_view tid) {
  const char* const end = tid.data() + tid.size();
  int64_t id = 0;
  if (const auto [at, error] = std::from_chars(tid.data(), end, id); error == std::errc() && at == end) return id;
  uint64_t large = 0;
  const auto [at, error] = std::from_chars(tid.data(), end, large);
  if (error == std::errc() && at == end) return static_cast<int64_t>(large);
  return tid.empty() ? 0 : HashOf(tid);
}

std::string_view Names::Process(const std::string& pid) const {
  const auto at = processes.find(pid);
  return at == processes.end() ? std::string_view{} : at->second;
}

std::string_view Names::Thread(const std::string& pid, const std::string& tid) const {
  const auto at = threads.find(ThreadKey(pid, tid));
  return at == threads.end() ? std::string_view{} : at->second;
}

bool IsKinetoCategory(std::string_view category) {
  static const std::unordered_set<std::string_view> kCategories = {"cpu_op",
                                                                   "user_annotation",
                                                                   "python_function",
                                                                   "cuda_runtime",
                                                                   "cuda_driver",
                                                                   "cpu_instant_event",
                                                                   "xpu_runtime",
                                                                   "xpu_driver",
                                                                   "mtia_runtime",
                                                                   "privateuse1_runtime",
                                                                   "privateuse1_driver",
                                                                   "glow_runtime",
                                                                   "Operator",
                                                                   "Runtime",
                                                                   "kernel",
                                                                   "gpu_memcpy",
                                                                   "gpu_memset",
                                                                   "concurrent_kernel",
                                                                   "mtia_ccp_events",
                                                                   "hpu_op",
                                                                   "Kernel",
                                                                   "Memcpy",
                                                                   "Memset",
                                                                   "gpu_user_annotation",
                                                                   "cuda_sync",
                                                                   "ac2g",
                                                                   "fwdbwd"};
  return kCategories.contains(category);
}

DialectChoice ChooseDialect(const TopLevel& top, const Names& names, bool kineto_category) {
  if (const std::string* name = FirstProcess(names, IsTf1Process)) {
    return {Dialect::kTf1, "a process is called \"" + *name + "\", as tf.timeline does"};
  }
  if ((top.schema_version && (top.device_properties || top.trace_name)) || top.base_time || top.distributed_info) {
    return {Dialect::kKineto, "its top level has the keys that PyTorch's Kineto writes"};
  }
  if (kineto_category) return {Dialect::kKineto, "its events have categories that PyTorch's Kineto writes"};
  if (const std::string* name = FirstProcess(names, IsTf2Process)) {
    return {Dialect::kTf2, "a process is called \"" + *name + "\", as TensorFlow 2 and JAX do"};
  }
  return {Dialect::kGeneric, "nothing in it is a mark of TensorFlow, JAX or PyTorch"};
}

}  // namespace tfprof::chrome
