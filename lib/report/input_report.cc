#include "report/input_report.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report/tf_data_report.h"

namespace tfprof::report {

using analyze::Compat;
using analyze::InputOp;
using analyze::InputOps;
using analyze::InputVerdict;
using analyze::OpsResult;
using analyze::StepsResult;

namespace {

TablePtr OpTable(const InputOps& input) {
  auto ops = std::make_shared<std::vector<InputOp>>(input.ops);
  auto table = std::make_shared<Table>();
  table->columns = {MakeColumn("name", "Op", Kind::kText),
                    MakeColumn("occurrences", "Count", Kind::kInteger),
                    MakeColumn("total_us", "Total", Kind::kTime),
                    MakeColumn("total_fraction", "Total/self of all", Kind::kFraction),
                    MakeColumn("self_us", "Self", Kind::kTime),
                    MakeColumn("self_fraction", "Share", Kind::kFraction),
                    MakeColumn("category", "Category", Kind::kText)};
  table->columns[0].least_width = 16;
  table->columns[0].readable_width = 34;
  table->columns[3].leave_out = 1;
  table->columns[5].bar = true;
  table->rows = ops->size();
  table->read = [ops](size_t index, Row* row) {
    const InputOp& input_op = (*ops)[index];
    row->kind = RowKind::kPlain;
    row->cells = {std::string_view(input_op.op->op_name),
                  input_op.op->occurrences,
                  Picoseconds{input_op.op->total_ps},
                  input_op.total_fraction,
                  Picoseconds{input_op.op->self_ps},
                  input_op.self_fraction,
                  input_op.category};
  };
  return table;
}

Value BreakdownValue(const InputOps& input) {
  return Value::Object{{"enqueue_us", input.enqueue_us},
                       {"demanded_file_read_us", input.demanded_file_read_us},
                       {"advanced_file_read_us", input.advanced_file_read_us},
                       {"preprocessing_us", input.preprocessing_us},
                       {"unclassified_non_enqueue_us", input.unclassified_non_enqueue_us}};
}

Facts BreakdownFacts(const InputOps& input, Unit unit) {
  Facts facts;
  const auto add = [&](const char* name, double us) {
    if (us > 0) facts.lines.push_back({name, {TimeText(static_cast<int128>(us * 1e6), unit)}});
  };
  add("Copying to the device", input.enqueue_us);
  add("Reading files when asked", input.demanded_file_read_us);
  add("Reading files ahead", input.advanced_file_read_us);
  add("Preprocessing", input.preprocessing_us);
  add("Unclassified", input.unclassified_non_enqueue_us);
  return facts;
}

}  // namespace

Document InputDocument(const OpsResult& ops, const StepsResult& steps, const analyze::TfDataResult& tf_data,
                       const ReportContext& context, const InputReportOptions& options) {
  const InputOps input = analyze::FindInputOps(ops, steps);
  const InputVerdict verdict = analyze::JudgeInput(steps, input.uses_tf_data());
  const analyze::StepShares shares = analyze::SharesOf(steps);
  Document document;
  document.records = OpTable(input);
  Value::Object& json = document.json;
  json = OpenDocument("input", context);
  if (steps.compat != Compat::kNone) json.push_back({"compat", steps.compat == Compat::kLegacy ? "legacy" : "xprof"});
  json.push_back({"conclusion", verdict.statement});
  json.push_back({"bottleneck", verdict.bottleneck});
  json.push_back({"input_fraction", shares.total_ms > 0 ? Value(shares.input / 100) : Value()});
  json.push_back({"ops", document.records});
  json.push_back({"breakdown", BreakdownValue(input)});
  json.push_back({"pipelines", TfDataPipelines(tf_data)});
  json.push_back({"bottlenecks", TfDataBottlenecks(tf_data)});
  CloseDocument(context, &json);

  const bool bound = verdict.bottleneck == "host";
  document.blocks.push_back(Paragraph{{{verdict.statement, bound ? Tone::kWarning : Tone::kPlain}}});
  if (input.ops.empty()) {
    document.blocks.push_back(
        Paragraph{{{"The host side of the files holds no op of an input pipeline (tf.data, infeed)."}}});
  } else {
    document.blocks.push_back(BreakdownFacts(input, options.unit));
    document.blocks.push_back(
        Tables{{{"Input ops on the host", CountText(input.ops.size(), "op", "ops"), document.records}}});
  }
  AppendTfDataBlocks(tf_data, verdict.bottleneck != "device", options.unit, &document.blocks);
  document.blocks.push_back(Paragraph{{DataQuality(context.diagnostics)}});
  return document;
}

}  // namespace tfprof::report
