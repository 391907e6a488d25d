// Rules: bytes that begin with a brace are a file of rules, others a rule as typed. What is taken must be the same when
// it is read again, and can be judged on any run.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compare/check.h"

namespace {

using namespace tfprof::compare;

void Require(bool holds) {
  if (!holds) std::abort();
}

RunProfile SomeRun(double factor) {
  RunProfile run;
  run.label = "run";
  run.environment.hosts = 1;
  for (const char* name : {"a/Conv2D", "a/MatMul", "b/MatMul_1"}) {
    OpFigures op;
    op.key = {tfprof::trace::Side::kHost, "MatMul", name};
    op.occurrences = 3;
    op.self_ps = op.total_ps = static_cast<int64_t>(1e6 * factor);
    run.host.sum_self_ps += op.self_ps;
    run.ops.push_back(op);
  }
  run.host.lanes = 1;
  run.memory_peaks = {{"cpu", 100}};
  run.bottleneck = "host";
  run.diagnostics = {{"truncated-input", 1}};
  return run;
}

void JudgeAll(const RuleSet& rules) {
  std::set<std::string> ids;
  for (const Rule& rule : rules.rules) {
    Require(ids.insert(rule.id).second);
    const auto again = ParseRule(rule.text);
    Require(again.ok());
    Require(again.value().metric == rule.metric && again.value().operation == rule.operation &&
            again.value().limit == rule.limit && again.value().relative_to_base == rule.relative_to_base);
  }
  const std::vector<RunProfile> base = {SomeRun(1)}, next = {SomeRun(1.3), SomeRun(0.9)};
  const auto result = Check(base, next, rules);
  Require(result.ok());
  for (const Finding& finding : result.value().findings) Require(!finding.message.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with('{')) {
    const auto rules = ParseRules(text);
    if (rules) JudgeAll(rules.value());
    return 0;
  }
  auto rule = ParseRule(text);
  if (!rule) return 0;
  RuleSet set;
  AddRule(*rule, &set);
  AddRule(*rule, &set);
  JudgeAll(set);
  return 0;
}
