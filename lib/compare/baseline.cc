#include "compare/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "compare/profile_of_run.h"

namespace tfprof::compare {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "tfprof-analyze/baseline/v1";
constexpr std::string_view kSchemaFamily = "tfprof-analyze/baseline/";
constexpr double kMostPs = 9.2e18;

Error Bad(std::string message) { return {DiagCode::kUnreadableInput, std::move(message)}; }

// Reads members of an object; the first that is missing, or of another type, is kept for the message.
class Fields {
 public:
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) problem_ = fmt::format("{} is no object", where_);
  }

  std::string Text(const char* key) {
    const Json* value = Find(key);
    if (value != nullptr && value->is_string()) return value->get<std::string>();
    return Miss(key, "text"), std::string();
  }
  bool Boolean(const char* key) {
    const Json* value = Find(key);
    if (value != nullptr && value->is_boolean()) return value->get<bool>();
    return Miss(key, "true or false"), false;
  }
  double Number(const char* key) {
    const Json* value = Find(key);
    if (value != nullptr && value->is_number() && value->get<double>() >= 0 && value->get<double>() <= kMostPs) {
      return value->get<double>();
    }
    return Miss(key, "number from 0 on"), 0;
  }
  // Whole numbers keep all their digits: they never go through a double.
  int64_t Whole(const char* key) {
    const Json* value = Find(key);
    const bool fits = value != nullptr && value->is_number_integer() &&
                      (value->is_number_unsigned() ? value->get<uint64_t>() <= INT64_MAX : value->get<int64_t>() >= 0);
    if (fits) return value->get<int64_t>();
    return Miss(key, "whole number from 0 on"), 0;
  }
  uint64_t Count(const char* key) { return static_cast<uint64_t>(Whole(key)); }
  std::optional<double> OptionalNumber(const char* key) {
    const Json* value = Find(key);
    return value == nullptr || value->is_null() ? std::nullopt : std::optional(Number(key));
  }
  // Null: not there, or no object or array, as asked for.
  const Json* Object(const char* key) {
    const Json* value = Find(key);
    if (value != nullptr && value->is_object()) return value;
    return Miss(key, "object"), nullptr;
  }
  const Json* Array(const char* key) {
    const Json* value = Find(key);
    if (value != nullptr && value->is_array()) return value;
    return Miss(key, "list"), nullptr;
  }
  const Json* Find(const char* key) const {
    if (!object_.is_object()) return nullptr;
    const auto at = object_.find(key);
    return at == object_.end() ? nullptr : &*at;
  }

  const std::string& problem() const { return problem_; }
  void Take(const Fields& other) {
    if (problem_.empty()) problem_ = other.problem_;
  }

 private:
  void Miss(const char* key, const char* expected) {
    if (problem_.empty()) problem_ = fmt::format("{}: {} is missing or no {}", where_, key, expected);
  }

  const Json& object_;
  std::string where_, problem_;
};

SideFigures SideOf(const Json& json, const std::string& where, Fields* parent) {
  Fields fields(json, where);
  SideFigures side;
  side.lanes = fields.Count("lanes");
  side.span_ps = fields.Whole("span_ps");
  side.busy_ps = fields.Whole("busy_ps");
  side.idle_ps = fields.Whole("idle_ps");
  side.sum_self_ps = fields.Whole("sum_self_ps");
  side.unattributed_ps = fields.Whole("unattributed_ps");
  parent->Take(fields);
  return side;
}

StepFigures StepsOf(const Json& json, const std::string& where, Fields* parent) {
  Fields fields(json, where);
  StepFigures steps;
  steps.count = fields.Count("count");
  steps.warm_up = fields.Count("warm_up");
  steps.marked = fields.Boolean("marked");
  steps.hold_work = fields.Find("hold_work") == nullptr || fields.Boolean("hold_work");  // not told of old
  steps.mean_ps = fields.Number("mean_ps");
  steps.median_ps = fields.Number("median_ps");
  steps.p95_ps = fields.Number("p95_ps");
  steps.min_ps = fields.Number("min_ps");
  steps.max_ps = fields.Number("max_ps");
  steps.stddev_ps = fields.Number("stddev_ps");
  parent->Take(fields);
  return steps;
}

OpFigures OpOf(const Json& json, const std::string& where, Fields* parent) {
  Fields fields(json, where);
  OpFigures op;
  const std::string side = fields.Text("side");
  op.key = {side == "Device" ? trace::Side::kDevice : trace::Side::kHost, fields.Text("op_type"),
            fields.Text("op_name")};
  op.occurrences = fields.Count("occurrences");
  op.self_ps = fields.Whole("self_ps");
  op.total_ps = fields.Whole("total_ps");
  op.self_per_step_ps = fields.OptionalNumber("self_per_step_ps");
  op.occurrences_per_step = fields.OptionalNumber("occurrences_per_step");
  parent->Take(fields);
  return op;
}

std::vector<std::pair<std::string, uint64_t>> CountsOf(const Json* json, const std::string& where, Fields* parent) {
  std::vector<std::pair<std::string, uint64_t>> counts;
  if (json == nullptr) return counts;
  Fields fields(*json, where);
  for (const auto& [key, value] : json->items()) counts.emplace_back(key, fields.Count(key.c_str()));
  parent->Take(fields);
  return counts;
}

RunProfile RunOf(const Json& json, const std::string& where, std::string* problem) {
  Fields fields(json, where);
  RunProfile run;
  run.label = fields.Text("label");
  if (const Json* environment = fields.Object("environment")) {
    Fields told(*environment, where + ", environment");
    run.environment = {told.Text("kind"), told.Text("device_type"), told.Text("framework"), told.Count("hosts"),
                       told.Count("devices")};
    fields.Take(told);
  }
  if (const Json* steps = fields.Find("steps"); steps != nullptr && !steps->is_null()) {
    run.steps = StepsOf(*steps, where + ", steps", &fields);
  }
  if (const Json* host = fields.Object("host")) run.host = SideOf(*host, where + ", host", &fields);
  if (const Json* device = fields.Object("device")) run.device = SideOf(*device, where + ", device", &fields);
  run.memory_peaks = CountsOf(fields.Object("memory_peak_bytes"), where + ", memory_peak_bytes", &fields);
  if (fields.OptionalNumber("kernel_launches")) run.kernel_launches = fields.Count("kernel_launches");
  run.input_fraction = fields.OptionalNumber("input_fraction");
  run.bottleneck = fields.Text("bottleneck");
  run.damaged = fields.Boolean("damaged");
  run.diagnostics = CountsOf(fields.Object("diagnostics"), where + ", diagnostics", &fields);
  if (const Json* ops = fields.Array("ops")) {
    size_t place = 0;
    for (const Json& op : *ops) run.ops.push_back(OpOf(op, fmt::format("{}, op {}", where, ++place), &fields));
  }
  SortOps(&run.ops);
  *problem = fields.problem();
  return run;
}

std::string Quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace);
}

// A double that is whole prints as one.
std::string Number(double value) {
  if (value == std::floor(value) && std::abs(value) < 9e15) return fmt::format("{}", static_cast<int64_t>(value));
  return fmt::format("{}", value);
}

std::string OrNull(const std::optional<double>& value) { return value ? Number(*value) : "null"; }

void AppendSide(const char* name, const SideFigures& side, std::string* out) {
  *out += fmt::format(
      "     \"{}\": {{\"lanes\": {}, \"span_ps\": {}, \"busy_ps\": {}, \"idle_ps\": {}, \"sum_self_ps\": {}, "
      "\"unattributed_ps\": {}}},\n",
      name, side.lanes, side.span_ps, side.busy_ps, side.idle_ps, side.sum_self_ps, side.unattributed_ps);
}

void AppendCounts(const char* name, const std::vector<std::pair<std::string, uint64_t>>& counts, std::string* out) {
  *out += fmt::format("     \"{}\": {{", name);
  for (size_t i = 0; i < counts.size(); ++i) {
    *out += fmt::format("{}{}: {}", i == 0 ? "" : ", ", Quoted(counts[i].first), counts[i].second);
  }
  *out += "},\n";
}

void AppendOp(const OpFigures& op, std::string* out) {
  *out += fmt::format(
      "      {{\"side\": \"{}\", \"op_type\": {}, \"op_name\": {}, \"occurrences\": {}, \"self_ps\": {}, \"total_ps\": "
      "{}",
      op.key.side == trace::Side::kDevice ? "Device" : "Host", Quoted(op.key.op_type), Quoted(op.key.op_name),
      op.occurrences, op.self_ps, op.total_ps);
  if (op.self_per_step_ps) *out += fmt::format(", \"self_per_step_ps\": {}", Number(*op.self_per_step_ps));
  if (op.occurrences_per_step) *out += fmt::format(", \"occurrences_per_step\": {}", Number(*op.occurrences_per_step));
  *out += "}";
}

void AppendRun(const RunProfile& run, std::string* out) {
  const Environment& told = run.environment;
  *out += fmt::format("    {{\"label\": {},\n", Quoted(run.label));
  *out += fmt::format(
      "     \"environment\": {{\"kind\": {}, \"device_type\": {}, \"framework\": {}, \"hosts\": {}, \"devices\": "
      "{}}},\n",
      Quoted(told.kind), Quoted(told.device_type), Quoted(told.framework), told.hosts, told.devices);
  if (run.steps) {
    *out += fmt::format(
        "     \"steps\": {{\"count\": {}, \"warm_up\": {}, \"marked\": {}, \"hold_work\": {}, \"mean_ps\": {}, "
        "\"median_ps\": {}, "
        "\"p95_ps\": {}, \"min_ps\": {}, \"max_ps\": {}, \"stddev_ps\": {}}},\n",
        run.steps->count, run.steps->warm_up, run.steps->marked, run.steps->hold_work, Number(run.steps->mean_ps),
        Number(run.steps->median_ps), Number(run.steps->p95_ps), Number(run.steps->min_ps), Number(run.steps->max_ps),
        Number(run.steps->stddev_ps));
  } else {
    *out += "     \"steps\": null,\n";
  }
  AppendSide("host", run.host, out);
  AppendSide("device", run.device, out);
  AppendCounts("memory_peak_bytes", run.memory_peaks, out);
  *out += fmt::format("     \"kernel_launches\": {},\n",
                      run.kernel_launches ? fmt::format("{}", *run.kernel_launches) : std::string("null"));
  *out += fmt::format("     \"input_fraction\": {},\n     \"bottleneck\": {},\n     \"damaged\": {},\n",
                      OrNull(run.input_fraction), Quoted(run.bottleneck), run.damaged);
  AppendCounts("diagnostics", run.diagnostics, out);
  *out += "     \"ops\": [";
  for (size_t i = 0; i < run.ops.size(); ++i) {
    *out += i == 0 ? "\n" : ",\n";
    AppendOp(run.ops[i], out);
  }
  *out += run.ops.empty() ? "]}" : "\n     ]}";
}

}  // namespace

Result<Baseline> ParseBaseline(std::string_view text) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    return Bad("the baseline is no whole JSON document: it was cut off, or a merge left conflict marks in it");
  }
  Fields head(document, "the baseline");
  const std::string schema = head.Text("schema");
  if (schema != kSchema) {
    return Bad(schema.starts_with(kSchemaFamily)
                   ? fmt::format("the baseline has the schema \"{}\"; this version reads \"{}\": save it anew", schema,
                                 kSchema)
                   : std::string("it is no baseline"));
  }
  Baseline baseline;
  const Json* runs = head.Array("runs");
  if (runs == nullptr) return Bad(head.problem());
  size_t place = 0;
  for (const Json& json : *runs) {
    std::string problem;
    baseline.runs.push_back(RunOf(json, fmt::format("run {}", ++place), &problem));
    if (!problem.empty()) return Bad(problem);
  }
  if (baseline.runs.empty()) return Bad("the baseline holds no run");
  return baseline;
}

std::string WriteBaseline(const Baseline& baseline) {
  std::string out = fmt::format("{{\n  \"schema\": \"{}\",\n  \"runs\": [", kSchema);
  for (size_t i = 0; i < baseline.runs.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    AppendRun(baseline.runs[i], &out);
  }
  out += baseline.runs.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return out;
}

}  // namespace tfprof::compare
