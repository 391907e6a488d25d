#include "report/text.h"

#include <catch2/catch.hpp>
#include <random>
#include <sstream>

#include "report/display.h"
#include "report/ops_fixture.h"
#include "report/ops_report.h"
#include "report/table_fixture.h"
#include "report/write.h"

namespace tfprof::report {
namespace {

using analyze::OpsResult;
using analyze::Side;

std::string OpsText(const OpsResult& result, const TextStyle& style, std::string_view columns = "") {
  OpsReportOptions options;
  options.columns = ChooseOpsColumns(columns, result.by).value();
  options.unit = style.unit;
  return WriteToString(OpsDocument(result, ReportContext(), options), Format::kTable, style);
}

std::string TablesText(const Tables& tables, const TextStyle& style) {
  Document document;
  document.blocks = {tables};
  return WriteToString(document, Format::kTable, style);
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

OpsResult Sample() {
  return MakeResult({Idle(Side::kDevice, 5000), DeviceOp("Conv2D", "model/conv_1/Conv2D", 200, 3000, 3000),
                     DeviceOp("Relu", "model/relu/Relu", 200, 1500, 1500),
                     HostOp("MatMul", "model/dense/MatMul", 12, 900, 80), HostOp("Cast", "日本/Cast", 1, 20, 20),
                     Idle(Side::kHost, 0)});
}

TEST_CASE("The table as a whole") {
  TextStyle style;
  style.width = 120;
  CHECK(OpsText(Sample(), style) ==
        R"(Device · 1 lane · 2 ops · span 9.50 ms · busy 47.4%
#   Share                     Cum.  Self µs  Total µs  Count  Avg µs  Type    Name
─────────────────────────────────────────────────────────────────────────────────────────────────
1   52.6% ░░░░░░░░░░░░░░░▸   52.6%  5,000.0   5,000.0                 IDLE    IDLE
2   31.6% ████████████████   84.2%  3,000.0   3,000.0    200  15.000  Conv2D  model/conv_1/Conv2D
3   15.8% ████████          100.0%  1,500.0   1,500.0    200   7.500  Relu    model/relu/Relu

Host · 1 thread · 2 ops · span 100 µs · busy 100.0%
#   Share                     Cum.  Self µs  Total µs  Count  Avg µs  Type    Name
─────────────────────────────────────────────────────────────────────────────────────────────────
4   80.0% ████████████████   80.0%    80.00    900.00     12  75.000  MatMul  model/dense/MatMul
5   20.0% ████              100.0%    20.00     20.00      1  20.000  Cast    日本/Cast
6    0.0%                   100.0%     0.00      0.00                 IDLE    IDLE

Device: busy 4.50 ms of 9.50 ms (47.4%), idle 5.00 ms (52.6%).
Host: one thread, 100 µs in ops, idle 0 ns between them.
Shares are of op time and idle together (--no-idle leaves idle out).
Data quality: nothing missing, nothing odd.
)");
}

TEST_CASE("In a narrow table columns give way, then names") {
  TextStyle style;
  style.width = 64;
  const std::vector<std::string> lines = Lines(OpsText(Sample(), style));
  CHECK(lines[1] == "#   Share         Self µs  Total µs  Count  Name");
  style.width = 50;
  const std::vector<std::string> narrow = Lines(OpsText(Sample(), style));
  CHECK(narrow[0] == "Device");
  CHECK(narrow[1] == "  1 lane · 2 ops · span 9.50 ms · busy 47.4%");
  CHECK(narrow[2] == "#   Share         Self µs  Count  Name");
  CHECK(narrow[5] == "2   31.6% ██████  3,000.0    200  model/…/Conv2D");
}

TEST_CASE("A column that was asked for is not left out") {
  TextStyle style;
  style.width = 64;
  CHECK(Lines(OpsText(Sample(), style, "+cumulative"))[1].find("Cum.") != std::string::npos);
}

TEST_CASE("--wide elides and leaves out nothing") {
  OpsResult result = Sample();
  result.rows[1].op_name = std::string(150, 'x');
  TextStyle style;
  style.width = 60;
  style.wide = true;
  const std::string text = OpsText(result, style);
  CHECK(text.find(std::string(150, 'x')) != std::string::npos);
  CHECK(text.find("Cum.") != std::string::npos);
  CHECK(text.find("…") == std::string::npos);
}

TEST_CASE("Colour adds only colour") {
  TextStyle plain, coloured;
  coloured.color = true;
  const std::string text = OpsText(Sample(), coloured);
  CHECK(text.find("\x1b[1mDevice\x1b[0m") != std::string::npos);
  std::string stripped;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      stripped += text[i];
    }
  }
  CHECK(stripped == OpsText(Sample(), plain));
}

TEST_CASE("A fixed unit holds for every time") {
  TextStyle style;
  style.unit = Unit::kMs;
  const std::string text = OpsText(Sample(), style);
  CHECK(text.find("µs") == std::string::npos);
  CHECK(text.find("Self ms") != std::string::npos);
  CHECK(text.find("5.000 ms") != std::string::npos);
}

TEST_CASE("The row of the others has no rank and closes its table") {
  OpsResult result = Sample();
  result.others_device = analyze::OthersRow{7, 1234, 500 * kPsPerMicrosecond, 250 * kPsPerMicrosecond, 0.025};
  TextStyle style;
  style.width = 100;
  const std::vector<std::string> lines = Lines(OpsText(result, style));
  CHECK(lines[0].find("2 of 9 ops") != std::string::npos);
  CHECK(lines[6] == "     2.5% ░                     250.0     500.0  1,234   0.405          others (7 ops)");
}

TEST_CASE("No line is wider than the screen, whatever the names") {
  std::mt19937 random(6);
  const std::string_view letters[] = {"a", "/", "日", "_", "x", "é", "\x1b", "\xff", "\n"};
  for (int i = 0; i < 300; ++i) {
    std::vector<RowSpec> specs;
    for (unsigned n = 1 + random() % 5; n > 0; --n) {
      std::string name, type;
      for (unsigned k = random() % 90; k > 0; --k) name += letters[random() % std::size(letters)];
      for (unsigned k = random() % 40; k > 0; --k) type += letters[random() % std::size(letters)];
      specs.push_back(HostOp(type, name, random() % 1'000'000, random() % 1'000'000'000, random() % 1'000'000));
    }
    TextStyle style;
    style.width = 60 + random() % 120;
    for (const std::string& line : Lines(OpsText(MakeResult(specs), style))) {
      CAPTURE(line, style.width);
      CHECK(DisplayWidth(line) <= style.width);
      CHECK(line.find('\x1b') == std::string::npos);
    }
  }
}

TEST_CASE("Bars are measured in eighths of a column against the longest op") {
  Column share = TestColumn("share", Kind::kFraction);
  share.bar = true;
  const TablePtr table = TestTable({share}, {{RowKind::kPlain, {0.8}},
                                             {RowKind::kPlain, {0.05}},
                                             {RowKind::kPlain, {0.0}},
                                             {RowKind::kMuted, {0.9}},
                                             {RowKind::kMuted, {0.4}}});
  TextStyle style;  // 100 columns: bars of 10
  const std::vector<std::string> lines = Lines(TablesText({{{"", "", table}}}, style));
  CHECK(lines[2] == " 80.0% ██████████");
  CHECK(lines[3] == "  5.0% ▋");
  CHECK(lines[4] == "  0.0%");
  CHECK(lines[5] == " 90.0% ░░░░░░░░░▸");
  CHECK(lines[6] == " 40.0% ░░░░░");
}

TEST_CASE("Facts, paragraphs and commands wrap; commands stay whole") {
  Document document;
  document.blocks = {
      Title{"A run", "of two hosts"},
      Facts{{{"Kind", {"a long explanation that does not fit on one line of forty columns"}}, {"Size", {"3"}}}},
      Paragraph{{{"One sentence that is longer than the forty columns we have."}, {"Two."}}},
      Commands{"Next", {{"tool ops some/very/long/path/that/stays/whole", "all"}, {"tool x", "b"}}}};
  TextStyle style;
  style.width = 40;
  CHECK(WriteToString(document, Format::kTable, style) ==
        "A run · of two hosts\n"
        "\n"
        "Kind  a long explanation that does not\n"
        "      fit on one line of forty columns\n"
        "Size  3\n"
        "\n"
        "One sentence that is longer than the\n"
        "forty columns we have.\n"
        "Two.\n"
        "\n"
        "Next\n"
        "  tool ops some/very/long/path/that/stays/whole\n"
        "      all\n"
        "  tool x\n"
        "      b\n");
}

}  // namespace
}  // namespace tfprof::report
