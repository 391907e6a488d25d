// What to do about events that a profile lacks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/inventory.h"

namespace tfprof::cli {

// It depends on who wrote the files.
struct AdviceByWriter {
  std::string_view tf1, kineto, tensorflow;
};

inline std::string Advice(const std::vector<analyze::FileInventory>& files, const AdviceByWriter& advice) {
  std::vector<std::string_view> parts;
  for (const analyze::FileInventory& file : files) {
    const std::string_view part = file.kind == "tf1-timeline"   ? advice.tf1
                                  : file.kind == "kineto-trace" ? advice.kineto
                                                                : advice.tensorflow;
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace tfprof::cli
