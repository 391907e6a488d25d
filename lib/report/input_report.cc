#include "report/input_report.h"

#include "report/tf_data_report.h"

namespace tfprof::report {

Document InputDocument(const analyze::TfDataResult& tf_data, const ReportContext& context, Unit unit) {
  Document document;
  document.json = OpenDocument("input", context);
  document.json.push_back({"pipelines", TfDataPipelines(tf_data)});
  document.json.push_back({"bottlenecks", TfDataBottlenecks(tf_data)});
  CloseDocument(context, &document.json);
  document.records = TfDataRecords(tf_data);
  AppendTfDataBlocks(tf_data, unit, &document.blocks);
  document.blocks.push_back(Paragraph{{DataQuality(context.diagnostics)}});
  return document;
}

}  // namespace tfprof::report
