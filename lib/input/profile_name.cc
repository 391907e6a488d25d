#include "input/profile_name.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tfprof::input {
namespace {

using std::string_view_literals::operator""sv;

// JSON files that TensorBoard's profile plugin keeps beside the traces of a run.
constexpr std::array kSideFiles = {"op_profile"sv,    "input_pipeline"sv, "overview_page"sv,
                                   "memory_viewer"sv, "pod_viewer"sv,     "tf_data_bottleneck_analysis"sv,
                                   "memory_profile"sv};

// Takes `.suffix` off; `suffix` alone leaves "". False: `name` has another suffix.
bool TakeSuffix(std::string_view suffix, std::string_view* name) {
  if (*name == suffix) {
    *name = {};
    return true;
  }
  if (name->size() <= suffix.size() + 1 || !name->ends_with(suffix)) return false;
  if ((*name)[name->size() - suffix.size() - 1] != '.') return false;
  name->remove_suffix(suffix.size() + 1);
  return true;
}

bool IsSideFile(std::string_view stem) {
  return std::any_of(kSideFiles.begin(), kSideFiles.end(), [&](std::string_view side) {
    std::string_view rest = stem;
    return TakeSuffix(side, &rest);
  });
}

}  // namespace

std::optional<ProfileName> ParseProfileName(std::string_view file_name, bool in_run) {
  if (file_name.empty() || file_name[0] == '.' || file_name.starts_with("NO_HOST.") ||
      file_name.starts_with("ALL_HOSTS.")) {
    return std::nullopt;
  }
  std::string_view rest = file_name;
  if (TakeSuffix("xplane.riegeli", &rest)) return ProfileName{ProfileKind::kUnsupported, rest, rest};
  if (in_run && TakeSuffix("trace", &rest)) return ProfileName{ProfileKind::kUnsupported, rest, rest};
  TakeSuffix("gz", &rest);
  if (TakeSuffix("xplane.pb", &rest)) return ProfileName{ProfileKind::kXplane, rest, rest};
  if (TakeSuffix("trace.json", &rest)) {
    std::string_view host = rest;
    TakeSuffix("pt", &host);  // PyTorch: `<worker>.<time>.pt.trace.json`
    return ProfileName{ProfileKind::kTraceJson, host, rest};
  }
  if (!TakeSuffix("json", &rest) || rest.empty()) return std::nullopt;
  if (rest == "perfetto_trace") return ProfileName{ProfileKind::kCopy, {}, rest};
  if (in_run || IsSideFile(rest)) return std::nullopt;
  if (rest.starts_with("timeline")) return ProfileName{ProfileKind::kTimeline, {}, rest};
  return ProfileName{ProfileKind::kPlainJson, {}, rest};
}

std::optional<uint64_t> RunDate(std::string_view run_name) {
  for (const std::string_view form : {"dddd_dd_dd_dd_dd_dd"sv, "dddd-dd-dd_dd-dd-dd"sv}) {
    if (run_name.size() != form.size()) continue;
    uint64_t digits = 0;
    bool fits = true;
    for (size_t i = 0; i < form.size() && fits; ++i) {
      if (form[i] == 'd') {
        fits = run_name[i] >= '0' && run_name[i] <= '9';
        digits = digits * 10 + static_cast<uint64_t>(run_name[i] - '0');
      } else {
        fits = run_name[i] == form[i];
      }
    }
    if (fits) return digits;
  }
  return std::nullopt;
}

}  // namespace tfprof::input
