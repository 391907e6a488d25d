// A list of regular expressions (RE2), of which a name may match any: what --include and --exclude take.
#pragma once

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tfprof {

class Patterns {
 public:
  // Each must compile; flags are checked before they get here.
  explicit Patterns(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) patterns_.push_back(std::make_unique<re2::RE2>(text, re2::RE2::Quiet));
  }
  bool empty() const { return patterns_.empty(); }
  // Some pattern matches, anywhere in the name.
  bool Match(const std::string& name) const {
    return std::any_of(patterns_.begin(), patterns_.end(),
                       [&](const auto& pattern) { return re2::RE2::PartialMatch(name, *pattern); });
  }

 private:
  std::vector<std::unique_ptr<re2::RE2>> patterns_;
};

}  // namespace tfprof
