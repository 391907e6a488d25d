// From arguments to flags and inputs, and from there to options.
#include "cli/flags/parse.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "cli/flags/options.h"
#include "cli/flags/value.h"

namespace tfprof::cli {
namespace {

using Args = std::vector<std::string>;

CommandLine Parse(const Args& args) {
  Result<CommandLine> line = ParseCommandLine(args);
  if (!line) FAIL(line.error().message);
  return *line;
}

std::string ParseError(const Args& args) {
  const Result<CommandLine> line = ParseCommandLine(args);
  REQUIRE_FALSE(line);
  return line.error().message;
}

// The flags as they were typed: "limit=10 wide".
std::string Typed(const CommandLine& line) {
  std::vector<std::string> texts;
  for (const TypedFlag& typed : line.flags) {
    texts.push_back(typed.flag->takes_value() ? fmt::format("{}={}", typed.flag->long_name, typed.value)
                                              : std::string(typed.flag->long_name));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

Options Make(const Args& args) {
  Result<Options> options = MakeOptions(Parse(args));
  if (!options) FAIL(options.error().message);
  return *options;
}

std::string MakeError(const Args& args) {
  const Result<Options> options = MakeOptions(Parse(args));
  REQUIRE_FALSE(options);
  return options.error().message;
}

}  // namespace

TEST_CASE("the command is the first word that is no flag") {
  CHECK(Parse({"ops", "x"}).command->id == CommandId::kOps);
  CHECK(Parse({"-q", "--run", "ops", "info", "x"}).command->id == CommandId::kInfo);
  CHECK(Parse({"x", "ops"}).command->id == CommandId::kSummary);
  CHECK(Parse({"./ops"}).command->id == CommandId::kSummary);
  CHECK(Parse({"--", "ops"}).inputs == Args{"ops"});
  CHECK(Parse({"--run", "ops", "logs"}).inputs == Args{"logs"});
  CHECK(Parse({"-wo", "ops", "info"}).command->id == CommandId::kInfo);  // -o takes the next word
  CHECK(Parse({"-wocsv:x", "info"}).command->id == CommandId::kInfo);
  CHECK(Parse({}).command->id == CommandId::kSummary);
}

TEST_CASE("flags and inputs in any order") {
  const CommandLine line =
      Parse({"ops", "a", "-n10", "-wq", "--limit", "5", "b", "--limit=7", "-", "--", "-x", "--", "ops"});
  CHECK(Typed(line) == "limit=10 wide quiet limit=5 limit=7");
  CHECK(line.inputs == Args{"a", "b", "-", "-x", "--", "ops"});
}

TEST_CASE("values are taken as they stand") {
  CHECK(Typed(Parse({"ops", "--include", "[ab]", "--include=x=y", "--include=", "--include", "--", "--include",
                     "-z"})) == "include=[ab] include=x=y include= include=-- include=-z");
  CHECK(Parse({"ops", "[a,b]", "", "{x}"}).inputs == Args{"[a,b]", "", "{x}"});
}

TEST_CASE("a wrong command line says what would be right") {
  CHECK(ParseError({"ops", "--limti", "3"}) == "there is no flag --limti; did you mean --limit?");
  CHECK(ParseError({"ops", "--qxyz=3"}) == "there is no flag --qxyz");
  CHECK(ParseError({"ops", "-Z"}) == "there is no flag -Z");
  CHECK(ParseError({"ops", "-wZ"}) == "there is no flag -Z");
  CHECK(ParseError({"--sort", "self", "x"}) == "--sort is no flag of tfprof-analyze INPUT, but of tfprof-analyze ops");
  CHECK(ParseError({"info", "-n", "3"}) == "-n is no flag of tfprof-analyze info, but of tfprof-analyze ops");
  CHECK(ParseError({"ops", "--limit"}) == "--limit needs a value: --limit N");
  CHECK(ParseError({"ops", "-o"}) == "--output needs a value: --output FORMAT:FILE");
  CHECK(ParseError({"ops", "--quiet=3"}) == "--quiet takes no value");
}

TEST_CASE("whole numbers are digits and nothing else") {
  CHECK(ParseWholeNumber("0", 10) == 0u);
  CHECK(ParseWholeNumber("10", 10) == 10u);
  for (const char* text : {"", "11", "-1", "+1", " 1", "1 ", "1x", "0x1", "1.0", "1e1", "99999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(ParseWholeNumber(text, 10));
  }
}

TEST_CASE("percentages") {
  CHECK(ParsePercent("0.5") == 0.5);
  CHECK(ParsePercent("1%") == 1.0);
  CHECK(ParsePercent(".5") == 0.5);
  CHECK(ParsePercent("100") == 100.0);
  for (const char* text : {"", "%", "-1", "101", "nan", "inf", "1e1", "1,5", "1%%"}) {
    INFO(text);
    CHECK_FALSE(ParsePercent(text));
  }
}

TEST_CASE("times are exact picoseconds") {
  CHECK(ParseTime("1.5s") == 1'500'000'000'000);
  CHECK(ParseTime("0.000000000001s") == 1);
  CHECK(ParseTime("1.0000000000000s") == 1'000'000'000'000);
  CHECK(ParseTime("20us") == 20'000'000);
  CHECK(ParseTime("20\u00b5s") == 20'000'000);
  CHECK(ParseTime("3ns") == 3'000);
  CHECK(ParseTime("0.1ms") == 100'000'000);
  CHECK(ParseTime("9223372s") == 9'223'372'000'000'000'000);
  for (const char* text :
       {"", "s", "1", ".s", "-1s", "1 s", "1.2.3s", "0.0000000000001s", "9223373s", "1h", "1ps", "x1s"}) {
    INFO(text);
    CHECK_FALSE(ParseTime(text));
  }
}

TEST_CASE("ranges of times") {
  const std::optional<TimeRange> both = ParseTimeRange("1ms:2ms");
  REQUIRE(both);
  CHECK(both->from_ps == 1'000'000'000);
  CHECK(both->to_ps == 2'000'000'000);
  CHECK_FALSE(ParseTimeRange(":2ms")->from_ps);
  CHECK_FALSE(ParseTimeRange("1ms:")->to_ps);
  for (const char* text : {"", ":", "1ms", "2ms:1ms", "1ms:1ms", "1:2", "1ms:2ms:3ms"}) {
    INFO(text);
    CHECK_FALSE(ParseTimeRange(text));
  }
}

TEST_CASE("flags of the tree") {
  using analyze::TreeBy;
  CHECK(Make({"tree"}).tree.by == TreeBy::kScope);
  CHECK(Make({"tree", "--by", "call"}).tree.by == TreeBy::kCall);
  CHECK(Make({"tree", "--by", "type"}).tree.by == TreeBy::kType);
  CHECK_FALSE(Make({"tree"}).tree.idle);
  CHECK(Make({"tree", "--idle"}).tree.idle);
  CHECK(Make({"tree", "--depth", "3", "--min", "2.5%"}).tree.depth == 3);
  CHECK(Make({"tree", "--depth", "3", "--min", "2.5%"}).tree.min_percent == 2.5);
  CHECK(Make({"tree", "--side", "device"}).tree.side == analyze::Side::kDevice);
  CHECK(Make({"tree", "--peek", "a"}).tree.peek == "a");
  CHECK(Make({"tree", "--focus", "b", "--ignore", "c"}).tree.focus == "b");
  CHECK(Make({"tree", "--focus", "b", "--ignore", "c"}).tree.ignore == "c");
  CHECK(Make({"tree", "--invert"}).tree.invert);
}

TEST_CASE("of one flag, and of flags that contradict each other, the last wins") {
  CHECK(Make({"ops", "-n1", "-n2"}).rows.limit == 2);
  CHECK(Make({"ops", "--no-idle", "--idle"}).include_idle);
  CHECK_FALSE(Make({"ops", "--idle", "--no-idle"}).include_idle);
  CHECK(Make({"ops", "--strict", "--allow-partial"}).allow_partial);
  CHECK_FALSE(Make({"ops", "--strict", "--allow-partial"}).strict);
  CHECK(Make({"ops", "--allow-partial", "--strict"}).strict);
  CHECK_FALSE(Make({"ops", "--allow-partial", "--strict"}).allow_partial);
  CHECK_FALSE(Make({"ops", "--wide", "--width", "80"}).wide);
  CHECK(Make({"ops", "--width", "80", "--wide"}).wide);
  CHECK(Make({"ops", "--side", "host", "--side", "both"}).rows.side == std::nullopt);
  CHECK(Make({"ops", "--include", "a", "--include", "b"}).rows.include == Args{"a", "b"});
}

TEST_CASE("every choice means what it is called") {
  using analyze::OpsBy;
  const std::pair<const char*, OpsBy> by[] = {{"op", OpsBy::kOp},         {"type", OpsBy::kType},
                                              {"scope", OpsBy::kScope},   {"host", OpsBy::kHost},
                                              {"device", OpsBy::kDevice}, {"lane", OpsBy::kLane}};
  for (const auto& [name, value] : by) CHECK(Make({"ops", "--by", name}).by == value);
  CHECK(std::size(by) == FlagOf(FlagId::kBy).choices.size());
  for (const Choice& choice : FlagOf(FlagId::kFormat).choices) {
    CHECK(Make({"ops", "-f", std::string(choice.name)}).format == report::FormatFromName(choice.name));
  }
  using report::Unit;
  const std::pair<const char*, Unit> units[] = {
      {"auto", Unit::kAuto}, {"ns", Unit::kNs}, {"us", Unit::kUs}, {"ms", Unit::kMs}, {"s", Unit::kS}};
  for (const auto& [name, value] : units) CHECK(Make({"ops", "--unit", name}).unit == value);
  CHECK(std::size(units) == FlagOf(FlagId::kUnit).choices.size());
  CHECK(Make({"ops", "--compat", "none"}).compat == analyze::Compat::kNone);
  CHECK(Make({"ops", "--compat", "xprof"}).compat == analyze::Compat::kXprof);
  CHECK(Make({"ops", "--compat", "legacy"}).compat == analyze::Compat::kLegacy);
  CHECK(Make({"ops", "--side", "host"}).rows.side == analyze::Side::kHost);
  CHECK(Make({"ops", "--side", "device"}).rows.side == analyze::Side::kDevice);
  for (const FlagId id : {FlagId::kColor, FlagId::kProgress}) CHECK(FlagOf(id).choices.size() == 3);
  CHECK(Make({"ops", "--color", "auto"}).color == When::kAuto);
  CHECK(Make({"ops", "--color", "always"}).color == When::kAlways);
  CHECK(Make({"ops", "--progress", "never"}).progress == When::kNever);
}

TEST_CASE("outputs") {
  const Options options = Make({"ops", "-o", "csv:a:b", "-o", "x.json", "-o", "markdown:-", "-f", "tsv"});
  REQUIRE(options.outputs.size() == 2);
  CHECK(options.outputs[0].format == report::Format::kCsv);
  CHECK(options.outputs[0].path == "a:b");
  CHECK(options.outputs[1].format == report::Format::kJson);
  CHECK(options.format == report::Format::kMarkdown);
  CHECK(Make({"ops", "-o", "run 1/a:b.csv"}).outputs[0].path == "run 1/a:b.csv");
  CHECK(Make({"ops", "-o", "A.CSV"}).outputs[0].format == report::Format::kCsv);
  CHECK_THAT(MakeError({"ops", "-o", "ops"}), Catch::Contains("doesn't tell a format"));
  CHECK_THAT(MakeError({"ops", "-o", "jsn:x"}), Catch::Contains("did you mean json?"));
  CHECK_THAT(MakeError({"ops", "-o", "csv:"}), Catch::Contains("no file is named"));
  CHECK_THAT(MakeError({"ops", "-o", "csv:-", "-o", "json:-"}), Catch::Contains("one format only"));
  CHECK_THAT(MakeError({"ops", "-o", "csv:x", "-o", "json:x"}), Catch::Contains("named twice"));
}

TEST_CASE("a wrong value names the flag and what would be right") {
  CHECK(MakeError({"ops", "-n", "10x"}) == "--limit: \"10x\" is no whole number from 0 to 1000000000000");
  CHECK(MakeError({"ops", "-j", "0"}) == "--threads: \"0\" is no whole number from 1 to 1024");
  CHECK(MakeError({"ops", "--by", "tpye"}) ==
        "--by: \"tpye\" is none of op, type, scope, host, device, lane; did you mean type?");
  CHECK_THAT(MakeError({"ops", "--include", "("}), Catch::StartsWith("--include: \"(\" is no regular expression: "));
  CHECK_THAT(MakeError({"ops", "--host", "["}), Catch::StartsWith("--host: "));
  CHECK_THAT(MakeError({"ops", "--sort", "slef"}), Catch::StartsWith("--sort: ") && Catch::Contains("\"self\""));
  CHECK_THAT(MakeError({"ops", "--columns", "p98"}), Catch::StartsWith("--columns: ") && Catch::Contains("p9"));
  CHECK_THAT(MakeError({"ops", "--time", "1:2"}), Catch::Contains("1.5s:2s"));
  CHECK_THAT(MakeError({"ops", "--time", "0:1us"}), Catch::Contains("a number with its unit"));
  CHECK(MakeError({"ops", "--columns", ""}) == "--columns: no column is named");
  CHECK_THAT(MakeError({"ops", "--min-self", "x"}), Catch::Contains("percentage"));
  CHECK_THAT(MakeError({"ops", "--width", "10"}), Catch::Contains("from 40 to"));
  CHECK_THAT(MakeError({"ops", "--compat", "xprof", "--sort", "p99"}), Catch::Contains("knows no min"));
  CHECK_THAT(MakeError({"ops", "--columns", "+p50", "--compat", "xprof"}), Catch::Contains("knows no min"));
  CHECK_THAT(MakeError({"ops", "--by", "type", "--compat", "xprof"}), Catch::Contains("is by op"));
  CHECK_THAT(MakeError({"ops", "--time", "1s:", "--compat", "legacy"}), Catch::Contains("over the whole profile"));
}

}  // namespace tfprof::cli
