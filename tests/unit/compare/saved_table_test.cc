#include "compare/saved_table.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "compare/delimited_text.h"

namespace tfprof::compare {
namespace {

const std::string kJsonHead = R"({"schema":"tfprof-analyze/ops/v1","inputs":[],"include_idle":true,"by":"op","rows":[)";
const std::string kRow = R"({"rank":1,"side":"Device","op_type":"MatMul","op_name":"a/MatMul","occurrences":3,)"
                         R"("total_us":30.000001,"self_us":12.5})";
const std::string kLegacyHeader =
    "Rank,Host/device,Type,Operation,#Occurrences,Total time (us),Avg. time (us),Total self-time (us),Avg. self-time "
    "(us),Total self-time on Device (%)\r\n";

Result<RunProfile> Parse(const std::string& text, Diagnostics* diagnostics = nullptr) {
  Diagnostics ignored;
  return ParseSavedTable(text, DetectSaved(text), "saved", diagnostics == nullptr ? &ignored : diagnostics);
}

std::string ErrorOf(const std::string& text) {
  const Result<RunProfile> parsed = Parse(text);
  return parsed ? "none" : parsed.error().message;
}

std::vector<std::vector<std::string>> RecordsOf(const std::string& text) {
  DelimitedText lines(text);
  std::vector<std::vector<std::string>> records;
  for (std::vector<std::string> cells; lines.Next(&cells);) records.push_back(cells);
  return records;
}

}  // namespace

TEST_CASE("what saved results are, their beginning tells") {
  CHECK(DetectSaved(kJsonHead) == SavedKind::kOpsJson);
  CHECK(DetectSaved("\xef\xbb\xbf {\n \"schema\" : \"tfprof-analyze/baseline/v7\"") == SavedKind::kBaseline);
  CHECK(DetectSaved("{\n  \"runs\": [\n") == SavedKind::kBaseline);  // sorted by key
  CHECK(DetectSaved(R"({"schema":"tfprof-analyze/steps/v1")") == SavedKind::kOtherDocument);
  CHECK(DetectSaved("rank,side,op_type,op_name,occurrences,total_us,self_us\n") == SavedKind::kOpsCsv);
  CHECK(DetectSaved("rank\tside\top_type\top_name\toccurrences\ttotal_us\tself_us\n") == SavedKind::kOpsCsv);
  CHECK(DetectSaved(kLegacyHeader) == SavedKind::kTensorBoardCsv);
  CHECK(DetectSaved("\"Rank\",\"Host/device\",\"Total self-time (us)\"\n") == SavedKind::kTensorBoardCsv);
  CHECK(DetectSaved(R"({"traceEvents":[{"name":"tfprof-analyze/ops/v1"}]})") == SavedKind::kNone);
  CHECK(DetectSaved("") == SavedKind::kNone);
  CHECK(DetectSaved("\x0a\x10plane") == SavedKind::kNone);
}

TEST_CASE("a table of chosen rows is known by its shares, which stay those of the whole") {
  const auto lacks_rows = [](const std::string& text) {
    Diagnostics found;
    REQUIRE(Parse(text, &found).ok());
    return found.Has(DiagCode::kPartialTable);
  };
  const std::string row = R"({"side":"Host","op_type":"Mul","op_name":"m","occurrences":1,"total_us":5,"self_us":5,)";
  CHECK(lacks_rows(kJsonHead + row + R"("host_self_fraction":0.4}]})"));
  CHECK_FALSE(lacks_rows(kJsonHead + row + R"("host_self_fraction":1}]})"));
  CHECK_FALSE(lacks_rows(kJsonHead + row + R"("eager":false}]})"));  // tells no shares
  const std::string header = "side,op_type,op_name,occurrences,total_us,self_us,host_self_fraction\n";
  CHECK(lacks_rows(header + "Host,Mul,m,1,5,5,0.4\n"));
  CHECK_FALSE(lacks_rows(header + "Host,Mul,m,1,5,5,0.4\nHost,IDLE,IDLE,0,7,7,0.6\n"));
}

TEST_CASE("a saved JSON table has its times back to the picosecond") {
  const Result<RunProfile> run = Parse(
      kJsonHead + kRow + R"(,{"side":"Device","op_type":"IDLE","op_name":"IDLE","occurrences":0,"total_us":7,)" +
      R"("self_us":7}],"totals":{"device":{"lanes":2,"span_us":40,"busy_us":33,"sum_self_us":12.5,"idle_us":7,)" +
      R"("unattributed_us":1.5}},"truncated":false,"diagnostics":[{"severity":"error","code":"truncated-input",)" +
      R"("count":2,"message":"cut"}]})");
  REQUIRE(run.ok());
  REQUIRE(run.value().ops.size() == 1);  // IDLE is no op
  const OpFigures& op = run.value().ops[0];
  CHECK(op.key == OpKey{trace::Side::kDevice, "MatMul", "a/MatMul"});
  CHECK(op.occurrences == 3);
  CHECK(op.total_ps == 30'000'001);
  CHECK(op.self_ps == 12'500'000);
  CHECK_FALSE(op.self_per_step_ps);
  CHECK(run.value().device.idle_ps == 7'000'000);
  CHECK(run.value().device.unattributed_ps == 1'500'000);
  CHECK(run.value().device.lanes == 2);
  CHECK(run.value().damaged);
  CHECK(run.value().label == "saved");
}

TEST_CASE("CSV of TensorBoard's two eras and ours hold the same run") {
  const std::string legacy = kLegacyHeader + "1,Device,IDLE,IDLE,0,40.0,0.0,40.0,0.0,0.4\r\n" +
                             "2,Device,MatMul,\"a,\"\"b\"\"\",1,30.0,30.0,30.0,30.0,0.3\r\n";
  const std::string xprof =
      "\"Rank\",\"Host/device\",\"Operation Type\",\"Operation Name\",\"#Occurrences\",\"Total time (us)\","
      "\"Total self-time (us)\"\n\"1.0\",\"Device\",\"IDLE\",\"IDLE\",\"0.0\",\"40.0\",\"40.0\"\n"
      "\"2.0\",\"Device\",\"MatMul\",\"a,\"\"b\"\"\",\"1.0\",\"30.0\",\"30.0\"\n";
  const std::string ours =
      "rank,side,op_type,op_name,occurrences,total_us,self_us\n1,Device,IDLE,IDLE,0,40,40\n"
      "2,Device,MatMul,\"a,\"\"b\"\"\",1,30,30\n";
  for (const std::string& text : {legacy, xprof, ours}) {
    INFO(text);
    const Result<RunProfile> run = Parse(text);
    REQUIRE(run.ok());
    REQUIRE(run.value().ops.size() == 1);
    CHECK(run.value().ops[0].key.op_name == "a,\"b\"");
    CHECK(run.value().ops[0].self_ps == 30'000'000);
    CHECK(run.value().device.idle_ps == 40'000'000);
    CHECK(run.value().device.sum_self_ps == 30'000'000);
  }
}

TEST_CASE("a table without all of its rows is told") {
  Diagnostics json, csv, official;
  CHECK(Parse(kJsonHead + kRow + R"(],"truncated":true,"returned":1,"total":9})", &json).ok());
  REQUIRE(json.Has(DiagCode::kPartialTable));
  CHECK(json.items()[0].count == 8);
  const Result<RunProfile> run = Parse(
      "rank,side,op_type,op_name,occurrences,total_us,self_us\n1,Host,A,a,1,2,2\n,Host,,others (7 ops),9,5,5\n", &csv);
  REQUIRE(run.ok());
  CHECK(run.value().ops.size() == 1);
  CHECK(csv.Has(DiagCode::kPartialTable));
  std::string rows = kLegacyHeader;
  for (int i = 1; i < 500; ++i) rows += "1,Host,A,a" + std::to_string(i) + ",1,1,1,1,1,0\r\n";
  Diagnostics whole;
  CHECK(Parse(rows, &whole).ok());
  CHECK(whole.Empty());
  CHECK(Parse(rows + "1,Host,A,a500,1,1,1,1,1,0\r\n", &official).ok());
  CHECK(official.Has(DiagCode::kPartialTable));
}

TEST_CASE("oddities beside the rows are no harm") {
  const Result<RunProfile> run =
      Parse(kJsonHead + kRow + R"(],"truncated":true,"total":"x","totals":{"device":{"lanes":1e300}},)" +
            R"("diagnostics":[{"code":"overrun","count":"many"},{"code":"overrun","count":-1e300},7]})");
  REQUIRE(run.ok());
  CHECK(run.value().ops.size() == 1);
  std::string rows;
  for (int i = 0; i < 3; ++i) {
    rows += R"({"side":"Host","op_type":"A","op_name":"a","occurrences":9e18,"total_us":9e12,"self_us":9e12},)";
  }
  const Result<RunProfile> large = Parse(kJsonHead + rows + kRow + "]}");
  REQUIRE(large.ok());
  CHECK(large.value().host.sum_self_ps == INT64_MAX);
  CHECK(large.value().ops.size() == 2);
  for (const OpFigures& op : large.value().ops) CHECK(op.self_ps > 0);
}

TEST_CASE("a saved table that is of no use says why") {
  using Catch::Contains;
  CHECK_THAT(ErrorOf(kJsonHead + kRow), Contains("cut off"));
  CHECK_THAT(ErrorOf(R"({"schema":"tfprof-analyze/ops/v2","by":"op","rows":[]})"), Contains("tfprof-analyze/ops/v2"));
  CHECK_THAT(ErrorOf(R"({"schema":"tfprof-analyze/ops/v1","by":"type","rows":[]})"), Contains("save it by op"));
  CHECK_THAT(ErrorOf(R"({"schema":"tfprof-analyze/steps/v1"})"), Contains("`steps`"));
  CHECK_THAT(ErrorOf(kJsonHead + R"({"side":"Host"}]})"), Contains("row 1: there is no op_type"));
  CHECK_THAT(ErrorOf(kJsonHead + R"({"side":"Mars","op_type":"A","op_name":"a","occurrences":1,"total_us":1,)" +
                     R"("self_us":1}]})"),
             Contains("\"Mars\" is no side"));
  CHECK_THAT(ErrorOf(kJsonHead + R"({"side":"Host","op_type":"A","op_name":"a","occurrences":1,"total_us":-1,)" +
                     R"("self_us":1}]})"),
             Contains("negative"));
  const std::string header = "rank,side,op_type,op_name,occurrences,total_us,self_us\n";
  CHECK_THAT(ErrorOf("rank,side,type,occurrences,total_us,self_us\n"), Contains("no column for the op type"));
  CHECK_THAT(ErrorOf(header + "1,Host,A,a,1\n"), Contains("line 2: it has 5 fields, the header 7"));
  CHECK_THAT(ErrorOf(header + "1,Host,A,a,1,nan,1\n"), Contains("no number"));
  CHECK_THAT(ErrorOf(header + "1,Host,A,a,1,2,1\n1,Host,A,\"b"), Contains("fields"));
}

TEST_CASE("delimited text: quotes, line ends, escapes of TSV") {
  using Records = std::vector<std::vector<std::string>>;
  CHECK(RecordsOf("a,b\r\n\"x\ny\",\"\"\n\n,z") == Records{{"a", "b"}, {"x\ny", ""}, {"", "z"}});
  CHECK(RecordsOf("a\tb\nx\\ty\\\\\t\"q\"\n") == Records{{"a", "b"}, {"x\ty\\", "\"q\""}});
  CHECK(RecordsOf("a,\n") == Records{{"a", ""}});
  CHECK(RecordsOf("").empty());
  DelimitedText cut("a,\"b");
  std::vector<std::string> cells;
  CHECK(cut.Next(&cells));
  CHECK(cut.unclosed());
}

}  // namespace tfprof::compare
