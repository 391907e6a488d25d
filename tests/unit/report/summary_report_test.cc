#include "report/summary_report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "report/inventory_fixture.h"
#include "report/ops_fixture.h"
#include "report/write.h"

namespace tfprof::report {
namespace {

using analyze::OpsResult;
using analyze::Side;
using Json = nlohmann::ordered_json;

analyze::TreeResult Scopes(const OpsResult& ops) {
  const analyze::CallTree calls{analyze::CallTreeOptions()};
  return analyze::MakeOpTree(ops, calls, analyze::TreeSelection()).value();
}

TEST_CASE("The summary fits on one screen") {
  const OpsResult result = WorkedExample();
  const std::vector<analyze::FileInventory> files = {TestFile("h1")};
  SummaryReportOptions options;
  options.input_args = {"my logs", "b"};
  options.top_ops = 1;
  TextStyle style;
  style.width = 80;
  CHECK(
      WriteToString(SummaryDocument(result, Scopes(result), files, ReportContext(), options), Format::kTable, style) ==
      R"(Run run1

Input    1 xplane file, 1.9 MB
Host     h1
Span     1.40 ms
Device   2 GPUs, 1 lane · busy 60.0 µs of 100 µs (60.0%)
Threads  1 · 10.0 µs in ops
Scope    a · 50.0% of device op time · 60.0% of host op time

Top device ops · share of 60.0 µs of op time
 Share         Self µs  Count  Type    Name
───────────────────────────────────────────────
 50.0% ██████   30.000      1  MatMul  a/MatMul

Top host ops · share of 10.0 µs of op time
 Share         Self µs  Count  Type    Name
───────────────────────────────────────────────
 60.0% ██████    6.000      1  MatMul  a/MatMul

The device is idle for 40.0 µs (40.0% of its span).
Data quality: nothing missing, nothing odd.

Next
  tfprof-analyze ops 'my logs' b                     every op, host and device
  tfprof-analyze ops 'my logs' b --by type           by type of op
  tfprof-analyze tree 'my logs' b --depth 4 --min 1  by layer
  tfprof-analyze info 'my logs' b                    what is in the files
)");
}

TEST_CASE("The side that was at work for most of the time has its ops first") {
  const auto host_first = [](int64_t device_us, int64_t host_us) {
    const OpsResult result = MakeResult({DeviceOp("MatMul", "d", 1, device_us, device_us),
                                         HostOp("MatMul", "h", 1, host_us, host_us)});
    const std::string text = WriteToString(
        SummaryDocument(result, Scopes(result), {TestFile("h1")}, ReportContext(), SummaryReportOptions()),
        Format::kTable);
    return text.find("Top host ops") < text.find("Top device ops");
  };
  CHECK(host_first(10, 100));
  CHECK_FALSE(host_first(60, 100));
  CHECK_FALSE(host_first(100, 10));
}

TEST_CASE("The JSON document of the summary") {
  const OpsResult result = WorkedExample();
  const std::vector<analyze::FileInventory> files = {TestFile("h1")};
  SummaryReportOptions options;
  options.input_args = {"logs"};
  const Json doc = Json::parse(
      WriteToString(SummaryDocument(result, Scopes(result), files, ReportContext(), options), Format::kJson));
  std::vector<std::string> keys;
  for (const auto& [key, value] : doc.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"schema", "tool", "inputs", "runs", "hosts", "devices", "bytes", "span_us",
                                         "totals", "top_ops", "biggest_scope", "step_ms", "bottleneck", "next",
                                         "diagnostics"});
  CHECK(doc["schema"] == "tfprof-analyze/summary/v1");
  CHECK(doc["runs"].dump() == R"(["run1"])");
  CHECK(doc["devices"][0].dump() == R"({"host":"h1","name":"/device:GPU:0","lanes":2,"events":45})");
  CHECK(doc["span_us"].get<double>() == 1400);
  CHECK(doc["top_ops"]["host"].size() == 2);  // without IDLE
  CHECK(
      doc["top_ops"]["device"][0].dump() ==
      R"({"side":"Device","op_time_fraction":0.5,"self_us":30,"occurrences":1,"op_type":"MatMul","op_name":"a/MatMul"})");
  CHECK(doc["totals"]["device"]["idle_us"].get<double>() == 40);
  CHECK(
      doc["next"].dump() ==
      R"(["tfprof-analyze ops logs","tfprof-analyze ops logs --by type","tfprof-analyze tree logs --depth 4 --min 1","tfprof-analyze info logs"])");
}

TEST_CASE("CSV of the summary has the top ops of both sides") {
  const OpsResult result = WorkedExample();
  const std::vector<analyze::FileInventory> files;
  SummaryReportOptions options;
  options.top_ops = 1;
  CHECK(WriteToString(SummaryDocument(result, Scopes(result), files, ReportContext(), options), Format::kCsv) ==
        "side,op_time_fraction,self_us,occurrences,op_type,op_name\n"
        "Device,0.5,30,1,MatMul,a/MatMul\n"
        "Host,0.6,6,1,MatMul,a/MatMul\n");
}

TEST_CASE("A run without ops says what it holds") {
  const OpsResult result;
  const std::vector<analyze::FileInventory> files = {TestFile("h1")};
  SummaryReportOptions options;
  options.input_args = {"x"};
  const std::string text =
      WriteToString(SummaryDocument(result, Scopes(result), files, ReportContext(), options), Format::kTable);
  CHECK(text.find("No op in it: 4 planes with 237 events.\n") != std::string::npos);
  CHECK(text.find("tfprof-analyze info x  what is in the files\n") != std::string::npos);
  CHECK(text.find("tfprof-analyze ops") == std::string::npos);
}

TEST_CASE("Arguments in commands are quoted for a shell") {
  const OpsResult result;
  const std::vector<analyze::FileInventory> files;
  SummaryReportOptions options;
  options.input_args = {"it's", "$HOME", "", "plain-1.pb"};
  const Json doc = Json::parse(
      WriteToString(SummaryDocument(result, Scopes(result), files, ReportContext(), options), Format::kJson));
  CHECK(doc["next"][0] == R"(tfprof-analyze info 'it'\''s' '$HOME' '' plain-1.pb)");
}

TEST_CASE("Commands to run next keep what chose the input, and take odd names") {
  const OpsResult result;
  const std::vector<analyze::FileInventory> files;
  SummaryReportOptions options;
  options.input_args = {"-d", "-", "a\nb'\\"};
  options.input_flags = {{"run", "-r"}, {"host", "h 1"}};
  const Json doc = Json::parse(
      WriteToString(SummaryDocument(result, Scopes(result), files, ReportContext(), options), Format::kJson));
  CHECK(doc["next"][0] == R"(tfprof-analyze info ./-d - $'a\012b\'\\' --run=-r --host 'h 1')");
}

TEST_CASE("The summary tells step times and whether they wait for input, where steps were looked for") {
  const OpsResult result = WorkedExample();
  const std::vector<analyze::FileInventory> files = {TestFile("h1")};
  analyze::StepsResult steps;
  SummaryReportOptions options;
  options.input_args = {"logs"};
  options.steps = &steps;
  const auto json = [&] {
    return Json::parse(
        WriteToString(SummaryDocument(result, Scopes(result), files, ReportContext(), options), Format::kJson));
  };
  const auto table = [&] {
    return WriteToString(SummaryDocument(result, Scopes(result), files, ReportContext(), options), Format::kTable);
  };
  CHECK(table().find("Step     can't be told: the files hold no step\n") != std::string::npos);
  CHECK(table().find("Verdict") == std::string::npos);
  CHECK(json()["step_ms"]["mean"].is_null());
  CHECK(json()["bottleneck"].is_null());

  // Two steps of 1 and 3 ms, half of each waits for input: more than the 20 % that make it highly input-bound.
  steps.kind = analyze::StepKind::kStep;
  for (const uint64_t ms : {1, 3}) {
    analyze::StepRow row;
    row.total_ps = ms * 1'000'000'000;
    row.parts.ps[static_cast<size_t>(analyze::StepActivity::kWaitInput)] = row.total_ps / 2;
    row.parts.ps[static_cast<size_t>(analyze::StepActivity::kHostCompute)] = row.total_ps / 2;
    steps.rows.push_back(row);
    steps.slowest_ps.push_back(row.total_ps);
  }
  CHECK(json()["step_ms"]["mean"] == 2.0);
  CHECK(json()["bottleneck"] == "host");
  CHECK(table().find("Step     2.00 ms is the median of 2 steps") != std::string::npos);
  CHECK(table().find("Verdict  Highly input-bound: 50.0%") != std::string::npos);
  CHECK(table().find("tfprof-analyze steps logs") != std::string::npos);

  options.steps = nullptr;
  CHECK(json()["step_ms"].is_null());
  CHECK(table().find("Step ") == std::string::npos);
}

}  // namespace
}  // namespace tfprof::report
