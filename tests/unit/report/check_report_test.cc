#include "report/check_report.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/utf8.h"

namespace tfprof::report {
namespace {

using compare::Finding;
using compare::Outcome;
using compare::Verdict;
using Json = nlohmann::json;

// What no CI system may take for its own: markup of all of them, control characters, bytes that are no UTF-8.
const std::string kHostile = "a|b`c`<d>&\"e\"]]>::error::%0A\n\r\x1b[31m\xff*f*_g_$h$";

Finding Regressed(const std::string& op_name, double base_us = 100, double new_us = 120) {
  Finding finding;
  finding.metric = "self time per step";
  finding.op = compare::OpKey{trace::Side::kHost, "MatMul", op_name};
  finding.unit = "us";
  finding.verdict = Verdict::kRegressed;
  compare::Change change;
  change.base = {base_us, base_us};
  change.next = {new_us, new_us};
  change.base_median = base_us;
  change.next_median = new_us;
  change.delta = new_us - base_us;
  change.relative = change.delta / base_us;
  change.p = 0.008;
  change.p_holm = 0.047;
  finding.change = change;
  finding.message = "op " + op_name + " regressed";
  return finding;
}

Finding BrokenRule(const std::string& text, size_t line) {
  Finding finding;
  finding.rule_id = "limit";
  finding.rule_text = text;
  finding.metric = "steps.median";
  finding.unit = "us";
  finding.verdict = Verdict::kRegressed;
  finding.broken_rule = true;
  finding.value = 2000;
  finding.limit = 1000;
  finding.line = line;
  finding.message = "steps.median is 2 ms; fails if " + text;
  return finding;
}

Finding WithVerdict(Finding finding, Verdict verdict) {
  finding.verdict = verdict;
  finding.broken_rule = false;
  return finding;
}

compare::CheckResult ResultWith(std::vector<Finding> findings, Outcome outcome = Outcome::kFailed) {
  compare::CheckResult result;
  result.outcome = outcome;
  result.statement = std::string(OutcomeId(outcome)) + ": " + kHostile;
  result.findings = std::move(findings);
  result.base_runs = {"main.json"};
  result.next_runs = {"logs"};
  return result;
}

CheckReportOptions SomeOptions() {
  CheckReportOptions options;
  options.next = {"logs"};
  options.baselines = {"./base line.json"};
  options.rules_file = "./ci/rules.json";
  options.fail_if = {"ops[\"*'*\"].self_us > 1"};
  return options;
}

std::string Written(const compare::CheckResult& result, Format format,
                    const CheckReportOptions& options = SomeOptions()) {
  ReportContext context;
  context.tool.version = "1.2.3";
  const std::string text = WriteToString(CheckDocument(result, context, options, format), format);
  CHECK(IsValidUtf8(text));
  if (format != Format::kCsv) CHECK(text.find('\x1b') == std::string::npos);  // CSV holds names as they are
  return text;
}

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

TEST_CASE("GitHub annotations: one line each, escaped, with the place of the rule") {
  const std::string text =
      Written(ResultWith({BrokenRule("steps.median > 1ms", 7), Regressed(kHostile)}), Format::kGithub);
  CHECK(CountOf(text, "\n") == 3);
  CHECK(text.starts_with("::error title=tfprof-analyze%3A check failed::failed: a|b`c`"));
  CHECK_THAT(text, Catch::Contains("\n::error title=tfprof-analyze%3A broken rule,file=ci/rules.json,line=7::"
                                   "steps.median is 2 ms; fails if steps.median > 1ms\n"));
  CHECK_THAT(text, Catch::Contains("file=base line.json,line=1::op a|b`c`<d>&\"e\"]]>::error::%250A\\n\\r\\x1b"));
}

TEST_CASE("A rule of the command line stands in no file; reports that need one name the baseline") {
  const compare::CheckResult result = ResultWith({BrokenRule("steps.median > 1ms", 0)});
  CHECK_THAT(Written(result, Format::kGithub),
             Catch::Contains("\n::error title=tfprof-analyze%3A broken rule::steps.median is 2 ms;"));
  const Json sarif = Json::parse(Written(result, Format::kSarif));
  const Json& place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  CHECK(place["artifactLocation"]["uri"] == "base%20line.json");
  CHECK(Json::parse(Written(result, Format::kGitlab))[0]["location"]["path"] == "base line.json");
}

TEST_CASE("GitHub shows ten annotations of a kind; the tenth tells how many more there are") {
  std::vector<Finding> findings(30, Regressed("x"));
  findings.insert(findings.end(), 30, WithVerdict(Regressed("y"), Verdict::kSuspect));
  const std::string text = Written(ResultWith(findings), Format::kGithub);
  CHECK(CountOf(text, "::error title=") == 10);
  CHECK(CountOf(text, "::warning title=") == 10);
  CHECK_THAT(text, Catch::Contains("and 22 more"));  // errors: the verdict itself is one of the nine
  CHECK_THAT(text, Catch::Contains("and 21 more"));
  CHECK(Written(ResultWith({}, Outcome::kPassed), Format::kGithub).starts_with("::notice title="));
}

TEST_CASE("JUnit: a case for each finding, failures and skipped ones counted, nothing that XML forbids") {
  compare::CheckResult result = ResultWith({BrokenRule("steps.median > 1ms & \"<\"", 1), Regressed(kHostile),
                                            WithVerdict(Regressed("open"), Verdict::kInconclusive),
                                            WithVerdict(Regressed("equal"), Verdict::kUnchanged)});
  result.damaged = true;
  const std::string text = Written(result, Format::kJunit);
  CHECK_THAT(text, Catch::Contains("tests=\"5\" failures=\"2\" errors=\"1\" skipped=\"1\""));
  CHECK(CountOf(text, "<testcase ") == 5);
  CHECK(CountOf(text, "<failure type=\"regression\" message=\"") == 1);
  CHECK(CountOf(text, "<failure type=\"broken rule\" message=\"") == 1);
  CHECK(CountOf(text, "<skipped message=\"") == 1);
  CHECK(CountOf(text, "<error type=\"damage\"") == 1);
  CHECK_THAT(text, Catch::Contains("classname=\"rule\" name=\"steps.median &gt; 1ms &amp; &quot;&lt;&quot;\" "
                                   "time=\"0.002000000\""));
  CHECK_THAT(text, Catch::Contains("a|b`c`&lt;d&gt;&amp;&quot;e&quot;]]&gt;::error::%0A&#10;&#13;\uFFFD[31m\uFFFD"));
}

TEST_CASE("What keeps a check from deciding is skipped or, where that fails the check, a failure") {
  const compare::CheckResult result =
      ResultWith({WithVerdict(Regressed("slow"), Verdict::kSuspect),
                  WithVerdict(BrokenRule("steps.median > 1ms", 0), Verdict::kInconclusive),
                  WithVerdict(Regressed("open"), Verdict::kInconclusive)},
                 Outcome::kInconclusive);
  CheckReportOptions options = SomeOptions();
  std::string text = Written(result, Format::kJunit, options);
  CHECK_THAT(text, Catch::Contains("tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"3\""));
  CHECK_THAT(text, Catch::Contains("<skipped message=\"op slow regressed\"/>"));
  CHECK(Written(result, Format::kGithub, options).starts_with("::warning "));
  const compare::CheckResult nothing = ResultWith({}, Outcome::kInconclusive);
  CHECK_THAT(Written(nothing, Format::kJunit, options),
             Catch::Contains("tests=\"1\" failures=\"0\"") && Catch::Contains("<skipped message=\"inconclusive: "));

  options.inconclusive_fails = true;
  text = Written(result, Format::kJunit, options);
  CHECK_THAT(text, Catch::Contains("tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"1\""));
  CHECK_THAT(text, Catch::Contains("<failure type=\"inconclusive\" message=\"op slow regressed\">"));
  CHECK_THAT(Written(nothing, Format::kJunit, options), Catch::Contains("tests=\"1\" failures=\"1\""));
  CHECK(CountOf(Written(result, Format::kGithub, options), "::error title=") == 3);
  CHECK(Json::parse(Written(result, Format::kSarif, options))["runs"][0]["results"][0]["level"] == "error");
}

TEST_CASE("SARIF and GitLab: the same problem has the same fingerprint, two problems never") {
  const auto fingerprints = [](const std::vector<Finding>& findings) {
    std::vector<std::string> found;
    for (const Json& issue : Json::parse(Written(ResultWith(findings), Format::kGitlab))) {
      found.push_back(issue["fingerprint"]);
    }
    const Json sarif = Json::parse(Written(ResultWith(findings), Format::kSarif));
    for (size_t i = 0; i < found.size(); ++i) {
      CHECK(sarif["runs"][0]["results"][i]["partialFingerprints"]["subject/v1"] == found[i]);
    }
    return found;
  };
  const auto first = fingerprints({Regressed("conv2d_3/Conv2D", 100, 120), Regressed("dense/MatMul")});
  const auto second = fingerprints({Regressed("conv2d_4/Conv2D", 90, 180), Regressed("dense/MatMul")});
  CHECK(first == second);
  CHECK(first[0] != first[1]);
  const auto twins = fingerprints({Regressed("conv2d_3/Conv2D"), Regressed("conv2d_4/Conv2D")});
  CHECK(std::set<std::string>(twins.begin(), twins.end()).size() == 2);
  CHECK(twins[0] == first[0]);
  // A name that is what the second of two alike is told by.
  const auto odd = fingerprints({Regressed("a\n1"), Regressed("a"), Regressed("a")});
  CHECK(std::set<std::string>(odd.begin(), odd.end()).size() == 3);
}

TEST_CASE("SARIF: rules once each, levels, places as URIs relative to the project") {
  const Json sarif = Json::parse(Written(
      ResultWith({BrokenRule("steps.median > 1ms", 7), Regressed(kHostile), Regressed("b"),
                  WithVerdict(Regressed("c"), Verdict::kSuspect), WithVerdict(Regressed("d"), Verdict::kImproved)}),
      Format::kSarif));
  const Json& run = sarif["runs"][0];
  CHECK(run["tool"]["driver"]["rules"].size() == 2);
  REQUIRE(run["results"].size() == 4);  // what improved is no problem
  CHECK(run["results"][0]["ruleId"] == "limit");
  CHECK(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "ci/rules.json");
  CHECK(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 7);
  CHECK(run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "base%20line.json");
  CHECK(run["results"][1]["level"] == "error");
  CHECK(run["results"][3]["level"] == "warning");
  for (const Json& found : run["results"]) {
    CHECK(run["tool"]["driver"]["rules"][found["ruleIndex"].get<size_t>()]["id"] == found["ruleId"]);
  }
}

TEST_CASE("SARIF: braces, backslashes and what looks like a link are text") {
  const auto text_of = [](const std::string& name) {
    const Json sarif = Json::parse(Written(ResultWith({Regressed(name)}), Format::kSarif));
    CHECK(sarif["runs"][0]["results"][0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == name);
    return sarif["runs"][0]["results"][0]["message"]["text"].get<std::string>();
  };
  CHECK(text_of("a{0}\\b[1]") == "op a{{0}}\\\\b[1] regressed");
  CHECK(text_of("[a](http://b)") == "op \\[a\\](http://b) regressed");
}

TEST_CASE("Markdown: at most 20 rows, names harmless and shortened, far below GitHub's limit") {
  std::vector<Finding> findings(1000, Regressed(std::string(100'000, '|')));
  findings.push_back(Regressed(kHostile));
  compare::CheckResult result = ResultWith(findings);
  result.base_runs.assign(5000, std::string(10'000, 'r'));
  const std::string text = Written(result, Format::kMarkdown);
  CHECK(text.size() < 100'000);
  CHECK(CountOf(text, "\n| regressed |") == 20);
  CHECK_THAT(text, Catch::Contains("and 981 more; the JSON report has them all"));

  const std::string hostile = Written(ResultWith({Regressed(kHostile)}), Format::kMarkdown);
  CHECK_THAT(hostile, Catch::Contains("| a\\|b\\`c\\`\\<d\\>"));
  CHECK(CountOf(hostile, "\n| regressed |") == 1);
  CHECK_THAT(hostile, Catch::Contains("tfprof-analyze check logs --baseline './base line.json' --rules ./ci/rules.json "
                                      "--fail-if 'ops[\"*'\\''*\"].self_us > 1'\n```\n"));
}

TEST_CASE("JSON and CSV hold every finding; a rule that is kept has passed") {
  const compare::CheckResult result =
      ResultWith({BrokenRule("steps.median > 1ms", 7), Regressed(kHostile),
                  WithVerdict(BrokenRule("steps.median > 9ms", 8), Verdict::kUnchanged)});
  const Json json = Json::parse(Written(result, Format::kJson));
  CHECK(json["outcome"] == "failed");
  CHECK(json["comparison"].is_null());
  REQUIRE(json["findings"].size() == 3);
  CHECK(json["findings"][0]["verdict"] == "broken_rule");
  CHECK(json["findings"][0]["new"] == 2000);
  CHECK(json["findings"][1]["verdict"] == "regressed");
  CHECK(json["findings"][1]["base_values"] == Json::array({100, 100}));
  CHECK(json["findings"][1]["p_holm"] == 0.047);
  CHECK(json["findings"][2]["verdict"] == "passed");
  CHECK(CountOf(Written(result, Format::kCsv), "\nregressed,") == 1);
  const std::string table = Written(result, Format::kTable);
  CHECK_THAT(table, Catch::Contains("+20.0 %"));
  CHECK_THAT(table, Catch::Contains("steps.median > 1ms"));
}

}  // namespace
}  // namespace tfprof::report
