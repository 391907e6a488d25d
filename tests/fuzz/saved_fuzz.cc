// Saved results: op tables and baselines. What is taken must be the same when it is written as a baseline and read
// again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "compare/baseline.h"
#include "compare/saved_table.h"

namespace {

using namespace tfprof::compare;

void Require(bool holds) {
  if (!holds) std::abort();
}

void ReadAgain(const Baseline& baseline) {
  const std::string text = WriteBaseline(baseline);
  Require(DetectSaved(text) == SavedKind::kBaseline);
  const auto again = ParseBaseline(text);
  Require(again.ok() && WriteBaseline(again.value()) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const SavedKind kind = DetectSaved(text);
  if (kind == SavedKind::kNone) return 0;
  if (kind == SavedKind::kBaseline) {
    const auto baseline = ParseBaseline(text);
    if (baseline) ReadAgain(baseline.value());
    return 0;
  }
  tfprof::Diagnostics diagnostics;
  auto run = ParseSavedTable(text, kind, "saved", &diagnostics);
  if (run) ReadAgain({{std::move(*run)}});
  return 0;
}
