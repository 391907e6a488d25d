// A file of rules: JSON, as schemas/rules-1.schema.json has it. Every field is known or an error, every rule is parsed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "compare/check.h"

namespace tfprof::compare {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "tfprof-analyze/rules/v1";
constexpr std::string_view kSchemaFamily = "tfprof-analyze/rules/v";

Error Usage(std::string message) { return {DiagCode::kUnreadableInput, std::move(message)}; }

// Fields of an object that nobody knows.
Status CheckFields(const Json& object, const std::vector<std::string_view>& known, std::string_view where) {
  for (const auto& [key, value] : object.items()) {
    bool found = false;
    for (const std::string_view name : known) found = found || name == key;
    if (found) continue;
    const std::string_view nearest = NearestName(key, known);
    return Usage(nearest.empty() ? fmt::format("{}: there is no field \"{}\"; the fields are {}", where, key,
                                               fmt::join(known, ", "))
                                 : fmt::format("{}: there is no field \"{}\"; did you mean {}?", where, key, nearest));
  }
  return kOk;
}

// The last of two members with one key would win without a word.
Result<Json> ParseJson(std::string_view text) {
  std::vector<std::set<std::string>> open;
  std::string twice;
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second) {
      twice = value.get<std::string>();
    }
    return true;
  };
  try {
    Json json = Json::parse(text, watch);
    if (!twice.empty()) return Usage(fmt::format("the field \"{}\" stands twice in one object", twice));
    return json;
  } catch (const Json::exception& problem) {
    const std::string what = problem.what();  // `[json.exception.parse_error.101] parse error at line 1, …`
    return Usage("is no JSON: " + what.substr(std::min(what.size(), what.find("] ") + 2)));
  }
}

struct NumberField {
  std::string_view name;
  double CompareOptions::*member;
  bool zero_allowed, one_allowed;
};
constexpr std::array<NumberField, 5> kNumbers = {{{"alpha", &CompareOptions::alpha, false, false},
                                                  {"confidence", &CompareOptions::confidence, false, false},
                                                  {"max_increase", &CompareOptions::max_increase, true, true},
                                                  {"min_delta", &CompareOptions::min_delta, true, true},
                                                  {"min_share", &CompareOptions::min_share, true, true}}};

Status ReadCompare(const Json& json, CompareOptions* options) {
  if (!json.is_object()) return Usage("compare: is no object");
  std::vector<std::string_view> known;
  for (const NumberField& field : kNumbers) known.push_back(field.name);
  known.push_back("single_run_decides");
  if (Status bad = CheckFields(json, known, "compare")) return bad;
  for (const NumberField& field : kNumbers) {
    const auto found = json.find(field.name);
    if (found == json.end()) continue;
    const double value = found->is_number() ? found->get<double>() : std::nan("");
    const bool in_range = (field.zero_allowed ? value >= 0 : value > 0) && (field.one_allowed ? value <= 1 : value < 1);
    if (!in_range) {
      const std::string got =
          found->is_structured() ? "it" : found->dump(-1, ' ', false, Json::error_handler_t::replace);
      return Usage(fmt::format("compare.{}: {} is no fraction from 0 to 1{}; 5 % is written 0.05", field.name, got,
                               field.zero_allowed ? "" : " between the two"));
    }
    options->*field.member = value;
  }
  const auto single = json.find("single_run_decides");
  if (single == json.end()) return kOk;
  if (!single->is_boolean()) return Usage("compare.single_run_decides: is neither true nor false");
  options->single_run_decides = single->get<bool>();
  return kOk;
}

bool IsId(const std::string& text) {
  constexpr size_t kLongest = 100;
  if (text.empty() || text.size() > kLongest) return false;
  return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
         std::string::npos;
}

// An element of "rules": the text alone, or an object with it and an id.
Result<Rule> ReadRule(const Json& json, const std::string& where, bool* has_id) {
  *has_id = false;
  const Json* text = &json;
  if (json.is_object()) {
    if (Status bad = CheckFields(json, {"id", "fail_if", "description"}, where)) return *bad;
    const auto description = json.find("description");
    if (description != json.end() && !description->is_string()) return Usage(where + ".description: is no text");
    const auto fail_if = json.find("fail_if");
    if (fail_if == json.end()) return Usage(where + ": the field fail_if is missing");
    text = &*fail_if;
  }
  if (!text->is_string()) return Usage(where + ": a rule is a text, such as \"steps.median > 5%\"");
  Result<Rule> rule = ParseRule(text->get_ref<const std::string&>());
  if (!rule) return Usage(fmt::format("{}: {}", where, rule.error().message));
  if (json.is_object() && json.contains("id")) {
    const Json& id = json["id"];
    if (!id.is_string() || !IsId(id.get_ref<const std::string&>())) {
      return Usage(where + ".id: is no name of up to 100 letters, digits, dots, hyphens and underscores");
    }
    rule->id = id.get<std::string>();
    *has_id = true;
  }
  return rule;
}

// Where rules stand in their file. The text of each is searched from where the one before it was found; where it is
// spelled with escapes of another kind, its line is that of the other.
struct RuleLines {
  std::string_view rest;
  size_t line = 1;

  size_t LineOf(std::string_view rule_text) {
    const size_t at = rest.find(Json(rule_text).dump(-1, ' ', false, Json::error_handler_t::replace));
    if (at == std::string_view::npos) return line;
    line += static_cast<size_t>(std::count(rest.begin(), rest.begin() + static_cast<ptrdiff_t>(at), '\n'));
    rest.remove_prefix(at + 1);
    return line;
  }
};

Status ReadRules(const Json& json, std::string_view file, RuleSet* set) {
  if (!json.is_array()) return Usage("rules: is no array");
  // Given ids first: they stay as they are, made ones make way.
  std::vector<std::pair<Rule, bool>> read;
  std::map<std::string, std::string> given;
  RuleLines lines{file};
  for (size_t i = 0; i < json.size(); ++i) {
    const std::string where = fmt::format("rules[{}]", i);
    bool has_id = false;
    Result<Rule> rule = ReadRule(json[i], where, &has_id);
    if (!rule) return rule.error();
    rule->line = lines.LineOf(rule->text);
    if (has_id) {
      const auto [other, is_new] = given.emplace(rule->id, where);
      set->ids.emplace(rule->id, 0);
      if (!is_new) return Usage(fmt::format("{}.id: \"{}\" is the id of {} already", where, rule->id, other->second));
    }
    read.emplace_back(std::move(*rule), has_id);
  }
  for (auto& [rule, has_id] : read) {
    if (has_id) {
      set->rules.push_back(std::move(rule));
    } else {
      AddRule(std::move(rule), set);
    }
  }
  return kOk;
}

}  // namespace

Result<RuleSet> ParseRules(std::string_view json_text) {
  const Result<Json> parsed = ParseJson(json_text);
  if (!parsed) return parsed.error();
  const Json& json = parsed.value();
  if (!json.is_object()) return Usage("is no JSON object, as a file of rules is");
  const auto schema = json.find("schema");
  if (schema == json.end() || !schema->is_string()) {
    return Usage(fmt::format("the field schema is missing; a file of rules begins {{\"schema\": \"{}\"", kSchema));
  }
  const auto& name = schema->get_ref<const std::string&>();
  if (name != kSchema) {
    return Usage(name.starts_with(kSchemaFamily)
                     ? fmt::format("is of another version, {}; this program reads {}", name, kSchema)
                     : fmt::format("is no file of rules but says it is {}; rules are {}", name, kSchema));
  }
  if (Status bad = CheckFields(json, {"$schema", "schema", "compare", "rules"}, "the file")) return *bad;
  RuleSet set;
  if (json.contains("compare")) {
    if (Status bad = ReadCompare(json["compare"], &set.compare)) return *bad;
  }
  if (json.contains("rules")) {
    if (Status bad = ReadRules(json["rules"], json_text, &set)) return *bad;
  }
  return set;
}

}  // namespace tfprof::compare
