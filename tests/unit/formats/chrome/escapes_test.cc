// A text written with escapes says what it says without: keys, phases, categories, ids, numbers as text.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "formats/chrome/event.h"
#include "formats/chrome/recording.h"

namespace tfprof::chrome {
namespace {

// The JSON text with every letter, digit and underscore inside its strings as a `\u` escape.
std::string InEscapes(std::string_view json) {
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const auto c = static_cast<unsigned char>(json[i]);
    if (in_string && c == '\\') {
      out += json.substr(i, 2);
      ++i;
      continue;
    }
    in_string ^= c == '"';
    if (in_string && (std::isalnum(c) != 0 || c == '_')) {
      const char* hex = "0123456789abcdef";
      out += std::string("\\u00") + hex[c >> 4] + hex[c & 15];
    } else {
      out += json[i];
    }
  }
  return out;
}

const std::string kTexts[] = {
    R"({"schemaVersion":1,"deviceProperties":[],"distributedInfo":{"x":{"rank":9},"rank":3},"traceEvents":[
       {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":1,"dur":20,"args":{"External id":"id7"}},
       {"ph":"X","cat":"cuda_runtime","name":"launch","pid":9,"tid":9,"ts":2,"dur":1,"args":{"correlation":"four"}},
       {"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":"3","dur":"3","args":{"correlation":"four","device":"0"}},
       {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":9,"dur":3,"args":{"External id":"id7"}},
       {"ph":"X","cat":"gpu_user_annotation","name":"view","pid":0,"tid":7,"ts":9,"dur":3},
       {"ph":"f","id":4,"pid":0,"tid":7,"ts":1,"cat":"ac2g","name":"ac2g","bp":"e"}]})",
    R"({"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"/host:CPU"}},
       {"ph":"M","name":"thread_name","pid":1,"tid":"5","args":{"name":"main"}},
       {"ph":"X","name":"MatMul","pid":"1","tid":5,"ts":1,"dur":2,"args":{"long_name":"a:MatMul","is_eager":"0"}},
       {"ph":"X","name":"Add","pid":1,"tid":"5","ts":5,"dur":2,"args":{"long_name":"b:Add","is_eager":"true"}},
       {"ph":"i","s":"t","name":"C","pid":1,"tid":"5","ts":9,"args":{"long_name":"c:C"}},{}]})",
    R"([{"ph":"B","ts":0,"name":"outer"},{"ph":"B","ts":1,"name":"in"},{"ph":"E","ts":2,"name":"in"},{"ph":"E","ts":3,"name":"outer"}])",
};

TEST_CASE("keys and values in escapes decide as without") {
  for (const std::string& text : kTexts) {
    INFO(InEscapes(text));
    const Recorded plain = ReadText(text), escaped = ReadText(InEscapes(text)), cut = ReadText(InEscapes(text), 7);
    CHECK(plain.lanes.size() > 0);
    CHECK(plain.diagnostics.empty());
    CHECK(escaped.SameAs(plain));
    CHECK(cut.SameAs(plain));
  }
}

TEST_CASE("only some of a trace's texts are in escapes") {
  const Recorded read =
      ReadText(R"([{"ph":"\u0058","ts":1,"dur":1,"name":"a"},{"\u0070h":"X","ts":2,"dur":1,"n\u0061me":"a"},
       {"ph":"X","t\u0073":"\u0033","\u0064ur":1,"name":"\u0061","pid":"\u0030"}])");
  CHECK(read.lanes.size() == 1);
  CHECK(read.Events() ==
        std::vector<std::string>{"a:Unknown@0+1000000", "a:Unknown@1000000+1000000", "a:Unknown@2000000+1000000"});
}

TEST_CASE("an event without a phase is told") {
  const Recorded read =
      ReadText(R"([{"ph":"X","ts":1,"dur":1,"name":"a"},{"ts":2,"dur":1},{"ph":"XX","ts":3},{"ph":7},{}])");
  CHECK(read.Count(DiagCode::kMissingField) == 3);
}

TEST_CASE("an array of other things is no trace") {
  CHECK_FALSE(ReadText(R"([{"a":1},{"b":2}])").facts.is_trace);
  CHECK(ReadText(R"({"traceEvents":[{"a":1}]})").facts.is_trace);
  CHECK(ReadText("[{}]").facts.is_trace);
}

TEST_CASE("the text of a value as a view") {
  std::string scratch;
  const std::string plain = "abc", escaped = "a\\u0062\\n";
  CHECK(TextOf({plain.data(), 3, JsonValue::Kind::kString, false}, &scratch).data() == plain.data());
  CHECK(TextOf({escaped.data(), 9, JsonValue::Kind::kString, true}, &scratch) == "ab\n");
  CHECK(TextOf({plain.data(), 3, JsonValue::Kind::kObject, false}, &scratch).empty());
}

}  // namespace
}  // namespace tfprof::chrome
