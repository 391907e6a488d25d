#include "compare/step_evidence.h"

#include <algorithm>
#include <vector>

namespace tfprof::compare {

std::string WhyStepsDontTell(std::span<const RunProfile> base, std::span<const RunProfile> next) {
  std::vector<const RunProfile*> runs;
  for (const RunProfile& run : base) runs.push_back(&run);
  for (const RunProfile& run : next) runs.push_back(&run);
  const auto any = [&](auto&& holds) { return std::any_of(runs.begin(), runs.end(), holds); };
  if (any([](const RunProfile* run) { return !run->steps || run->steps->count == 0; })) {
    return any([](const RunProfile* run) { return run->steps && run->steps->count > 0; }) ? "not every run has steps"
                                                                                          : "there are no steps";
  }
  if (any([](const RunProfile* run) { return !run->steps->hold_work; })) {
    return "more than half of the op time lies outside of the steps";
  }
  const bool some_marked = any([](const RunProfile* run) { return run->steps->marked; });
  const bool some_calls = any([](const RunProfile* run) { return !run->steps->marked; });
  return some_marked && some_calls ? "steps are marked by the program in some runs and calls of functions in others"
                                   : "";
}

}  // namespace tfprof::compare
