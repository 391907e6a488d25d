#include "report/envelope.h"

#include <fmt/format.h>

#include <map>

#include "report/number.h"

namespace tfprof::report {

Value::Object OpenDocument(std::string_view command, const ReportContext& context) {
  Value::Array inputs;
  for (const InputInfo& input : context.inputs) {
    inputs.push_back(
        Value::Object{{"path", input.path}, {"host", input.host}, {"run", input.run}, {"kind", input.kind}});
  }
  return {{"schema", fmt::format("tfprof-analyze/{}/v1", command)},
          {"tool", Value::Object{{"name", context.tool.name}, {"version", context.tool.version}}},
          {"inputs", std::move(inputs)}};
}

void CloseDocument(const ReportContext& context, Value::Object* document) {
  Value::Array diagnostics;
  for (const Diagnostic& diagnostic : context.diagnostics.Sorted()) {
    diagnostics.push_back(Value::Object{{"severity", SeverityName(SeverityOf(diagnostic.code))},
                                        {"code", CodeName(diagnostic.code)},
                                        {"count", diagnostic.count},
                                        {"message", diagnostic.message}});
  }
  document->push_back({"diagnostics", std::move(diagnostics)});
}

Sentence DataQuality(const Diagnostics& diagnostics) {
  // Codes in the order of severity, each with its count; notes are no matter of quality.
  Tone tone = Tone::kGood;
  std::vector<DiagCode> order;
  std::map<DiagCode, uint64_t> counts;
  for (const Diagnostic& diagnostic : diagnostics.Sorted()) {
    const Severity severity = SeverityOf(diagnostic.code);
    if (severity == Severity::kNote) continue;
    if (severity == Severity::kError) tone = Tone::kError;
    if (severity == Severity::kWarning && tone == Tone::kGood) tone = Tone::kWarning;
    if (counts[diagnostic.code] == 0) order.push_back(diagnostic.code);
    counts[diagnostic.code] += diagnostic.count;
  }
  if (order.empty()) return {"Data quality: nothing missing, nothing odd.", tone};
  std::string text = tone == Tone::kError ? "Data quality: part of the input is lost" : "Data quality: look closer";
  for (size_t i = 0; i < order.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? " – " : ", ", CodeName(order[i]));
    if (counts[order[i]] > 1) text += fmt::format(" ×{}", GroupedText(counts[order[i]]));
  }
  return {text + ".", tone};
}

}  // namespace tfprof::report
