#include "cli/flags/comparing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/nearest.h"

namespace tfprof::cli {
namespace {

Error Usage(std::string message) { return {DiagCode::kUnreadableInput, std::move(message)}; }

// The place of a name is the place of its enumerator.
const std::vector<std::string_view> kSortColumns = {"change", "relative", "base", "new", "share", "name", "type"};
const std::vector<std::string_view> kActions = {"save", "add", "show"};

Status SetSort(std::string_view text, compare::ChangeOrder* sort) {
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  const auto at = std::find(kSortColumns.begin(), kSortColumns.end(), name);
  if (at == kSortColumns.end()) {
    const std::string_view nearest = NearestName(name, kSortColumns);
    return Usage(fmt::format("--sort: there is no column \"{}\"; {}", name,
                             nearest.empty() ? fmt::format("columns are {}", fmt::join(kSortColumns, ", "))
                                             : fmt::format("did you mean {}?", nearest)));
  }
  sort->column = static_cast<compare::ChangeColumn>(at - kSortColumns.begin());
  sort->descending = sort->column != compare::ChangeColumn::kName && sort->column != compare::ChangeColumn::kType;
  if (colon == text.size()) return kOk;
  const std::string_view direction = text.substr(colon + 1);
  if (direction != "asc" && direction != "desc") {
    return Usage(fmt::format("--sort: \"{}\" is no direction; write asc or desc", direction));
  }
  sort->descending = direction == "desc";
  return kOk;
}

Status CheckPipes(const std::vector<std::string>& inputs, const std::vector<std::string>& base) {
  const auto pipes = std::count(inputs.begin(), inputs.end(), "-") + std::count(base.begin(), base.end(), "-");
  if (pipes > 1) return Usage("standard input is one run; - can stand once");
  return kOk;
}

}  // namespace

Status SplitSides(std::string_view sort, std::optional<size_t> before_separator, std::vector<std::string>* inputs,
                  Comparing* comparing) {
  if (!sort.empty()) {
    if (Status bad = SetSort(sort, &comparing->sort)) return bad;
  }
  if (!before_separator && comparing->base.empty()) {
    return Usage(inputs->empty()
                     ? "there are no runs; write BASE... -- NEW..."
                     : fmt::format("which runs are the base and which are new? Write -- between them, as in: "
                                   "tfprof-analyze diff {} -- {}",
                                   inputs->front(), inputs->size() > 1 ? inputs->back() : "NEW"));
  }
  const auto end_of_base = inputs->begin() + static_cast<std::ptrdiff_t>(before_separator.value_or(0));
  comparing->base.insert(comparing->base.end(), std::make_move_iterator(inputs->begin()),
                         std::make_move_iterator(end_of_base));
  inputs->erase(inputs->begin(), end_of_base);
  if (comparing->base.empty()) return Usage("there is no base run; name one before --, or with --base");
  if (inputs->empty()) return Usage("there is no new run; name one behind --");
  return CheckPipes(*inputs, comparing->base);
}

Status CheckSides(const std::vector<std::string>& inputs, const Comparing& comparing) {
  if (comparing.base.empty() && comparing.rules_file.empty() && comparing.fail_if.empty()) {
    return Usage(
        "there is nothing to check; name a baseline (--baseline PATH) or what must not be (--fail-if RULE, --rules "
        "FILE)");
  }
  return CheckPipes(inputs, comparing.base);
}

Status TakeAction(std::vector<std::string>* inputs, Comparing* comparing) {
  if (inputs->empty()) return Usage("what to do with a baseline? Write save, add or show");
  const std::string word = inputs->front();
  const auto at = std::find(kActions.begin(), kActions.end(), word);
  if (at == kActions.end()) {
    const std::string_view nearest = NearestName(word, kActions);
    return Usage(nearest.empty() ? fmt::format("baseline: \"{}\" is none of save, add and show", word)
                                 : fmt::format("baseline: there is no \"{}\"; did you mean {}?", word, nearest));
  }
  comparing->action = static_cast<BaselineAction>(at - kActions.begin());
  inputs->erase(inputs->begin());
  const bool show = comparing->action == BaselineAction::kShow;
  if (inputs->empty()) return Usage(fmt::format("baseline {}: there is no {}", word, show ? "FILE" : "run"));
  if (show && inputs->size() > 1) return Usage("baseline show: one FILE at a time");
  if (show && !comparing->baseline_file.empty()) {
    return Usage("baseline show prints what a baseline holds; leave out --output");
  }
  if (comparing->baseline_file == "-") comparing->baseline_file.clear();  // standard output
  if (comparing->action == BaselineAction::kAdd && comparing->baseline_file.empty()) {
    return Usage("baseline add: which baseline? Name it with -o FILE");
  }
  if (std::count(inputs->begin(), inputs->end(), "-") > 1) return Usage("standard input is one run; - can stand once");
  return kOk;
}

}  // namespace tfprof::cli
