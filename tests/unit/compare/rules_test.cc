#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "compare/check.h"
#include "compare/metrics.h"

namespace tfprof::compare {
namespace {

Rule Parsed(std::string_view text) {
  Result<Rule> rule = ParseRule(text);
  INFO(text << (rule ? "" : ": " + rule.error().message));
  REQUIRE(rule.ok());
  return *rule;
}

std::string Refusal(std::string_view text) {
  const Result<Rule> rule = ParseRule(text);
  INFO(text);
  REQUIRE(!rule.ok());
  return rule.error().message;
}

std::string FileRefusal(std::string_view text) {
  const Result<RuleSet> rules = ParseRules(text);
  INFO(text);
  REQUIRE(!rules.ok());
  return rules.error().message;
}

std::string File(const std::string& members) { return R"({"schema":"tfprof-analyze/rules/v1",)" + members + "}"; }

TEST_CASE("Limits are taken in the unit of the metric, or against the base") {
  const Rule mean = Parsed("steps.mean > 5%");
  CHECK(mean.metric == "steps.mean");
  CHECK(mean.operation == ">");
  CHECK(mean.relative_to_base);
  CHECK(mean.limit == Approx(0.05));
  CHECK(mean.id == "steps.mean-gt-5");

  const Rule op = Parsed("ops[\"*MatMul*\"].self_us > 1200");
  CHECK(op.metric == "ops.self_us");
  CHECK(op.subject == "*MatMul*");
  CHECK(op.limit == 1200);
  CHECK_FALSE(op.relative_to_base);

  CHECK(Parsed("steps.median>1.2ms").limit == Approx(1200));
  CHECK(Parsed("memory.peak_bytes > 2GiB").limit == 2147483648.0);
  CHECK(Parsed("device.idle_fraction > 0.3").limit == Approx(0.3));
  CHECK_FALSE(Parsed("device.idle_fraction > 30%").relative_to_base);
  CHECK(Parsed("device.idle_fraction > 30%").limit == Approx(0.3));
  CHECK(Parsed("device.idle_fraction > base + 10%").relative_to_base);
  CHECK(Parsed("steps.mean < base - 5%").limit == Approx(-0.05));
  CHECK(Parsed("kernels.count != base").relative_to_base);
  CHECK(Parsed("kernels.count changed").operation == "changed");
}

TEST_CASE("States and words are rules too") {
  CHECK(Parsed("op_set changed").operation == "changed");
  CHECK(Parsed("op_set gone").relative_to_base);
  CHECK(Parsed("quality.damaged").operation.empty());
  CHECK(Parsed("bottleneck == \"host\"").word == "host");
  CHECK(Parsed("bottleneck != base").relative_to_base);
  CHECK(Parsed("quality[\"truncated-input\"].count > 0").subject == "truncated-input");
  CHECK(Parsed("ops['a\\'b'].occurrences < 1").subject == "a'b");
}

TEST_CASE("What is mistyped is told with the nearest name") {
  CHECK_THAT(Refusal("steps.maen > 5%"), Catch::Contains("did you mean steps.mean?"));
  CHECK_THAT(Refusal("ops[\"x\"].self > 1"), Catch::Contains("only self_us, total_us, occurrences, share"));
  CHECK_THAT(Refusal("steps.mean > 5mss"), Catch::Contains("did you mean ms?"));
  CHECK_THAT(Refusal("memory.peak_bytes > 2Gib"), Catch::Contains("did you mean"));
  CHECK_THAT(Refusal("op_set chnged"), Catch::Contains("did you mean changed?"));
  CHECK_THAT(Refusal("quality[\"truncated-inptu\"].count > 0"), Catch::Contains("did you mean truncated-input?"));
}

TEST_CASE("Limits that can't be held against anything are refused") {
  CHECK_THAT(Refusal("steps.mean > nan"), Catch::Contains("no finite number"));
  CHECK_THAT(Refusal("steps.mean > inf"), Catch::Contains("no finite number"));
  CHECK_THAT(Refusal("steps.mean > 1e999"), Catch::Contains("no finite number"));
  CHECK_THAT(Refusal("steps.mean > nan%"), Catch::Contains("no finite number"));
  CHECK_THAT(Refusal("memory.peak_bytes > 1e300TiB"), !Catch::Contains("no finite number"));
  CHECK_THAT(Refusal("kernels.count > -1"), Catch::Contains("negative"));
  CHECK_THAT(Refusal("kernels.count > 1.5"), Catch::Contains("whole number"));
  CHECK_THAT(Refusal("device.idle_fraction > 30"), Catch::Contains("from 0 to 1"));
  CHECK_THAT(Refusal("steps.mean != base"), Catch::Contains("never the same twice"));
  CHECK_THAT(Refusal("steps.mean >"), Catch::Contains("limit is missing"));
  CHECK_THAT(Refusal("steps.mean"), Catch::Contains("expected"));
  CHECK_THAT(Refusal(""), Catch::Contains("empty"));
  CHECK_THAT(Refusal("ops.self_us > 1"), Catch::Contains("needs a name in brackets"));
  CHECK_THAT(Refusal("steps[\"x\"].mean > 1"), Catch::Contains("whole run"));
  CHECK_THAT(Refusal("ops[\"x.self_us > 1"), Catch::Contains("closing \" is missing"));
}

TEST_CASE("A file of rules is read whole, or refused with the place") {
  const Result<RuleSet> rules = ParseRules(File(
      R"("compare":{"max_increase":0.1,"single_run_decides":true},
         "rules":["steps.mean > 5%",{"id":"steps.mean-gt-5","fail_if":"kernels.count != base","description":"d"}])"));
  REQUIRE(rules.ok());
  CHECK(rules.value().compare.max_increase == Approx(0.1));
  CHECK(rules.value().compare.single_run_decides);
  REQUIRE(rules.value().rules.size() == 2);
  CHECK(rules.value().rules[0].id == "steps.mean-gt-5-2");  // the one that was given stays
  CHECK(rules.value().rules[1].id == "steps.mean-gt-5");
  CHECK(rules.value().rules[0].line == 2);
  CHECK(rules.value().rules[1].line == 2);

  const Result<RuleSet> lines =
      ParseRules(File("\"rules\":[\n\"steps.mean > 5%\",\n\"steps.mean \\u003e 6%\",\n"
                      "\"steps.mean > 5%\"]"));
  REQUIRE(lines.ok());
  CHECK(lines.value().rules[0].line == 2);
  CHECK(lines.value().rules[1].line == 2);  // escaped: a line nearby
  CHECK(lines.value().rules[2].line == 4);

  CHECK_THAT(FileRefusal(""), Catch::Contains("no JSON"));
  CHECK_THAT(FileRefusal("[]"), Catch::Contains("no JSON object"));
  CHECK_THAT(FileRefusal("{}"), Catch::Contains("field schema is missing"));
  CHECK_THAT(FileRefusal(R"({"schema":"tfprof-analyze/rules/v2"})"), Catch::Contains("another version"));
  CHECK_THAT(FileRefusal(R"({"schema":"tfprof-analyze/ops/v1"})"), Catch::Contains("no file of rules"));
  CHECK_THAT(FileRefusal(File(R"("rulse":[])")), Catch::Contains("did you mean rules?"));
  CHECK_THAT(FileRefusal(File(R"("compare":{"max_incraese":0.1})")), Catch::Contains("did you mean max_increase?"));
  CHECK_THAT(FileRefusal(File(R"("compare":{"max_increase":5})")), Catch::Contains("5 % is written 0.05"));
  CHECK_THAT(FileRefusal(File(R"("compare":{"alpha":1e999})")), Catch::Contains("no JSON"));
  CHECK_THAT(FileRefusal(File(R"("compare":{"alpha":0})")), Catch::Contains("between the two"));
  CHECK_THAT(FileRefusal(File(R"("rules":["steps.maen > 5%"])")), Catch::Contains("rules[0]"));
  CHECK_THAT(FileRefusal(File(R"("rules":[{"fail_fi":"op_set new"}])")), Catch::Contains("did you mean fail_if?"));
  CHECK_THAT(FileRefusal(File(R"("rules":[],"rules":[])")), Catch::Contains("stands twice"));
}

TEST_CASE("Rules that are repeated have ids of their own, ids that were given stay") {
  const Result<RuleSet> rules = ParseRules(File(R"("rules":["steps.mean > 5%","steps.mean > 5%","steps.mean > 5%",
      {"id":"steps.mean-gt-5-2","fail_if":"op_set new"},{"id":"steps.mean-gt-5","fail_if":"op_set gone"}])"));
  REQUIRE(rules.ok());
  std::vector<std::string> ids;
  for (const Rule& rule : rules.value().rules) ids.push_back(rule.id);
  CHECK(ids == std::vector<std::string>{"steps.mean-gt-5-3", "steps.mean-gt-5-4", "steps.mean-gt-5-5",
                                        "steps.mean-gt-5-2", "steps.mean-gt-5"});

  RuleSet many;
  const Rule rule = ParseRule("steps.mean > 5%").value();
  for (int i = 0; i < 20'000; ++i) AddRule(rule, &many);  // hours if each looked at all others
  CHECK(many.rules.back().id == "steps.mean-gt-5-20000");
}

TEST_CASE("docs/ci.md tells every metric") {
  std::ifstream file("docs/ci.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const Metric& metric : AllMetrics()) {
    const std::string name(metric.name);
    const size_t dot = name.find('.');
    if (metric.subject != SubjectUse::kRequired) CHECK_THAT(page, Catch::Contains("`" + name));
    if (metric.subject == SubjectUse::kNone) continue;
    CHECK_THAT(page, Catch::Contains("`" + name.substr(0, dot) + "[\"GLOB\"]" + name.substr(dot) + "`"));
  }
}

TEST_CASE("Globs take any characters for a star and one for a question mark") {
  CHECK(GlobMatches("*MatMul*", "model/MatMul_1"));
  CHECK(GlobMatches("a?c", "abc"));
  CHECK(GlobMatches("*", ""));
  CHECK_FALSE(GlobMatches("MatMul", "model/MatMul"));
  CHECK_FALSE(GlobMatches("a?c", "ac"));
  CHECK_FALSE(GlobMatches(std::string(40, '*') + "b", std::string(2000, 'a')));
}

TEST_CASE("Sums are per op, type and scope; shares are of the self time of a side") {
  RunProfile run;
  run.host.sum_self_ps = 4'000'000;
  run.ops = {{{trace::Side::kHost, "Conv2D", "m/a"}, 2, 3'000'000, 3'000'000, {}, {}},
             {{trace::Side::kHost, "Conv2D", "m/b"}, 1, 1'000'000, 1'000'000, {}, {}}};
  CHECK(SumsOf(run, MetricOf::kOp, "m/*", false).size() == 2);
  const auto types = SumsOf(run, MetricOf::kType, "Conv2D", false);
  REQUIRE(types.size() == 1);
  CHECK(types[0].sums.self_us == Approx(4));
  CHECK(types[0].sums.occurrences == 3);
  CHECK(types[0].sums.share == Approx(1));
  const auto scopes = SumsOf(run, MetricOf::kScope, "m", false);
  REQUIRE(scopes.size() == 1);
  CHECK(scopes[0].key.op_name == "m");
  CHECK(SumsOf(run, MetricOf::kOp, "x", false).empty());
}

}  // namespace
}  // namespace tfprof::compare
