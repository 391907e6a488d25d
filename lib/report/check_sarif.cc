#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "report/check_problems.h"
#include "report/json.h"

namespace tfprof::report {
namespace {

// A path as a URI reference (RFC 3986): what is no plain character of one is percent-encoded.
std::string UriOf(std::string_view path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=@";
  std::string uri;
  // A colon in the first segment would make it a scheme; it is encoded like all others that aren't plain.
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      uri.push_back(c);
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

// A message string (SARIF 2.1.0 §3.11): braces are placeholders unless doubled, `[…](…)` is a link unless its bracket
// is escaped, and a backslash escapes.
Value MessageOf(std::string_view text) {
  const bool may_link = text.find("](") != std::string_view::npos;
  std::string message;
  for (const char c : text) {
    if (c == '{' || c == '}' || c == '\\') message.push_back(c);
    if (may_link && (c == '[' || c == ']')) message.push_back('\\');
    message.push_back(c);
  }
  return Value::Object{{"text", std::move(message)}};
}

std::string_view LevelText(ProblemLevel level) { return level == ProblemLevel::kError ? "error" : "warning"; }

Value ResultOf(const Problem& problem, size_t rule_index) {
  Value::Object location;
  if (!problem.path.empty()) {
    location.push_back(
        {"physicalLocation", Value::Object{{"artifactLocation", Value::Object{{"uri", UriOf(problem.path)}}},
                                           {"region", Value::Object{{"startLine", uint64_t{problem.line}}}}}});
  }
  if (!problem.op_name.empty()) {
    location.push_back(
        {"logicalLocations", Value::Array{Value::Object{{"fullyQualifiedName", problem.op_name}, {"kind", "op"}}}});
  }
  Value::Array locations;
  if (!location.empty()) locations.push_back(std::move(location));
  return Value::Object{{"ruleId", problem.rule},
                       {"ruleIndex", uint64_t{rule_index}},
                       {"level", LevelText(problem.level)},
                       {"message", MessageOf(problem.message)},
                       {"locations", std::move(locations)},
                       {"partialFingerprints", Value::Object{{"subject/v1", problem.fingerprint}}}};
}

}  // namespace

void WriteSarif(const CheckReport& report, ByteSink* sink) {
  Value::Array rules, results;
  std::map<std::string, size_t> places;  // of rules among the rules
  for (const Problem& problem : ProblemsOf(report)) {
    const auto [place, is_new] = places.emplace(problem.rule, rules.size());
    if (is_new) {
      rules.push_back(Value::Object{{"id", problem.rule},
                                    {"shortDescription", MessageOf(problem.description)},
                                    {"defaultConfiguration", Value::Object{{"level", LevelText(problem.level)}}}});
    }
    results.push_back(ResultOf(problem, place->second));
  }
  const ToolInfo& tool = report.context.tool;
  const Value::Object driver{{"name", tool.name}, {"semanticVersion", tool.version}, {"rules", std::move(rules)}};
  const Value::Object invocation{{"executionSuccessful", !report.result.damaged},
                                 {"properties", Value::Object{{"outcome", OutcomeId(report.result.outcome)},
                                                              {"statement", report.result.statement}}}};
  WriteJson({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
             {"version", "2.1.0"},
             {"runs", Value::Array{Value::Object{{"tool", Value::Object{{"driver", driver}}},
                                                 {"invocations", Value::Array{invocation}},
                                                 {"columnKind", "unicodeCodePoints"},
                                                 {"results", std::move(results)}}}}},
            sink);
}

}  // namespace tfprof::report
