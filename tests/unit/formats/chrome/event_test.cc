// Texts, numbers and arguments of an event, as far as they show in lanes.
#include "formats/chrome/event.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/chrome/recording.h"

namespace tfprof::chrome {
namespace {

using Texts = std::vector<std::string>;

// The name that an op gets from this JSON text.
std::string NameFrom(const std::string& json) {
  const Texts events = ReadText("[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":" + json + "}]").Events();
  REQUIRE(events.size() == 1);
  const std::string tail = ":Unknown@0+2000000";
  REQUIRE(events[0].ends_with(tail));
  return events[0].substr(0, events[0].size() - tail.size());
}

TEST_CASE("escapes of a text are resolved") {
  CHECK(NameFrom(R"("plain")") == "plain");
  CHECK(NameFrom(R"("q\"b\\s\/")") == "q\"b\\s/");
  CHECK(NameFrom(R"("\b\f\n\r\t")") == "\b\f\n\r\t");
  CHECK(NameFrom(R"("\u0041\u00e9\u20AC")") == "A\xc3\xa9\xe2\x82\xac");
  CHECK(NameFrom(R"("\ud83d\ude00")") == "\xf0\x9f\x98\x80");
  CHECK(NameFrom(R"("\ud83dx")") == "\xef\xbf\xbdx");  // a lone surrogate
  CHECK(NameFrom(R"("\ude00\ud83d")") == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(NameFrom(R"("\ud83d\u0041")") ==
        "\xef\xbf\xbd"
        "A");
  CHECK(NameFrom(R"("\u12g4")") == "\\u12g4");  // no escape: stays as it is
  CHECK(NameFrom(R"("\u12")") == "\\u12");
  CHECK(NameFrom(R"("\q")") == "q");
}

TEST_CASE("bytes that JSON forbids in a text are kept") {
  CHECK(NameFrom("\"a\tb\nc\x01\"") == "a\tb\nc\x01");
  CHECK(NameFrom("\"\xff\xc3\"") == "\xff\xc3");
  CHECK(NameFrom("\"\xc3\xa9\"") == "\xc3\xa9");
}

TEST_CASE("a name that is no text") {
  CHECK(NameFrom("12.5") == "12.5");
  CHECK(NameFrom("\"\"") == "<unnamed>");
  CHECK(NameFrom("null") == "<unnamed>");
  CHECK(NameFrom("{\"name\":\"inner\"}") == "<unnamed>");
  CHECK(NameFrom("[\"x\"]") == "<unnamed>");
}

TEST_CASE("of a very long name the beginning is kept") {
  const std::string beginning(1 << 16, 'n');
  CHECK(NameFrom('"' + beginning + "nnn\"") == beginning);
  CHECK(NameFrom('"' + beginning + '"') == beginning);
}

TEST_CASE("the last of duplicate keys counts") {
  const Recorded read =
      ReadText(R"([{"name":"a","ph":"B","ts":9,"dur":1,"ph":"X","ts":5,"dur":3,"name":"b","pid":1,"pid":2}])");
  CHECK(read.Events() == Texts{"b:Unknown@0+3000000"});
  CHECK(ReadText(R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"/host:CPU"}},
                     {"ph":"X","ts":1,"dur":1,"pid":1,"name":"n","args":{"long_name":"a:A"},"args":{"long_name":"b:B","long_name":"c:C"}},
                     {"ph":"X","ts":2,"dur":1,"pid":1,"name":"n","args":{"long_name":"a:A"},"args":{"x":1}}])")
            .Events() == Texts{"c:C@0+1000000", "-@1000000+1000000"});
}

TEST_CASE("arguments are found among others, and only on their level") {
  const std::string cpu =
      R"({"ph":"M","name":"process_name","pid":1,"args":{"sort":[1],"name":"/host:CPU","x":{"name":"no"}}},)";
  const auto op = [&](const std::string& args) {
    return ReadText("[" + cpu + R"({"ph":"X","ts":1,"dur":1,"pid":1,"name":"n","args":)" + args + "}]").Events().at(0);
  };
  CHECK(op(R"({"deep":{"long_name":"no:No"},"long_name":"a:A","more":["long_name","no:No"]})") == "a:A@0+1000000");
  CHECK(op(R"({"deep":{"long_name":"no:No"}})") == "-@0+1000000");
  CHECK(op(R"("__stripped__")") == "-@0+1000000");
  CHECK(op(R"({"long_name":"\u0061:A","is_eager":"1"})") == "a:A@0+1000000e");
  CHECK(op(R"({"long_name":"a:A","is_eager":1})") == "a:A@0+1000000e");
  CHECK(op(R"({"long_name":"a:A","is_eager":"0"})") == "a:A@0+1000000");
}

TEST_CASE("times in any spelling") {
  const auto event = [](const std::string& ts, const std::string& dur) {
    return ReadText(R"([{"ph":"X","ts":1,"dur":0,"name":"first"},{"ph":"X","name":"e","ts":)" + ts + ",\"dur\":" + dur +
                    "}]")
        .Events()
        .at(1);
  };
  for (const char* ts : {"2.5", "2.50", "25e-1", "\"2.5\"", "\" 2.500000 \"", "0.25E+1", "2500000e-6"}) {
    INFO(ts);
    CHECK(event(ts, ts) == "e:Unknown@1500000+2500000");
  }
  const Recorded epoch = ReadText(R"([{"ph":"X","ts":1712195495519689.047,"dur":0.000001,"name":"a"},
                                      {"ph":"X","ts":"1712195495519690.047001","dur":"1e-06","name":"b"}])");
  CHECK(epoch.Events() == Texts{"a:Unknown@0+1", "b:Unknown@1000001+1"});
}

TEST_CASE("a phase is one character") {
  const Recorded read =
      ReadText(R"([{"ph":"X","ts":1,"dur":1,"name":"a"},{"ph":"XX","ts":1,"dur":1},{"ph":7},{"ts":1},{"ph":"i"},{}])");
  CHECK(read.Events() == Texts{"a:Unknown@0+1000000"});
  CHECK(read.facts.phases == std::map<char, uint64_t>{{'X', 1}, {'\0', 3}, {'i', 1}});
}

}  // namespace
}  // namespace tfprof::chrome
