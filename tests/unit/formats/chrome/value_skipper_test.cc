// Values at the top level that are no events: passed over, whatever they hold and wherever the text is cut.
#include "formats/chrome/value_skipper.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/chrome/recording.h"

namespace tfprof::chrome {
namespace {

const std::string kEvents = R"("traceEvents":[{"ph":"X","ts":1,"dur":1,"name":"a"}])";
const std::vector<std::string> kOne = {"a:Unknown@0+1000000"};

TEST_CASE("values of every kind beside the events") {
  const std::string deep(10'000, '[');
  for (const std::string& value : std::vector<std::string>{
           "1", "-1.5e+3", "NaN", "true", "null", R"("")", R"("text")", R"("\"traceEvents\":[")", R"("\\")",
           R"("\\\"}]")", "{}", "[]", R"({"traceEvents":[{"ph":"X","ts":9,"dur":9,"name":"no"}]})",
           R"([{"ph":"X","ts":9,"dur":9,"name":"no"}])", R"([[],{"]":"}"},"[{"])", R"({"a":{"b":{"c":"\"}"}}})", " 5 ",
           "\n{ }\t"}) {
    INFO(value);
    for (const std::string& text :
         {R"({"x":)" + value + "," + kEvents + "}", "{" + kEvents + R"(,"x":)" + value + "}"}) {
      const Recorded whole = ReadText(text);
      CHECK(whole.Events() == kOne);
      CHECK(whole.diagnostics.empty());
      for (size_t cut = 1; cut < text.size(); ++cut) CHECK(ReadText(text, SIZE_MAX, cut).SameAs(whole));
      CHECK(ReadText(text, 1).SameAs(whole));
    }
  }
  std::string closing(10'000, ']');
  CHECK(ReadText("{\"x\":" + deep + closing + "," + kEvents + "}", 7).Events() == kOne);
}

TEST_CASE("a text that ends inside such a value is cut off") {
  for (const char* value : {"{\"a\":", "\"tex", "[1,[2]", "\"\\"}) {
    const Recorded read = ReadText("{" + kEvents + R"(,"x":)" + value);
    CHECK(read.Events() == kOne);
    CHECK(read.Count(DiagCode::kTruncatedInput) == 1);
  }
}

TEST_CASE("the rank stands in distributedInfo") {
  const auto rank = [](const std::string& info) {
    const std::string text = R"({"distributedInfo":)" + info + "," + kEvents + "}";
    const Recorded read = ReadText(text);
    CHECK(ReadText(text, 1).SameAs(read));
    return read.facts.rank.value_or("none");
  };
  CHECK(rank(R"({"backend":"nccl","rank":3,"world_size":8})") == "3");
  CHECK(rank(R"({"rank" : 12})") == "12");
  CHECK(rank(R"({"rank":"x"})") == "none");
  CHECK(rank(R"({"world_size":8})") == "none");
  CHECK(rank("7") == "none");
  CHECK_FALSE(ReadText(R"({"other":{"rank":3},)" + kEvents + "}").facts.rank);
}

TEST_CASE("only an array called traceEvents at the top level holds events") {
  CHECK_FALSE(ReadText(R"({"a":{"traceEvents":[]}})").facts.is_trace);
  CHECK_FALSE(ReadText(R"({"traceEvents":{"ph":"X"}})").facts.is_trace);
  CHECK_FALSE(ReadText(R"({"traceEvents":null})").facts.is_trace);
  CHECK(ReadText(R"({"traceEvents":[]})").facts.is_trace);
  CHECK(ReadText(R"({"traceEvents":7,)" + kEvents + "}").Events() == kOne);
}

}  // namespace
}  // namespace tfprof::chrome
