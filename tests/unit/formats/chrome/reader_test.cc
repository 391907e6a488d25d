// Whole texts: how they are cut makes no difference; times, doubt and damage are told; memory stays bounded.
#include "formats/chrome/reader.h"

#include <malloc.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "formats/chrome/recording.h"

namespace tfprof::chrome {
namespace {

using Texts = std::vector<std::string>;

// A TF2 trace with events of this text.
std::string Tf2(const std::string& events) {
  return R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"/host:CPU"}},)" + events + "{}]";
}
std::string Timed(const std::string& ts, const std::string& dur, const std::string& name = "a:A",
                  const std::string& phase = "X") {
  return R"({"ph":")" + phase + R"(","pid":1,"name":")" + name + R"(","ts":)" + ts +
         (dur.empty() ? "" : ",\"dur\":" + dur) + "},";
}

const std::string kMixed[] = {
    R"({"schemaVersion":1,"deviceProperties":[{"id":0}],"displayTimeUnit":"ms","distributedInfo":{"rank":5},"traceEvents":[
       {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":1712195495519689.047,"dur":20.5,"args":{"External id":1}},
       {"ph":"X","cat":"cuda_runtime","name":"launch","pid":9,"tid":9,"ts":1712195495519690,"dur":1,"args":{"correlation":4}},
       {"ph":"X","cat":"kernel","name":"void k<\"x\">","pid":0,"tid":7,"ts":"1712195495519692","dur":3,"args":{"correlation":4,"device":0}},
       {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":1712195495519696,"dur":3e0,"args":{"correlation":5,"device":0}},
       {"ph":"f","id":4,"pid":0,"tid":7,"ts":1,"cat":"ac2g","name":"ac2g","bp":"e"}],"traceName":"\u0041\\.json"})",
    R"({"traceEvents":[{"ph":"X","name":"early","pid":2,"tid":13,"ts":5,"dur":2,"args":{"tf_op":"a/b:MatMul"}},
       {"name":"process_name","ph":"M","pid":2,"args":{"name":"/device:GPU:0"}},{"ph":"M","pid":2,"tid":13,"name":"thread_name","args":{"name":"Stream #13"}},
       {"ph":"i","s":"t","pid":2,"tid":13,"ts":6.5,"name":"zero"}, {} ],"metadata":{"highres-ticks":true,"k":["]}"]}} )",
    R"([{"ph":"B","ts":0,"name":"outer"},{"ph":"B","ts":1e0,"name":"\ud83d\ude00"},{"ph":"E","ts":"2"},{"ph":"E","ts":3,"name":"outer"},{"ph":"E","ts":4},
       {"ph":"C","ts":1,"name":"c","args":{"v":1}},{"ph":"b","id":1,"ts":1,"cat":"x","name":"n"},)",
    "\xef\xbb\xbf[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"bom\"}]",
    R"({"traceEvents":[{"ph":"X","ts":1,"dur":1,"name":"one"}]}
       {"traceEvents":[{"ph":"X","ts":2,"dur":1,"name":"two"}]}[{"ph":"X","ts":3,"dur":1,"name":"three"}])",
    "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"line\"}\n{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"name\":\"line\"}\n",
    R"([{"ph":"X","ts":1,"dur":1,"name":"a "quoted" name"},{"ph":"X","ts":2,"dur":1,"name":"ok"},{"ph":"X","ts":3,"dur":1,"name":"cut\)",
    "\xff\xfe[\0",
    "",
    " \n",
    "[]",
    "{}",
    "[",
    "{",
    "nul",
    "\"text\"",
    "{\"a\" 1}",
    "<html></html>",
};

TEST_CASE("a timeline cut into pieces anywhere is read alike") {
  for (const std::string& text : kMixed) {
    INFO(text);
    const Recorded whole = ReadText(text);
    for (size_t cut = 1; cut < text.size(); ++cut) {
      INFO("cut at " << cut);
      CHECK(ReadText(text, SIZE_MAX, cut).SameAs(whole));
    }
    for (const size_t size : {1, 2, 3, 7, 16, 63, 64, 65}) {
      INFO("pieces of " << size);
      CHECK(ReadText(text, size).SameAs(whole));
    }
  }
}

TEST_CASE("what those texts hold") {
  const Recorded kineto = ReadText(kMixed[0]);
  CHECK(kineto.Events() == Texts{"aten::mm:cpu_op@0+20500000", "launch:cuda_runtime@953000+1000000",
                                 "void k<\"x\">:kernel@2953000+3000000", "k2:kernel@6953000+3000000!"});
  CHECK(kineto.facts.rank == "5");
  CHECK(ReadText(kMixed[1]).Events() == Texts{"a/b:MatMul@0+2000000", "zero:Unknown@1500000+0!"});
  const Recorded pairs = ReadText(kMixed[2]);
  CHECK(pairs.Events() == Texts{"outer:Unknown@0+3000000", "\xf0\x9f\x98\x80:Unknown@1000000+1000000"});
  CHECK(pairs.Count(DiagCode::kStrayEnd) == 1);
  CHECK(pairs.Count(DiagCode::kUnterminatedArray) == 1);
  CHECK(ReadText(kMixed[3]).Events() == Texts{"bom:Unknown@0+1000000"});
  CHECK(ReadText(kMixed[4]).Events() ==
        Texts{"one:Unknown@0+1000000", "two:Unknown@1000000+1000000", "three:Unknown@2000000+1000000"});
  CHECK_FALSE(ReadText(kMixed[5]).facts.is_trace);  // JSON lines are no trace
  const Recorded broken = ReadText(kMixed[6]);
  CHECK(broken.Events() == Texts{"ok:Unknown@0+1000000"});
  CHECK(broken.Count(DiagCode::kBrokenEvent) == 1);
  CHECK(broken.Count(DiagCode::kTruncatedInput) == 1);
  for (size_t i = 7; i < std::size(kMixed); ++i)
    CHECK(ReadText(kMixed[i]).facts.is_trace == kMixed[i].starts_with('['));
}

TEST_CASE("phases are counted, flows among them") {
  const Recorded read = ReadText(
      R"([{"ph":"s"},{"ph":"t"},{"ph":"f"},{"ph":"f"},{"ph":"C"},{"ph":"M","name":"x"},{"ph":"N"},{"ph":"R"},{"ph":"c"}])");
  CHECK(read.facts.phases ==
        std::map<char, uint64_t>{{'s', 1}, {'t', 1}, {'f', 2}, {'C', 1}, {'M', 1}, {'N', 1}, {'R', 1}, {'c', 1}});
  CHECK(read.lanes.empty());
}

// ------------------------------------------------------------------ fields

TEST_CASE("missing and bad fields are told, with the first place") {
  const std::string first = "[" + Timed("1", "1", "ok");
  const Recorded read =
      ReadText(first + R"({"ph":"X","name":"no ts","dur":1},)" + Timed("3", "", "no dur") + Timed("null", "1", "null") +
               Timed("\"100a\"", "1") + Timed("4", "\"\"") + Timed("5", "[1]") + Timed("true", "1") + "]");
  CHECK(read.Events() == Texts{"ok:Unknown@0+1000000", "no dur:Unknown@2000000+0"});
  CHECK(read.Count(DiagCode::kMissingField) == 2);
  CHECK(read.Count(DiagCode::kBadNumber) == 5);
  for (const Diagnostic& diagnostic : read.diagnostics) {
    CHECK(diagnostic.message.starts_with("t.json: "));
    if (diagnostic.code == DiagCode::kMissingField)
      CHECK(diagnostic.message.ends_with("first at byte " + std::to_string(first.size())));
  }
}

TEST_CASE("a negative duration counts as none and has no place") {
  const Recorded read = ReadText("[" + Timed("1", "2", "a") + Timed("2", "-1", "b") + "]");
  CHECK(read.Events() == Texts{"a:Unknown@0+2000000", "b:Unknown@?+0"});
  CHECK(read.Count(DiagCode::kUnfinishedEvent) == 1);
}

TEST_CASE("TF2 writes a picosecond for nothing, and instants of its own") {
  CHECK(ReadText(Tf2(Timed("1", "1e-06") + Timed("2", "2e-06") + Timed("3", "9.9999999999999995e-07"))).Events() ==
        Texts{"a:A@0+0", "a:A@1000000+2", "a:A@2000000+0"});
  CHECK(ReadText("[" + Timed("1", "1e-06", "x") + "]").Events() == Texts{"x:Unknown@0+1"});
  CHECK(ReadText(Tf2(Timed("1", "", "a:A", "i") + Timed("2", "", "b:B", "I"))).Events() == Texts{"a:A@0+0"});
  CHECK(ReadText("[" + Timed("1", "", "x", "i") + "]").Events().empty());
}

// ------------------------------------------------------------------ times

TEST_CASE("time 0 of no length among real times is none") {
  const std::string real = "1712195495519689.047";
  const Recorded before = ReadText("[" + Timed("0", "0", "zero") + Timed(real, "1", "a") + "]");
  CHECK(before.Events() == Texts{"a:Unknown@0+1000000", "zero:Unknown@?+0"});
  CHECK(before.Count(DiagCode::kUntimedEvent) == 1);
  const Recorded behind = ReadText("[" + Timed(real, "1", "a") + Timed("0", "0", "zero") + "]");
  CHECK(behind.Events() == before.Events());
  CHECK(behind.Count(DiagCode::kUntimedEvent) == 1);
  // Where times are near 0 it is a time like any other.
  for (const std::string& text :
       {"[" + Timed("0", "0", "zero") + Timed("5", "1", "a") + "]", "[" + Timed("0", "0", "zero") + "]"}) {
    const Recorded near = ReadText(text);
    CHECK(near.Count(DiagCode::kUntimedEvent) == 0);
    CHECK(near.Events().at(0).starts_with("zero:Unknown@"));
    CHECK(near.Events().at(0).find('?') == std::string::npos);
  }
}

TEST_CASE("a time that doesn't fit keeps its duration and no place") {
  const Recorded read =
      ReadText("[" + Timed("1", "1", "a") + Timed("2", "1", "b") + Timed("3", "1", "c") + Timed("1e30", "2", "far") +
               Timed("-12345678901234567890", "3", "back") + Timed("5", "9300000000000", "long") + "]");
  CHECK(read.Count(DiagCode::kTimeOutlier) == 3);
  CHECK(read.Events() == Texts{"a:Unknown@0+1000000", "b:Unknown@1000000+1000000", "c:Unknown@2000000+1000000",
                               "far:Unknown@?+2000000", "back:Unknown@?+3000000",
                               "long:Unknown@?+" + std::to_string(INT64_MAX)});
}

TEST_CASE("an outlier in front doesn't make outliers of all others") {
  const Recorded read = ReadText("[" + Timed("1", "1", "odd") + Timed("1712195495519689", "1", "a") +
                                 Timed("1712195495519690", "1", "b") + "]");
  CHECK(read.readings == 2);
  CHECK(read.Count(DiagCode::kTimeOutlier) == 1);
  CHECK(read.Events() == Texts{"a:Unknown@0+1000000", "b:Unknown@1000000+1000000", "odd:Unknown@?+1000000"});
}

// ------------------------------------------------------------------ streams

// Reads pieces that `next` makes; measures the most memory that is held when the reader asks for the next one (0 under
// a sanitizer, whose allocator tells nothing).
struct Streamed {
  Recorded read;
  size_t most_bytes = 0;
};
template <typename Next>
Streamed ReadStream(Next next) {
  Streamed out;
  const auto held = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const size_t before = held();
  ReadPlan plan;
  ReadOptions options;
  options.temp_dir = std::filesystem::temp_directory_path();
  options.text.next = [&]() -> Result<std::string_view> {
    const size_t now = held();
    out.most_bytes = std::max(out.most_bytes, now > before ? now - before : 0);
    return next();
  };
  RecordingSink sink;
  Diagnostics diagnostics;
  const Result<ReadOutcome> outcome = Read(options, &sink, &plan, &out.read.facts, &diagnostics);
  CHECK(outcome.ok());
  out.read.lanes = sink.lanes();
  out.read.diagnostics = diagnostics.items();
  return out;
}

TEST_CASE("of a text of 100 MB only a little is held") {
  const std::string filler = std::string((1 << 20) - 4, 'x') + "\\\"\\\\";
  for (const std::string key : {R"("name":")", R"("args":{"other":")", R"("k":")"}) {
    int piece = 0;
    const std::string end = std::string(key.starts_with("\"args\"") ? "\"}" : "\"") +
                            R"(,"ph":"X","ts":1,"dur":1},{"ph":"X","ts":2,"dur":1,"name":"last"}])";
    const std::string begin = "[{" + key;
    const Streamed streamed = ReadStream([&]() -> std::string_view {
      ++piece;
      return piece == 1     ? std::string_view(begin)
             : piece <= 101 ? std::string_view(filler)
             : piece == 102 ? std::string_view(end)
                            : "";
    });
    INFO(key);
    REQUIRE(streamed.read.Events().size() == 2);
    CHECK(streamed.read.Events()[1] == "last:Unknown@1000000+1000000");
    CHECK(streamed.read.diagnostics.empty());
    CHECK(streamed.most_bytes < 8'000'000);
  }
}

TEST_CASE("what is held doesn't grow with the number of events") {
  const auto most = [](int pieces) {
    int piece = 0;
    std::string text;
    return ReadStream([&]() -> std::string_view {
             if (piece == pieces) return "";
             text = piece == 0 ? "[" : "";
             for (int i = 0; i < 1000; ++i)
               text += "{\"ph\":\"s\",\"ts\":" + std::to_string(piece * 1000 + i) + ",\"id\":7,\"name\":\"n\"},";
             ++piece;
             return text;
           })
        .most_bytes;
  };
  CHECK(most(200) < most(20) + 200'000);
}

TEST_CASE("exactly a million events of TF2: later ones are most likely missing") {
  const auto count = [](int events) {
    int left = events + 1;
    std::string text;
    return ReadStream([&]() -> std::string_view {
             text.clear();
             if (left == events + 1) {
               text =
                   R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"/host:CPU"}},{"ph":"X","pid":1,"ts":1,"dur":1,"name":"a:A"})";
               left -= 2;
             }
             for (int i = 0; i < 10'000 && left > 0; ++i, --left) text += R"(,{"ph":"s"})";
             if (left == 0) {
               text += text.empty() ? "" : ",{}]";
               --left;
             }
             return text;
           })
        .read.Count(DiagCode::kEventLimit);
  };
  CHECK(count(1'000'000) == 1);
  CHECK(count(999'999) == 0);
  CHECK(count(1'000'001) == 0);
}

TEST_CASE("a failing source ends the reading with its error; a cancelled one with what is there") {
  ReadPlan plan;
  FileFacts facts;
  Diagnostics diagnostics;
  RecordingSink sink;
  ReadOptions options;
  options.text.next = []() -> Result<std::string_view> { return Error{DiagCode::kUnreadableInput, "gone"}; };
  const Result<ReadOutcome> failed = Read(options, &sink, &plan, &facts, &diagnostics);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message == "gone");

  std::atomic<bool> cancelled = false;
  int asked = 0;
  options.cancelled = &cancelled;
  options.text.next = [&]() -> Result<std::string_view> {
    if (++asked == 3) cancelled = true;
    return std::string_view(asked == 1 ? R"([{"ph":"X","ts":1,"dur":1,"name":"a"})"
                                       : R"(,{"ph":"X","ts":2,"dur":1,"name":"b"})");
  };
  const Result<ReadOutcome> stopped = Read(options, &sink, &plan, &facts, &diagnostics);
  REQUIRE(stopped.ok());
  CHECK(stopped.value() == ReadOutcome::kDone);
  CHECK(asked == 3);
}

}  // namespace
}  // namespace tfprof::chrome
