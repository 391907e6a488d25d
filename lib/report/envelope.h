// What every document begins and ends with: schema, tool, inputs … diagnostics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "report/document.h"

namespace tfprof::report {

struct ToolInfo {
  std::string name = "tfprof-analyze";
  std::string version;
};

struct InputInfo {
  std::string path, host, run, kind;
};

struct ReportContext {
  ToolInfo tool;
  std::vector<InputInfo> inputs;
  Diagnostics diagnostics;
};

// The members `schema`, `tool` and `inputs` of a command's document.
Value::Object OpenDocument(std::string_view command, const ReportContext& context);
// The last member.
void CloseDocument(const ReportContext& context, Value::Object* document);

// One sentence on data quality, for the foot of a page; the messages themselves are the command's business (stderr).
Sentence DataQuality(const Diagnostics& diagnostics);

}  // namespace tfprof::report
