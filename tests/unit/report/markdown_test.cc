#include "report/markdown.h"

#include <catch2/catch.hpp>

#include "report/table_fixture.h"
#include "report/write.h"

namespace tfprof::report {
namespace {

std::string Markdown(std::vector<Block> blocks) {
  Document document;
  document.blocks = std::move(blocks);
  return WriteToString(document, Format::kMarkdown);
}

std::string NameCell(const std::string& name) {
  const std::string text = Markdown({Tables{{{"", "", TextsTable({name})}}}});
  const size_t row = text.rfind("\n| ") + 3;
  return text.substr(row, text.rfind(" |\n") - row);
}

TEST_CASE("A table in Markdown") {
  Column time = TestColumn("self_us", Kind::kTime);
  time.label = "Self";
  const TablePtr table =
      TestTable({TestColumn("rank", Kind::kInteger), time, TestColumn("name", Kind::kText)},
                {{RowKind::kPlain, {uint64_t{1}, Picoseconds{1'500'000'000}, std::string_view("a_b")}},
                 {RowKind::kOthers, {Missing(), Picoseconds{2'000'000}, std::string_view("others")}}});
  CHECK(Markdown({Tables{{{"Device", "1 GPU", table}, {"Host", "", table}}}, Paragraph{{{"One."}, {"Two."}}}}) ==
        "### Device\n"
        "\n"
        "1 GPU\n"
        "\n"
        "| rank | Self µs | name |\n"
        "| ---: | ---: | --- |\n"
        "| 1 | 1,500.0 | a_b |\n"
        "| | 2.0 | others |\n"
        "\n"
        "### Host\n"
        "\n"
        "| rank | Self µs | name |\n"
        "| ---: | ---: | --- |\n"
        "| 1 | 1,500.0 | a_b |\n"
        "| | 2.0 | others |\n"
        "\n"
        "One.\n"
        "\n"
        "Two.\n");
}

TEST_CASE("Names mean nothing to Markdown") {
  CHECK(NameCell("a|b") == "a\\|b");
  CHECK(NameCell("`code`") == "\\`code\\`");
  CHECK(NameCell("a\\|b") == "a\\\\\\|b");
  CHECK(NameCell("std::vector<int>*") == "std::vector\\<int\\>\\*");
  CHECK(NameCell("__init__") == "\\_\\_init\\_\\_");
  CHECK(NameCell("model/conv2d_1/Conv2D") == "model/conv2d_1/Conv2D");  // harmless inside a word
  CHECK(NameCell("line\nbreak") == "line\\\\nbreak");
  CHECK(NameCell("[x](y)") == "\\[x\\](y)");
  CHECK(NameCell("\xff") == "\uFFFD");
}

TEST_CASE("Titles, facts and commands in Markdown") {
  CHECK(Markdown({Title{"Run x_1", ""}, Facts{{{"Kind", {"a*b"}}}}, Commands{"Next", {{"tool 'a*b'", "what"}}}}) ==
        "## Run x_1\n"
        "\n"
        "- **Kind**: a\\*b\n"
        "\n"
        "Next\n"
        "\n"
        "    tool 'a*b'  # what\n");
}

}  // namespace
}  // namespace tfprof::report
