#include "compare/parity.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "base/counted.h"
#include "compare/statistics.h"

namespace tfprof::compare {
namespace {

constexpr double kAnotherOrder = 10;    // of step counts
constexpr double kSimilarOpSets = 0.5;  // share of all ops that both sides have
constexpr double kAnotherModel = 0.1;   // share of the smaller side's ops: fewer in common, and it is another program

using Telling = std::function<std::string(const RunProfile&)>;  // "": not told

// What the runs of a side say, each once. More than one: the side is mixed.
std::set<std::string> Told(std::span<const RunProfile> runs, const Telling& tell) {
  std::set<std::string> words;
  for (const RunProfile& run : runs) {
    if (std::string word = tell(run); !word.empty()) words.insert(std::move(word));
  }
  return words;
}

std::string Listed(const std::set<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::string Number(uint64_t value) { return value == 0 ? std::string() : fmt::format("{}", value); }

double MedianSteps(std::span<const RunProfile> runs) {
  std::vector<double> counts;
  for (const RunProfile& run : runs) counts.push_back(run.steps ? static_cast<double>(run.steps->count) : 0);
  return Median(counts);
}

std::string StepsText(double count) { return count == 0 ? std::string("none") : fmt::format("{:g}", count); }

void CheckSteps(std::span<const RunProfile> base, std::span<const RunProfile> next, bool per_step,
                std::vector<Mismatch>* found) {
  const double before = MedianSteps(base), now = MedianSteps(next);
  const bool one_has_none = (before == 0) != (now == 0);
  const bool of_another_order = before > 0 && now > 0 && std::max(before / now, now / before) >= kAnotherOrder;
  if (one_has_none || of_another_order) {
    found->push_back({"number of steps", StepsText(before), StepsText(now), of_another_order && !per_step});
  }
}

void CheckOps(const std::vector<ChangeRow>& rows, std::vector<Mismatch>* found) {
  size_t common = 0, base = 0, next = 0;
  for (const ChangeRow& row : rows) {
    if (row.kind != RowKind::kOp) continue;
    common += row.presence == Presence::kBoth;
    base += row.presence != Presence::kNew;
    next += row.presence != Presence::kGone;
  }
  const size_t all = base + next - common;
  if (all == 0 || static_cast<double>(common) >= kSimilarOpSets * static_cast<double>(all)) return;
  const bool another_model = static_cast<double>(common) < kAnotherModel * static_cast<double>(std::min(base, next));
  found->push_back({"op set", Counted(base, "op", "ops"),
                    fmt::format("{} ({} in common)", Counted(next, "op", "ops"), common), common == 0 || another_model});
}

}  // namespace

std::vector<Mismatch> ParityOf(std::span<const RunProfile> base, std::span<const RunProfile> next, bool per_step,
                               const std::vector<ChangeRow>& rows) {
  struct Property {
    const char* what;
    bool prevents_verdict;
    Telling tell;
  };
  const Property properties[] = {
      {"device type", true, [](const RunProfile& run) { return run.environment.device_type; }},
      {"number of devices", true, [](const RunProfile& run) { return Number(run.environment.devices); }},
      {"number of hosts", true, [](const RunProfile& run) { return Number(run.environment.hosts); }},
      {"framework", false, [](const RunProfile& run) { return run.environment.framework; }},
      {"steps", false,
       [](const RunProfile& run) {
         return run.steps ? std::string(run.steps->marked ? "marked by the program" : "calls of functions") : "";
       }},
  };
  std::vector<Mismatch> found;
  for (const Property& property : properties) {
    const std::set<std::string> before = Told(base, property.tell), now = Told(next, property.tell);
    if (before.empty() || now.empty() || (before == now && now.size() == 1)) continue;
    found.push_back({property.what, Listed(before), Listed(now), property.prevents_verdict});
  }
  CheckSteps(base, next, per_step, &found);
  CheckOps(rows, &found);
  return found;
}

}  // namespace tfprof::compare
