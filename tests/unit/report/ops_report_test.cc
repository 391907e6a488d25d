#include "report/ops_report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analyze/ops_select.h"
#include "report/ops_fixture.h"
#include "report/write.h"

namespace tfprof::report {
namespace {

using analyze::Compat;
using analyze::OpsBy;
using analyze::OpsResult;
using analyze::OpsRow;
using analyze::Side;
using Json = nlohmann::ordered_json;

ReportContext Context() {
  ReportContext context;
  context.tool.version = "1.2.3";
  context.inputs = {{"logs/host0.xplane.pb", "host0", "2026_01_01", "xplane"}};
  return context;
}

Document Make(const OpsResult& result, std::string_view columns = "", const ReportContext& context = Context()) {
  const Result<OpsColumnChoice> choice = ChooseOpsColumns(columns, result.by);
  REQUIRE(choice.ok());
  OpsReportOptions options;
  options.columns = choice.value();
  return OpsDocument(result, context, options);
}

OpsResult Limited(OpsResult result, uint64_t limit) {
  analyze::OpsSelection selection;
  selection.limit = limit;
  Diagnostics diagnostics;
  analyze::OpsSelector::Create(selection).value().Apply(&result, &diagnostics);
  return result;
}

std::vector<std::string> Keys(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST_CASE("The JSON document is the contract, member by member") {
  const OpsResult result = WorkedExample();
  ReportContext context = Context();
  context.diagnostics.Add(DiagCode::kNoDeviceActivity, "nothing there");
  context.diagnostics.Add(DiagCode::kTruncatedInput, "cut at byte 7");
  CHECK(WriteToString(Make(result, "rank,side,op_name,occurrences,total_us,avg_us,eager", context), Format::kJson) ==
        R"({
  "schema":"tfprof-analyze/ops/v1",
  "tool":{"name":"tfprof-analyze","version":"1.2.3"},
  "inputs":[
    {"path":"logs/host0.xplane.pb","host":"host0","run":"2026_01_01","kind":"xplane"}
  ],
  "include_idle":true,
  "by":"op",
  "columns":["rank","side","op_name","occurrences","total_us","avg_us","eager"],
  "rows":[
    {"rank":1,"side":"Device","op_name":"IDLE","occurrences":0,"total_us":40,"avg_us":0,"eager":false},
    {"rank":2,"side":"Device","op_name":"a/MatMul","occurrences":1,"total_us":30,"avg_us":30,"eager":false},
    {"rank":3,"side":"Device","op_name":"b/Relu","occurrences":1,"total_us":30,"avg_us":30,"eager":false},
    {"rank":4,"side":"Host","op_name":"a/MatMul","occurrences":1,"total_us":10,"avg_us":10,"eager":false},
    {"rank":5,"side":"Host","op_name":"c/Cast","occurrences":1,"total_us":4,"avg_us":4,"eager":false},
    {"rank":6,"side":"Host","op_name":"IDLE","occurrences":0,"total_us":0,"avg_us":0,"eager":false}
  ],
  "others":{"host":null,"device":null},
  "totals":{
    "host":{"lanes":1,"span_us":10,"busy_us":10,"sum_self_us":10,"idle_us":0},
    "device":{"lanes":1,"span_us":100,"busy_us":60,"sum_self_us":60,"idle_us":40,"unattributed_us":0}
  },
  "returned":6,
  "total":6,
  "truncated":false,
  "diagnostics":[
    {"severity":"error","code":"truncated-input","count":1,"message":"cut at byte 7"},
    {"severity":"note","code":"no-device-activity","count":1,"message":"nothing there"}
  ]
}
)");
}

TEST_CASE("Rows have all fields of the contract; fractions of the other side are 0") {
  const OpsResult result = WorkedExample();
  const Json doc = Json::parse(WriteToString(Make(result), Format::kJson));
  CHECK_FALSE(doc.contains("columns"));
  CHECK_FALSE(doc.contains("compat"));
  for (const Json& row : doc["rows"]) {
    CHECK(Keys(row) == std::vector<std::string>{"rank", "side", "op_type", "op_name", "occurrences", "total_us",
                                                "avg_us", "self_us", "avg_self_us", "device_self_fraction",
                                                "device_cumulative_fraction", "host_self_fraction",
                                                "host_cumulative_fraction", "eager"});
  }
  CHECK(doc["rows"][1]["device_self_fraction"].get<double>() == 0.3);
  CHECK(doc["rows"][1]["device_cumulative_fraction"].get<double>() == 0.7);
  CHECK(doc["rows"][1]["host_self_fraction"].get<double>() == 0);
  CHECK(doc["rows"][3]["host_self_fraction"].get<double>() == 0.6);
  CHECK(doc["rows"][3]["device_cumulative_fraction"].get<double>() == 0);
}

TEST_CASE("An empty table is a whole document in every machine format") {
  const OpsResult result;
  const Json doc = Json::parse(WriteToString(Make(result), Format::kJson));
  CHECK(doc["rows"].empty());
  CHECK(doc["totals"]["device"]["unattributed_us"].get<double>() == 0);
  CHECK(WriteToString(Make(result), Format::kCsv).starts_with("rank,side,op_type,op_name,"));
  CHECK(WriteToString(Make(result), Format::kJsonl).empty());
  CHECK(WriteToString(Make(result), Format::kTable) ==
        "There is no op to show.\nData quality: nothing missing, nothing odd.\n");
}

TEST_CASE("Cut rows are beside the rows in JSON, and a last row without rank elsewhere") {
  const OpsResult result = Limited(WorkedExample(), 1);
  const Document document = Make(result);
  const Json doc = Json::parse(WriteToString(document, Format::kJson));
  CHECK(doc["rows"].size() == 4);
  CHECK(doc["others"]["device"].dump() ==
        R"({"rows":1,"occurrences":1,"total_us":30,"avg_us":30,"self_us":30,"avg_self_us":30,"self_fraction":0.3})");
  CHECK(doc["others"]["host"]["self_us"].get<double>() == 4);
  CHECK(doc["returned"].get<int>() == 4);
  CHECK(doc["total"].get<int>() == 6);
  CHECK(doc["truncated"].get<bool>());
  CHECK(WriteToString(document, Format::kCsv) ==
        "rank,side,op_type,op_name,occurrences,total_us,avg_us,self_us,avg_self_us,device_self_fraction,"
        "device_cumulative_fraction,host_self_fraction,host_cumulative_fraction,eager\n"
        "1,Device,IDLE,IDLE,0,40,0,40,0,0.4,0.4,0,0,false\n"
        "2,Device,MatMul,a/MatMul,1,30,30,30,30,0.3,0.7,0,0,false\n"
        ",Device,,others (1 op),1,30,30,30,30,0.3,,0,,\n"
        "3,Host,MatMul,a/MatMul,1,10,10,6,6,0,0,0.6,0.6,false\n"
        "4,Host,IDLE,IDLE,0,0,0,0,0,0,0,0,1,false\n"
        ",Host,,others (1 op),1,4,4,4,4,0,,0.4,,\n");
  const std::string jsonl = WriteToString(document, Format::kJsonl);
  CHECK(jsonl.find("{\"rank\":null,\"side\":\"Device\",\"op_type\":null,\"op_name\":\"others (1 op)\"") !=
        std::string::npos);
}

TEST_CASE("With --by the key is a field of that name") {
  OpsResult result = MakeResult({HostOp("", "", 3, 30, 30), HostOp("", "", 1, 10, 10)});
  result.by = OpsBy::kScope;
  result.rows[0].key = "model/dense";
  const Document document = Make(result);
  const Json doc = Json::parse(WriteToString(document, Format::kJson));
  CHECK(doc["by"] == "scope");
  CHECK(doc["rows"][0]["scope"] == "model/dense");
  CHECK(doc["rows"][1]["scope"] == "");
  CHECK_FALSE(doc["rows"][0].contains("op_name"));
  CHECK(WriteToString(document, Format::kTable).find("(none)") != std::string::npos);
}

TEST_CASE("Durations of single events are added on request, null where unknown") {
  OpsResult result = MakeResult({HostOp("T", "a", 2, 30, 30), HostOp("T", "b", 1, 10, 10)});
  result.rows[0].distribution = analyze::Distribution{10'000'000, 20'500'000, 1.5e7, 2e7, 2.05e7};
  const Json doc = Json::parse(WriteToString(Make(result, "min,max,p50,p99"), Format::kJson));
  CHECK(doc["rows"][0]["min_us"].get<double>() == 10);
  CHECK(doc["rows"][0]["max_us"].get<double>() == 20.5);
  CHECK(doc["rows"][0]["p50_us"].get<double>() == 15);
  CHECK(doc["rows"][0]["p99_us"].get<double>() == 20.5);
  CHECK(doc["rows"][1]["p99_us"].is_null());
  CHECK(doc["columns"].size() == 18);
}

TEST_CASE("Two names that print alike stay two rows") {
  const OpsResult result = MakeResult({HostOp("T", "k\xff", 1, 7, 7), HostOp("T", "k\xfe", 1, 5, 5)});
  const Json doc = Json::parse(WriteToString(Make(result), Format::kJson));
  REQUIRE(doc["rows"].size() == 2);
  CHECK(doc["rows"][0]["op_name"] == "k\uFFFD");
  CHECK(doc["rows"][1]["op_name"] == "k\uFFFD");
}

TEST_CASE("Sums beyond 64 bits print exactly") {
  OpsResult result = MakeResult({HostOp("T", "a", 1, 0, 0)});
  result.rows[0].total_ps = static_cast<__int128>(INT64_MAX) * 4;
  const std::string csv = WriteToString(Make(result, "name,total"), Format::kCsv);
  CHECK(csv == "op_name,total_us\na,36893488147419.103228\n");
}

TEST_CASE("--compat legacy is TensorBoard's CSV, byte for byte") {
  OpsResult result = WorkedExample();
  result.compat = Compat::kLegacy;
  result.has_gpu = true;
  CHECK(
      WriteToString(Make(result), Format::kCsv) ==
      "Rank,Host/device,Type,Operation,#Occurrences,Total time (us),Avg. time (us),Total self-time (us),Avg. self-time "
      "(us),Total self-time on Device (%),Cumulative total-self time on Device (%),Total self-time on Host "
      "(%),Cumulative total-self time on Host (%),GPU TensorCore utilization\r\n"
      "1,Device,IDLE,IDLE,0,40.0,0.0,40.0,0.0,0.4,0.4,0.0,0.0,0.0\r\n"
      "2,Device,MatMul,a/MatMul,1,30.0,30.0,30.0,30.0,0.3,0.7,0.0,0.0,0.0\r\n"
      "3,Device,Relu,b/Relu,1,30.0,30.0,30.0,30.0,0.3,1.0,0.0,0.0,0.0\r\n"
      "4,Host,MatMul,a/MatMul,1,10.0,10.0,6.0,6.0,0.0,0.0,0.6,0.6,0.0\r\n"
      "5,Host,Cast,c/Cast,1,4.0,4.0,4.0,4.0,0.0,0.0,0.4,1.0,0.0\r\n"
      "6,Host,IDLE,IDLE,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,1.0,0.0\r\n");
}

TEST_CASE("--compat xprof is XProf's CSV, byte for byte, with roofline and without a GPU's column") {
  OpsResult result = MakeResult({HostOp("MatMul", "say \"hi\", you", 2, 16, 12)});
  result.compat = Compat::kXprof;
  result.rows[0].eager = true;
  result.rows[0].roofline = analyze::Roofline{1.5, 0.25, 1e-7, 3, 0.5, "Compute"};
  const std::string without_gpu = WriteToString(Make(result), Format::kCsv);
  CHECK(
      without_gpu ==
      "\"Rank\",\"Host/device\",\"Operation Type\",\"Operation Name\",\"#Occurrences\",\"Total time (us)\",\"Avg. time "
      "(us)\",\"Total self-time (us)\",\"Avg. self-time (us)\",\"Total self-time on Device (%)\",\"Cumulative "
      "total-self time on Device (%)\",\"Total self-time on Host (%)\",\"Cumulative total-self time on Host "
      "(%)\",\"Normalized FLOP Rate (FLOPs/s)\",\"Model FLOP Rate (GFLOP/s)\",\"Measured Memory BW "
      "(GBytes/Sec)\",\"Operational Intensity (FLOPs/Byte)\",\"Bound by\",\"Execution mode\"\n"
      "\"1.0\",\"Host\",\"MatMul\",\"say \"\"hi\"\", you\",\"2.0\",\"16.0\",\"8.0\",\"12.0\",\"6.0\",\"0.0\",\"0.0\","
      "\"1.0\",\"1.0\",\"1.5\",\"0.25\",\"1e-07\",\"3.0\",\"Compute\",\"Eager\"\n");
  result.has_gpu = true;
  const std::string with_gpu = WriteToString(Make(result), Format::kCsv);
  CHECK(with_gpu.find("\"Operational Intensity (FLOPs/Byte)\",\"GPU TensorCore utilization\",\"Bound by\"") !=
        std::string::npos);
  CHECK(with_gpu.find("\"3.0\",\"0.5\",\"Compute\"") != std::string::npos);
}

TEST_CASE("A compatible mode keeps our layout for JSON, other groupings and chosen columns") {
  OpsResult result = WorkedExample();
  result.compat = Compat::kXprof;
  const Json doc = Json::parse(WriteToString(Make(result), Format::kJson));
  CHECK(doc["compat"] == "xprof");
  CHECK(doc["rows"].size() == 6);
  CHECK(WriteToString(Make(result, "name,self"), Format::kCsv).starts_with("op_name,self_us\nIDLE,40\n"));
  CHECK(WriteToString(Make(Limited(result, 1)), Format::kCsv).find("others") == std::string::npos);
  result.by = OpsBy::kType;
  CHECK(WriteToString(Make(result), Format::kCsv).starts_with("rank,side,type,"));
}

TEST_CASE("The sentences below the table say what the numbers mean") {
  OpsResult result = WorkedExample();
  result.device.sum_self_ps = 90 * kPsPerMicrosecond;
  result.device.unattributed_ps = 9 * kPsPerMicrosecond;
  result.host.lanes = 3;
  TextStyle wide;
  wide.wide = true;
  const std::string text = WriteToString(Make(result), Format::kTable, wide);
  CHECK(
      text.find("Device: busy 60.0 µs of 100 µs (60.0%), idle 40.0 µs (40.0%). Its streams overlap: op times add up to "
                "90.0 µs.\n") != std::string::npos);
  CHECK(text.find("Host: 10.0 µs in ops over 3 threads; idle 0 ns, counted for each thread between its first and last "
                  "op.\n") != std::string::npos);
  CHECK(text.find("9.00 µs of the device's op time (10.0%) belongs to no framework op: rows of type Unknown.\n") !=
        std::string::npos);
  CHECK(text.find("Shares are of op time and idle together (--no-idle leaves idle out).\n") != std::string::npos);
}

}  // namespace
}  // namespace tfprof::report
