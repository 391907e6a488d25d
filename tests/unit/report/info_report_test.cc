#include "report/info_report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "report/inventory_fixture.h"
#include "report/write.h"

namespace tfprof::report {
namespace {

using Json = nlohmann::ordered_json;
using trace::Role;
using trace::Side;

TEST_CASE("The JSON document of info") {
  std::vector<analyze::FileInventory> files = {TestFile("h1")};
  files[0].planes.resize(1);
  files[0].beside_lanes = {{"flow arrows", 3}};
  files[0].errors = {"boom"};
  ReportContext context;
  context.tool.version = "1";
  CHECK(WriteToString(InfoDocument(files, context), Format::kJson) ==
        R"({
  "schema":"tfprof-analyze/info/v1",
  "tool":{"name":"tfprof-analyze","version":"1"},
  "inputs":[],
  "files":[
    {
      "path":"logs/run1/h1.xplane.pb",
      "bytes":1950000,
      "kind":"xplane",
      "kind_reason":"it begins as an XSpace",
      "host":"h1",
      "run":"run1",
      "planes":[
        {
          "name":"/host:CPU",
          "lanes":3,
          "events":150,
          "ops":25,
          "span_us":5000,
          "lane_list":[
            {"id":"-7","name":"python","side":"Host","role":"host thread","events":100,"ops":0,"first_us":0,"last_us":5000},
            {"id":"8","name":"worker","side":"Host","role":"host thread","events":20,"ops":10,"first_us":100,"last_us":900},
            {"id":"9","name":"","side":"Host","role":"host thread","events":30,"ops":15,"first_us":200,"last_us":1000}
          ]
        }
      ],
      "beside_lanes":[
        {"what":"flow arrows","count":3}
      ],
      "errors":["boom"],
      "warnings":[]
    }
  ],
  "diagnostics":[]
}
)");
}

TEST_CASE("What has no time has no span") {
  analyze::FileInventory file;
  file.planes = {TestPlane("p", {TestLane("l", 1, Side::kHost, Role::kOther, 0, 0)}), TestPlane("empty", {})};
  const std::vector<analyze::FileInventory> files = {file};
  const Json doc = Json::parse(WriteToString(InfoDocument(files, ReportContext()), Format::kJson));
  const Json& planes = doc["files"][0]["planes"];
  CHECK(planes[0]["span_us"].is_null());
  CHECK(planes[0]["lane_list"][0]["first_us"].is_null());
  CHECK(planes[1]["lane_list"].empty());
}

TEST_CASE("CSV of info has a record for each plane") {
  const std::vector<analyze::FileInventory> files = {TestFile("h1")};
  CHECK(WriteToString(InfoDocument(files, ReportContext()), Format::kCsv) ==
        "path,kind,host,run,plane,lanes,events,ops,span_us\n"
        "logs/run1/h1.xplane.pb,xplane,h1,run1,/host:CPU,3,150,25,5000\n"
        "logs/run1/h1.xplane.pb,xplane,h1,run1,/device:GPU:0,3,47,45,9000\n"
        "logs/run1/h1.xplane.pb,xplane,h1,run1,/device:GPU:1,1,40,40,1100\n"
        "logs/run1/h1.xplane.pb,xplane,h1,run1,/host:metadata,0,0,0,\n");
}

TEST_CASE("For people the lanes with most events stand under their plane, in file order") {
  std::vector<analyze::FileInventory> files = {TestFile("h1")};
  files[0].planes.resize(1);
  files[0].warnings = {"only half of it"};
  InfoReportOptions options;
  options.lanes_per_plane = 2;
  CHECK(WriteToString(InfoDocument(files, ReportContext(), options), Format::kTable) ==
        R"(logs/run1/h1.xplane.pb

Kind  xplane – it begins as an XSpace
Size  1.9 MB
Host  h1
Run   run1

Plane and its lanes  What         Lanes  Events  Ops  Span µs
─────────────────────────────────────────────────────────────
/host:CPU                             3     150   25  5,000.0
  python             host thread            100    0  5,000.0
  lane 9             host thread             30   15    800.0
  others (1 lane)                            20   10    800.0

The profiler's warning: only half of it

Data quality: nothing missing, nothing odd.
)");
  options.lanes_per_plane = 0;
  const std::string all = WriteToString(InfoDocument(files, ReportContext(), options), Format::kTable);
  CHECK(all.find("  worker  ") != std::string::npos);
  CHECK(all.find("others") == std::string::npos);
}

}  // namespace
}  // namespace tfprof::report
